import Annotations
import SystemPackage

/// Writes an incremental update (ISO 32000-2, 7.5.6): the bytes that, appended to a PDF, change and add objects. Object
/// numbers stay, and every byte of the file remains.
final class AppendedUpdate: ObjectUpdate {
    private static let piece = 256 << 10
    /// Readers handle at least 8,388,607 objects (ISO 32000-1, annex C); some hold a table of all numbers in memory.
    private static let highestNumber = 8_000_000
    private let file: FileDescriptor
    private let tail: PDFTail
    private let trailer: ObjectSource
    private var waiting: [UInt8] = []
    /// The bytes that are in the file.
    private var written: Int64 = 0
    private var lastObject: Int
    /// One more than the highest number that the file and the update define.
    private var size: Int
    private var references = CrossReferences()
    private var digest = UpdateDigest()

    /// - Parameter path: path of an existing file, which is overwritten.
    /// - Returns: nil if the dump lacks what an update needs, or the file's numbers leave no room for new objects.
    init?(_ tail: PDFTail, of dump: ObjectDump, at path: String) throws {
        guard let last = dump.lastObject, let trailer = dump.trailerSource.flatMap({ ObjectDump.value(in: $0) }),
            let entries = ObjectSource(trailer)
        else { return nil }
        let size = entries["Size"].map(ObjectSource.object)?.number.flatMap { Int(exactly: $0) } ?? 0
        guard last <= Self.highestNumber, size <= Self.highestNumber else { return nil }
        self.tail = tail
        self.trailer = entries
        self.size = size
        // A number that the file refers to without defining it would come to life.
        lastObject = max(last, size - 1)
        file = try FileDescriptor.open(FilePath(path), .writeOnly, options: [.truncate, .noFollow])
        digest.add(trailer)
        digest.add("\(tail.length)".utf8)
    }

    deinit { try? file.close() }

    var isEmpty: Bool { references.isEmpty }

    func number() -> ObjectID {
        lastObject += 1
        return ObjectID(number: lastObject)
    }

    func add(_ json: ArraySlice<UInt8>, as id: ObjectID) throws {
        guard let bytes = PDFSyntax.text(json) else { throw PDFError.damaged }
        try begin(id)
        try put(bytes + "\nendobj\n".utf8)
    }

    func add(stream: [UInt8], _ entries: [String: PDFObject]) throws -> ObjectID {
        let id = number()
        try add(stream: stream, Array(PDFObject.dictionary(entries).json.text.utf8)[...], as: id)
        return id
    }

    func add(stream: [UInt8], _ json: ArraySlice<UInt8>, as id: ObjectID) throws {
        guard var entries = ObjectSource(json) else { throw PDFError.damaged }
        entries.set("Length", to: .number(Double(stream.count)))
        guard let dictionary = PDFSyntax.text(entries.json[...]) else { throw PDFError.damaged }
        try begin(id)
        try put(dictionary + "\nstream\n".utf8)
        try put(stream)
        try put(Array("\nendstream\nendobj\n".utf8))
    }

    /// An object that may be in an object stream becomes null instead: qpdf takes a free number for an error while the
    /// stream holds its object.
    func free(_ id: ObjectID) throws {
        if hasObjectStreams { try add(Array("null".utf8)[...], as: id) } else { references.free(id) }
    }

    private var hasObjectStreams: Bool { tail.kind == .stream || trailer["XRefStm"] != nil }

    func end() throws {
        guard !isEmpty else { return }
        try beginLine()
        let start = offset
        let own = tail.kind == .stream ? number() : nil
        guard
            let section = references.section(
                after: tail, trailer: trailer, size: max(size, (own?.number ?? 0) + 1), as: own, at: start,
                digest: digest)
        else { throw PDFError.damaged }
        try put(section)
        try flush()
    }

    /// Where the next byte will be, as the file counts.
    private var offset: Int64 { tail.length - tail.origin + written + Int64(waiting.count) }

    private func begin(_ id: ObjectID) throws {
        try beginLine()
        references.add(id, at: offset)
        size = max(size, id.number + 1)
        try put(Array("\(id.number) \(id.generation) obj\n".utf8))
    }

    private func beginLine() throws {
        if written == 0, waiting.isEmpty, !tail.endsLine { try put([UInt8(ascii: "\n")]) }
    }

    private func put(_ bytes: [UInt8]) throws {
        digest.add(bytes)
        waiting += bytes
        if waiting.count >= Self.piece { try flush() }
    }

    private func flush() throws {
        try file.writeResult(waiting)
        written += Int64(waiting.count)
        waiting.removeAll(keepingCapacity: true)
    }
}
