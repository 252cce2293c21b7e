import Annotations
import Glibc
import SystemPackage

/// A copy of a PDF whose cross-references and trailer are so damaged that qpdf gives up, with new ones at its end. Other
/// readers, too, look for the objects of such a file. Removed on release.
final class RebuiltFile: Sendable {
    let path: String
    private let folder: ScratchFolder

    /// The file is read as a whole.
    private static let maxBytes: Int64 = 32 << 20

    /// - Parameter place: the folder for the copy, as in ``PDFTools/scratchFolder``.
    /// - Returns: nil if the file is encrypted or too large, or if it has no catalogue outside of object streams.
    init?(of source: String, in place: String?) throws {
        guard try PDFTools.length(of: source) <= Self.maxBytes else { return nil }
        let file = try FileDescriptor.open(FilePath(source), .readOnly, options: .noFollow)
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: Int(try file.seek(offset: 0, from: .end)))
        var count = 0
        while count < bytes.count {
            let more = try bytes.withUnsafeMutableBytes { buffer in
                try file.read(
                    fromAbsoluteOffset: Int64(count), into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            guard more > 0 else { return nil }
            count += more
        }
        guard let end = Self.end(of: bytes) else { return nil }
        folder = try ScratchFolder(in: place)
        path = try folder.file("rebuilt.pdf")
        let copy = try FileDescriptor.open(FilePath(path), .writeOnly, options: .noFollow)
        defer { try? copy.close() }
        try copy.writeResult(bytes + end)
    }

    /// Returns the cross-references and the trailer of a file whose objects are found by their beginnings. Of an object
    /// that occurs twice, the last counts, because changes are appended.
    static func end(of bytes: [UInt8]) -> [UInt8]? {
        guard Places.find("/Encrypt", in: bytes).isEmpty else { return nil }
        let objects = objects(in: bytes)
        guard let root = root(of: bytes, objects), let last = objects.keys.max(by: { $0.number < $1.number }) else {
            return nil
        }
        var text = "\nxref\n0 1\n0000000000 65535 f \n"
        for (id, place) in objects.sorted(by: { $0.key.number < $1.key.number }) {
            text += "\(id.number) 1\n\(padded(place, 10)) \(padded(id.generation, 5)) n \n"
        }
        text += "trailer<</Size \(last.number + 1)/Root \(root.number) \(root.generation) R>>\n"
        return Array("\(text)startxref\n\(bytes.count + 1)\n%%EOF\n".utf8)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    private static func objects(in bytes: [UInt8]) -> [ObjectID: Int] {
        var numbers: [Int: (id: ObjectID, place: Int)] = [:]
        for place in Places.find("obj", in: bytes) {
            var reader = Backwards(bytes, before: place)
            // Another digit before it would be another number.
            guard reader.space(), let generation = reader.number(), generation < 65_536, reader.space(),
                let number = reader.number(), (1...8_000_000).contains(number)
            else { continue }
            numbers[number] = (ObjectID(number: number, generation: generation), reader.place)
        }
        return Dictionary(numbers.values.map { ($0.id, $0.place) }) { $1 }
    }

    /// Returns what the last trailer names, else the last catalogue.
    private static func root(of bytes: [UInt8], _ objects: [ObjectID: Int]) -> ObjectID? {
        for place in Places.find("/Root", in: bytes).reversed() {
            let words = String(decoding: bytes[(place + 5)...].prefix(40), as: UTF8.self).split(
                whereScalar: \.properties.isWhitespace)
            guard words.count > 2, words[2].begins(with: "R"), let number = Int(words[0]),
                let generation = Int(words[1])
            else {
                continue
            }
            let id = ObjectID(number: number, generation: generation)
            if objects[id] != nil { return id }
        }
        guard let catalogue = Places.find("/Catalog", in: bytes).last else { return nil }
        return objects.filter { $0.value < catalogue }.max { $0.value < $1.value }?.key
    }
}

/// Where a word stands in a file.
private enum Places {
    static func find(_ word: String, in bytes: [UInt8]) -> [Int] {
        let word = Array(word.utf8)
        return bytes.withUnsafeBytes { all in
            guard let start = all.baseAddress else { return [] }
            var found: [Int] = []
            var next = start
            let end = start + all.count
            while end - next >= word.count, let first = memchr(next, Int32(word[0]), end - next - word.count + 1) {
                let place = UnsafeRawPointer(first)
                let isFound = memcmp(place, word, word.count) == 0
                if isFound { found.append(place - start) }
                next = place + (isFound ? word.count : 1)
            }
            return found
        }
    }
}

/// Reads the numbers before a word.
private struct Backwards {
    private let bytes: [UInt8]
    private(set) var place: Int

    init(_ bytes: [UInt8], before place: Int) { (self.bytes, self.place) = (bytes, place) }

    mutating func space() -> Bool {
        let start = place
        while place > 0, [0, 9, 10, 12, 13, 32].contains(bytes[place - 1]) { place -= 1 }
        return place < start
    }

    /// Returns nil without digits, or with too many.
    mutating func number() -> Int? {
        let end = place
        while place > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place - 1]), end - place < 10 {
            place -= 1
        }
        return place < end ? Int(String(decoding: bytes[place..<end], as: UTF8.self)) : nil
    }
}
