import Annotations
import FoundationEssentials
import SystemPackage

/// The update file for qpdf: the changed objects of a PDF (qpdf manual, "qpdf JSON", `--update-from-json`), written one
/// by one.
final class PDFUpdate {
    private static let piece = 256 << 10
    private let file: FileDescriptor
    private var waiting: [UInt8] = []
    private var lastObject: Int
    private var isFirst = true

    /// - Parameter path: path of an existing file, which is overwritten.
    /// - Throws: ``PDFError/damaged`` when the dump has no header.
    init(of dump: ObjectDump, at path: String) throws {
        guard let header = try? JSONReader.parse(dump.header), let last = header["maxobjectid"]?.integer else {
            throw PDFError.damaged
        }
        lastObject = Int(last)
        file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.truncate, .noFollow])
        try put(#"{"qpdf":[\#(header.text),{"#)
    }

    deinit { try? file.close() }

    func end() throws {
        try put("}]}")
        try flush()
    }

    /// Returns an unused object number.
    func number() -> ObjectID {
        lastObject += 1
        return ObjectID(number: lastObject)
    }

    func add(_ value: JSON, as id: ObjectID) throws {
        try begin(id)
        try put(#"{"value":\#(value.text)}"#)
    }

    func add(stream: [UInt8], _ entries: [String: PDFObject]) throws -> ObjectID {
        let id = number()
        try begin(id)
        try put(#"{"stream":{"dict":\#(PDFObject.dictionary(entries).json.text),"data":""#)
        // Pieces of a multiple of three bytes encode without padding, so the results can be joined.
        for start in stride(from: 0, to: stream.count, by: 96 << 10) {
            try put(Data(stream[start..<min(start + 96 << 10, stream.count)]).base64EncodedString())
        }
        try put(#""}}"#)
        return id
    }

    private func begin(_ id: ObjectID) throws {
        try put((isFirst ? "" : ",\n") + #""obj:\#(id.text)":"#)
        isFirst = false
    }

    private func put(_ text: String) throws {
        waiting += text.utf8
        if waiting.count >= Self.piece { try flush() }
    }

    private func flush() throws {
        do { try file.writeAll(waiting) } catch let error as Errno where error.isDiskFull { throw PDFError.diskFull }
        waiting.removeAll(keepingCapacity: true)
    }
}

extension Errno {
    var isDiskFull: Bool { self == .noSpace || self == .diskQuotaExceeded }
}

extension ObjectID {
    var text: String { "\(number) \(generation) R" }
}

extension PDFObject {
    /// The object in qpdf's JSON.
    var json: JSON {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let value): .number(JSONNumber(value))
        case .string(let text): .string("u:" + text)
        case .bytes(let bytes):
            .string("b:" + bytes.hexadecimal)
        case .name(let name): .string("/" + name)
        case .reference(let id): .string(id.text)
        case .array(let items): .array(items.map(\.json))
        case .dictionary(let entries):
            .object(
                entries.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0["/" + $1.key] = $1.value.json })
        }
    }
}
