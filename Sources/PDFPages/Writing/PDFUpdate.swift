import Annotations
import FoundationEssentials
import SystemPackage

/// The update file for qpdf: the changed objects of a PDF (qpdf manual, "qpdf JSON", `--update-from-json`), written one
/// by one. qpdf rewrites the whole file.
final class PDFUpdate: ObjectUpdate {
    private static let piece = 256 << 10
    private let file: FileDescriptor
    private var waiting: [UInt8] = []
    private var lastObject: Int
    /// The last object of the file itself.
    private let lastOwn: Int
    private var isFirst = true

    /// - Parameter path: path of an existing file, which is overwritten.
    /// - Throws: ``PDFError/damaged`` when the dump has no header.
    init(of dump: ObjectDump, at path: String) throws {
        guard let header = try? JSONReader.parse(dump.header), let last = dump.lastObject else {
            throw PDFError.damaged
        }
        (lastObject, lastOwn) = (last, last)
        file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.truncate, .noFollow])
        try put(#"{"qpdf":[\#(header.text),{"#)
    }

    deinit { try? file.close() }

    var isEmpty: Bool { isFirst }

    func end() throws {
        try put("}]}")
        try flush()
    }

    /// Returns an unused object number.
    func number() -> ObjectID {
        lastObject += 1
        return ObjectID(number: lastObject)
    }

    func add(_ value: JSON, as id: ObjectID) throws { try add(Array(value.text.utf8)[...], as: id) }

    func add(_ json: ArraySlice<UInt8>, as id: ObjectID) throws {
        try begin(id)
        try put(#"{"value":"#)
        waiting += json
        try put("}")
    }

    /// qpdf writes only objects that something refers to.
    func free(_ id: ObjectID) {}

    func add(stream: [UInt8], _ entries: [String: PDFObject]) throws -> ObjectID {
        let id = number()
        try add(stream: stream, Array(PDFObject.dictionary(entries).json.text.utf8)[...], as: id)
        return id
    }

    func add(stream: [UInt8], _ json: ArraySlice<UInt8>, as id: ObjectID) throws {
        try begin(id)
        try put(#"{"stream":{"dict":"#)
        waiting += json
        try put(#","data":""#)
        // Pieces of a multiple of three bytes encode without padding, so the results can be joined.
        for start in stride(from: 0, to: stream.count, by: 96 << 10) {
            try put(Data(stream[start..<min(start + 96 << 10, stream.count)]).base64EncodedString())
        }
        try put(#""}}"#)
    }

    /// Makes qpdf read an object of the file, before the object is replaced.
    ///
    /// qpdf reads all objects of an object stream at once, when it needs the first, and then has the old ones again, also
    /// of those that were replaced before (11.3 to 12.4). It reads what an entry of a dictionary refers to. The dictionary
    /// itself is written nowhere, because nothing refers to it.
    private func load(_ id: ObjectID) throws {
        guard id.number <= lastOwn else { return }
        try put((isFirst ? "" : ",\n") + #""obj:\#(number().text)":{"value":{"/Old":"\#(id.text)"}}"#)
        isFirst = false
    }

    private func begin(_ id: ObjectID) throws {
        try load(id)
        try put((isFirst ? "" : ",\n") + #""obj:\#(id.text)":"#)
        isFirst = false
    }

    private func put(_ text: String) throws {
        waiting += text.utf8
        if waiting.count >= Self.piece { try flush() }
    }

    private func flush() throws {
        try file.writeResult(waiting)
        waiting.removeAll(keepingCapacity: true)
    }
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
