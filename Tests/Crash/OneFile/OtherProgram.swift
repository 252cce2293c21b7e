import Annotations
import Children
import Foundation
import Glibc

/// Another program that changes the notes of a PDF. It shares no code with the program under test: it reads with qpdf, and
/// either appends an update of its own or lets qpdf write the file anew.
struct OtherProgram {
    /// How the file gets its new bytes.
    enum Saving: CaseIterable {
        /// A new file takes the name of the old one.
        case renaming
        /// The update is written to the end of the open file, in two pieces.
        case appending
        /// The open file is emptied and written again, in two pieces.
        case truncating
    }

    struct Note: Hashable {
        /// The object, such as `12 0 R`.
        var reference: String
        /// The subject, which nobody changes.
        var key: String
        var text: String
        /// Six hexadecimal digits.
        var color: String
    }

    /// A file as the program has it open.
    struct Copy {
        var bytes: Data
        var notes: [Note]
        fileprivate var objects: [String: JSON]
        fileprivate var trailer: JSONObject
        fileprivate var page: String
        fileprivate var annotations: [JSON]
        fileprivate var newest: Int
    }

    enum Change {
        case create(key: String, text: String, color: String)
        case setText(Note, String)
        case setColor(Note, String)
        case delete(Note)
    }

    /// For copies that qpdf reads.
    let folder: URL

    // MARK: Reading

    func read(_ path: String) throws -> Copy { try read(Data(contentsOf: URL(fileURLWithPath: path))) }

    func read(_ bytes: Data) throws -> Copy {
        let file = folder.appendingPathComponent("read.pdf")
        try bytes.write(to: file)
        let text = try qpdf(["--json=2", "--json-stream-data=none", "--json-key=qpdf", file.path])
        guard let parts = try JSONReader.parse(Array(text))["qpdf"]?.array, parts.count == 2,
            let all = parts[1].object, let trailer = all["trailer"]?["value"]?.object
        else { throw CrashProblem("qpdf's output has another form") }
        var objects: [String: JSON] = [:]
        for member in all.members where member.key.hasPrefix("obj:") {
            objects[String(member.key.dropFirst(4))] = member.value["value"]
        }
        let pages = objects.filter { $0.value["/Type"]?.string == "/Page" }
        guard pages.count == 1, let page = pages.first else { throw CrashProblem("the file has \(pages.count) pages") }
        var list = page.value["/Annots"]
        if let reference = list?.string { list = objects[reference] }
        var copy = Copy(
            bytes: bytes, notes: [], objects: objects, trailer: trailer, page: page.key,
            annotations: list?.array ?? [], newest: Int(parts[0]["maxobjectid"]?.integer ?? 0))
        for entry in copy.annotations {
            guard let reference = entry.string, let note = objects[reference],
                note["/Subtype"]?.string == "/Text", let key = note["/Subj"]?.pdfText
            else { continue }
            copy.notes.append(
                Note(
                    reference: reference, key: key, text: note["/Contents"]?.pdfText ?? "",
                    color: Self.color(note["/C"])))
        }
        return copy
    }

