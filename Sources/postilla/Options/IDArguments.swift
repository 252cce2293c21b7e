import Annotations
import ArgumentParser

/// The records of a command: ids as arguments, or `-` to read them from standard input.
struct IDArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Ids, from list, or their beginnings; - reads ids or NDJSON from standard input.", valueName: "id"))
    var ids: [String] = []

    func validate() throws {
        guard !ids.isEmpty else { throw ValidationError("No ids. Give ids, or - to read them from standard input.") }
        guard ids == ["-"] || !ids.contains("-") else { throw ValidationError("Use either ids or -, not both.") }
    }

    /// - Returns: The ids, in order; none if standard input is empty.
    /// - Throws: ``CommandFailure`` that names the line without an id.
    func read() async throws -> [String] {
        guard ids == ["-"] else { return ids }
        var found: [String] = []
        var number = 0
        while case let lines = try await StandardInput.shared.lines(maxCount: 1000, maxBytes: AddLines.maxBytes),
            !lines.isEmpty
        {
            for line in lines {
                number += 1
                guard case .line(let bytes) = line else {
                    throw CommandFailure("standard input:\(number): line longer than \(AddLines.maxBytes) bytes")
                }
                if let id = try Self.id(bytes, number) { found.append(id) }
            }
        }
        return found
    }

    /// Returns the id in a line: all of it, or the member of a record; nil for an empty line.
    static func id(_ line: [UInt8], _ number: Int) throws -> String? {
        let text = String(decoding: line, as: UTF8.self).trimmed
        guard text.begins(with: "{") else { return text.isEmpty ? nil : text }
        let record: JSON
        do { record = try JSONReader.parse(line) } catch {
            throw CommandFailure("standard input:\(number): \(error)")
        }
        guard let id = record["id"]?.string, !id.isEmpty else {
            throw CommandFailure(#"standard input:\#(number): the record has no "id""#)
        }
        return id
    }
}
