import Annotations
import Interchange

/// JSON from a file, or from standard input where the name is `-`. What is wrong with it is told with its place.
enum ContentFile {
    static func read(_ path: String, limit: Int = 4 << 20) async throws -> [UInt8] {
        path == "-" ? try await StandardInput.shared.all(limit: limit) : try PrivateFile.bytes(path, limit: limit)
    }

    static func draft(_ path: String) async throws -> RecordInput {
        let bytes = try await read(path)
        let name = path == "-" ? "standard input" : path
        guard !bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) else {
            throw CommandFailure("\(name) is empty: a record as JSON is expected there")
        }
        do { return try RecordInput(json: bytes) } catch let error as JSONError {
            throw CommandFailure("\(name):\(TextPlace(of: error.offset, in: bytes)): \(error.problem)")
        } catch let failure as CommandFailure {
            throw CommandFailure("\(name): \(failure.message)")
        }
    }
}