    private static func color(_ value: JSON?) -> String {
        (value?.array ?? []).map { part in
            let digits = String(Int(((part.double ?? 0) * 255).rounded()), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    // MARK: Changing

    /// The objects that the changes replace or add.
    private func changed(_ copy: Copy, _ changes: [Change]) -> [(reference: String, value: JSON)] {
        var (values, annotations, newest): ([String: JSON], [JSON], Int) = ([:], copy.annotations, copy.newest)
        func edit(_ note: Note, _ key: String, _ value: JSON) {
            var object = (values[note.reference] ?? copy.objects[note.reference])?.object ?? JSONObject()
            object[key] = value
            object["/M"] = "u:D:20300101000000Z"
            // Styled text would contradict the new one, and so would a drawn appearance.
            object["/RC"] = nil
            object["/AP"] = nil
            values[note.reference] = .object(object)
        }
        for change in changes {
            switch change {
            case .create(let key, let text, let color):
                newest += 1
                values["\(newest) 0 R"] = [
                    "/Type": "/Annot", "/Subtype": "/Text", "/Rect": [300, 300, 324, 324], "/F": 28, "/T": "u:Fred",
                    "/Contents": .string("u:" + text), "/Subj": .string("u:" + key),
                    "/NM": .string("u:another-program-\(key)"), "/C": Self.components(color),
                    "/M": "u:D:20300101000000Z",
                ]
                annotations.append(.string("\(newest) 0 R"))
            case .setText(let note, let text): edit(note, "/Contents", .string("u:" + text))
            case .setColor(let note, let color): edit(note, "/C", Self.components(color))
            case .delete(let note):
                let popup = copy.objects[note.reference]?["/Popup"]?.string
                annotations.removeAll { $0.string == note.reference || ($0.string != nil && $0.string == popup) }
            }
        }
        if annotations != copy.annotations, var page = copy.objects[copy.page]?.object {
            page["/Annots"] = .array(annotations)
            values[copy.page] = .object(page)
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static func components(_ color: String) -> JSON {
        let value = Int(color, radix: 16) ?? 0
        return .array(
            [16, 8, 0].map { shift in
                .number(JSONNumber((Double(value >> shift & 255) / 255 * 100_000).rounded() / 100_000))
            })
    }

    /// Returns the file with an update behind its bytes (ISO 32000-2, 7.5.6).
    ///
    /// - Parameter save: A number that no other save has, as the time of a save is: the bytes of an earlier version would be
    ///   that version come back, and no change.
    func appended(_ copy: Copy, _ changes: [Change], save: Int) throws -> Data {
        let objects = changed(copy, changes)
        guard let mark = copy.bytes.range(of: Data("startxref".utf8), options: .backwards),
            let last = String(decoding: copy.bytes[mark.upperBound...], as: UTF8.self)
                .split(whereSeparator: \.isWhitespace).first
        else { throw CrashProblem("the file has no startxref") }
        var bytes = copy.bytes
        if bytes.last != 0x0A { bytes.append(0x0A) }
        bytes += Data("% Save \(save)\n".utf8)
        var (entries, newest) = ("", copy.newest)
        for (reference, value) in objects {
            let number = Int(reference.prefix { $0 != " " }) ?? 0
            newest = max(newest, number)
            let offset = String(bytes.count)
            entries += "\(number) 1\n\(String(repeating: "0", count: 10 - offset.count))\(offset) 00000 n \n"
            bytes += Data("\(number) 0 obj\n\(Self.syntax(value))\nendobj\n".utf8)
        }
        var trailer = copy.trailer
        // Those of a cross-reference stream.
        for key in ["/Prev", "/XRefStm", "/Type", "/W", "/Index", "/Filter", "/DecodeParms", "/Length"] {
            trailer[key] = nil
        }
        // The highest number may belong to an object that was deleted.
        trailer["/Size"] = .number(JSONNumber(max(trailer["/Size"]?.integer ?? 0, Int64(newest + 1))))
        trailer["/Prev"] = try JSONReader.parse(Array(last.utf8))
        let table = bytes.count
        let end = "xref\n0 0\n\(entries)trailer\n\(Self.syntax(.object(trailer)))\nstartxref\n\(table)\n%%EOF\n"
        bytes += Data(end.utf8)
        return bytes
    }

    /// Returns the file as qpdf writes it anew, with other object numbers.
    func rewritten(_ copy: Copy, _ changes: [Change]) throws -> Data {
        let objects = changed(copy, changes)
        let newest = objects.map { Int($0.reference.prefix { $0 != " " }) ?? 0 }.max() ?? 0
        var update = JSONObject()
        for (reference, value) in objects { update["obj:" + reference] = ["value": value] }
        let head: JSON = [
            "jsonversion": 2, "pdfversion": "1.7", "pushedinheritedpageresources": false, "calledgetallpages": false,
            "maxobjectid": .number(JSONNumber(Int64(max(newest, copy.newest)))),
        ]
        let json: JSON = ["version": 2, "qpdf": [head, .object(update)]]
        let (source, patch, target) = ("source.pdf", "patch.json", "target.pdf")
        func path(_ name: String) -> URL { folder.appendingPathComponent(name) }
        try copy.bytes.write(to: path(source))
        try Data(json.text.utf8).write(to: path(patch))
        _ = try qpdf([path(source).path, "--update-from-json=" + path(patch).path, path(target).path])
        return try Data(contentsOf: path(target))
    }

    /// A value of qpdf's JSON as a PDF has it.
    private static func syntax(_ value: JSON) -> String {
        switch value {
        case .null: return "null"
        case .bool(let value): return value ? "true" : "false"
        case .number(let number): return number.source
        case .array(let items): return "[" + items.map(syntax).joined(separator: " ") + "]"
        case .object(let object):
            return "<<" + object.members.map { "\($0.key) \(syntax($0.value))" }.joined(separator: " ") + ">>"
        case .string(let text):
            if text.hasPrefix("u:") {
                let digits = text.dropFirst(2).utf16.map { hex(UInt8($0 >> 8)) + hex(UInt8($0 & 255)) }
                return "<FEFF\(digits.joined())>"
            }
            return text.hasPrefix("b:") ? "<\(text.dropFirst(2))>" : text
        }
    }

    private static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

    /// - Throws: what is wrong with the file.
    func check(_ path: String) throws { _ = try qpdf(["--check", path]) }

    private func qpdf(_ arguments: [String]) throws -> Data {
        let (process, output) = (ChildProcess(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/qpdf")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CrashProblem("qpdf \(arguments) ended with \(process.terminationStatus)")
        }
        return data
    }

    // MARK: Saving

    /// Gives a file new bytes.
    ///
    /// - Parameters:
    ///   - copy: what the program read, and continues or replaces.
    ///   - pause: milliseconds between the two pieces of a file that is written in place.
    func save(_ bytes: Data, of copy: Copy, to path: String, _ saving: Saving, pause: Int32) throws {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw CrashProblem("\(path) is missing") }
        defer { close(file) }
        // Nobody appends to a file that is not the one that was read.
        let isSame = saving == .appending && Self.contents(of: file) == copy.bytes
        switch saving {
        case .appending where isSame:
            try Self.write(bytes.dropFirst(copy.bytes.count), to: file, at: copy.bytes.count, pause: pause)
        case .truncating:
            guard ftruncate(file, 0) == 0 else { throw CrashProblem("cannot empty \(path)") }
            try Self.write(bytes, to: file, at: 0, pause: pause)
        case .renaming, .appending:
            let temporary = folder.appendingPathComponent("new.pdf").path
            try bytes.write(to: URL(fileURLWithPath: temporary))
            guard rename(temporary, path) == 0 else { throw CrashProblem("cannot rename \(temporary)") }
        }
    }

    private static func contents(of file: Int32) -> Data {
        var status = stat()
        guard fstat(file, &status) == 0 else { return Data() }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        return Data(bytes.prefix(max(0, count)))
    }

    private static func write(_ bytes: Data, to file: Int32, at start: Int, pause: Int32) throws {
        let middle = bytes.startIndex + bytes.count / 2
        var place = start
        for piece in [bytes[..<middle], bytes[middle...]] {
            let all = [UInt8](piece)
            guard pwrite(file, all, all.count, off_t(place)) == all.count else { throw CrashProblem("cannot write") }
            place += all.count
            if place < start + bytes.count { poll(nil, 0, pause) }
        }
    }
}

extension JSON {
    /// A text string as qpdf shows it.
    fileprivate var pdfText: String? {
        guard let text = string, text.hasPrefix("u:") else { return nil }
        return String(text.dropFirst(2))
    }
}
