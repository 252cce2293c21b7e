import NIOCore

/// The body of a multipart upload: head, the file in pieces of 256 kB, tail.
struct FileParts: AsyncSequence, Sendable {
    let head: String
    let file: RegularFile
    let tail: String

    struct Iterator: AsyncIteratorProtocol {
        let parts: FileParts
        var offset: Int64 = -1
        var isDone = false

        mutating func next() async throws -> ByteBuffer? {
            if isDone { return nil }
            if offset < 0 {
                offset = 0
                return ByteBuffer(string: parts.head)
            }
            guard offset < parts.file.size else {
                isDone = true
                return ByteBuffer(string: parts.tail)
            }
            let piece = try parts.file.read(at: offset, count: Int(Swift.min(256 << 10, parts.file.size - offset)))
            offset += Int64(piece.count)
            return ByteBuffer(bytes: piece)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(parts: self) }
}
