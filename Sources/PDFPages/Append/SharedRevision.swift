import Glibc
import SystemPackage

/// The longest revision that two PDFs have in common: both begin with the same bytes, up to the end of an update
/// (ISO 32000-2, 7.5.6).
package struct SharedRevision: Hashable, Sendable {
    /// The bytes of the revision, with the line end after its `%%EOF`.
    package let length: Int64
    /// Whether it is the whole first file.
    package let isWhole: Bool

    private static let piece = 256 << 10
    private static let mark = Array("%%EOF".utf8)
    /// How many ends are tried: a hostile file may consist of them.
    private static let maxEnds = 64

    /// - Returns: nil if they have none in common.
    /// - Throws: an error of the file system.
    package init?(of first: String, and second: String) throws {
        guard let last = try Self.all(of: first, and: second, atMost: 1).first else { return nil }
        self = last
    }

    private init(length: Int64, isWhole: Bool) { (self.length, self.isWhole) = (length, isWhole) }

    /// Returns the revisions of a file, the newest first, which is the whole file.
    ///
    /// - Parameter count: how many to return at most.
    package static func all(of file: String, atMost count: Int) throws -> [SharedRevision] {
        try all(of: file, and: file, atMost: count)
    }

    private static func all(of first: String, and second: String, atMost limit: Int) throws -> [SharedRevision] {
        let one = try Self.open(first)
        defer { try? one.close() }
        let other = try Self.open(second)
        defer { try? other.close() }
        let (length, otherLength) = (try one.seek(offset: 0, from: .end), try other.seek(offset: 0, from: .end))
        var (common, ends): (Int64, [Int64]) = (0, [])
        // The end of the piece before, because a mark may begin in it.
        var rest: [UInt8] = []
        compare: while common < min(length, otherLength) {
            let (bytes, others) = (try Self.bytes(of: one, at: common), try Self.bytes(of: other, at: common))
            let count = bytes == others ? bytes.count : zip(bytes, others).prefix { $0 == $1 }.count
            guard count > 0 else { break }
            let start = common - Int64(rest.count)
            let text = rest + bytes[..<count]
            let found = text.places(of: Self.mark).map { start + Int64($0 + Self.mark.count) }
            ends += found.filter { $0 > common }
            common += Int64(count)
            rest = Array(text.suffix(Self.mark.count - 1))
            guard count == min(bytes.count, others.count) else { break compare }
        }
        // A mark may also stand in a stream, and in front of a file for quick viewing.
        var found: [SharedRevision] = []
        for end in ends.suffix(Self.maxEnds).reversed() {
            let end = end + (try Self.lineEnd(of: one, at: end, upTo: common))
            let tail = try PDFTail(length: end) { place, count in
                Array(try Self.bytes(of: one, at: place).prefix(min(count, Int(max(0, end - place)))))
            }
            guard tail != nil else { continue }
            found.append(SharedRevision(length: end, isWhole: try Self.isBlank(one, from: end)))
            if found.count == limit { break }
        }
        return found
    }

    private static func open(_ path: String) throws -> FileDescriptor {
        try FileDescriptor.open(FilePath(path), .readOnly, options: .nonBlocking)
    }

    private static func bytes(of file: FileDescriptor, at place: Int64) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: piece)
        var count = 0
        while count < piece {
            let more = try bytes.withUnsafeMutableBytes { buffer in
                try file.read(
                    fromAbsoluteOffset: place + Int64(count),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            guard more > 0 else { break }
            count += more
        }
        return Array(bytes[..<count])
    }

    /// Returns the length of the line end that both files have there.
    private static func lineEnd(of file: FileDescriptor, at place: Int64, upTo end: Int64) throws -> Int64 {
        let bytes = try bytes(of: file, at: place).prefix(Int(min(2, end - place)))
        if bytes.elementsEqual("\r\n".utf8) { return 2 }
        return bytes.first == UInt8(ascii: "\n") || bytes.first == UInt8(ascii: "\r") ? 1 : 0
    }

    private static func isBlank(_ file: FileDescriptor, from place: Int64) throws -> Bool {
        let rest = try bytes(of: file, at: place)
        return rest.count < piece && rest.allSatisfy { $0 <= 0x20 }
    }
}

extension PDFTools {
    /// Returns the annotations that a file had as the revision ended; nil if they cannot be read.
    ///
    /// - Parameter length: of the revision, in bytes.
    package func annotations(of file: String, upTo length: Int64) async throws -> BaseAnnotations? {
        let folder = try ScratchFolder(in: scratchFolder)
        let path = folder.path("revision.pdf")
        try Self.copy(file, upTo: length, to: path)
        do {
            let found = try await annotations(of: path)
            withExtendedLifetime(folder) {}
            return found
        } catch let error as PDFError {
            if case .toolMissing = error { throw error }
            return nil
        }
    }

    private static func copy(_ file: String, upTo length: Int64, to path: String) throws {
        let from = try FileDescriptor.open(FilePath(argument(for: file)), .readOnly, options: .nonBlocking)
        defer { try? from.close() }
        let to = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, .exclusiveCreate, .noFollow], permissions: .ownerReadWrite)
        defer { try? to.close() }
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var left = length
        while left > 0 {
            let wanted = Int(min(Int64(piece.count), left))
            let count = try piece.withUnsafeMutableBytes {
                try from.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]))
            }
            guard count > 0 else { return }
            try to.writeResult(piece[..<count])
            left -= Int64(count)
        }
    }
}
