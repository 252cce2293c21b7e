import Glibc
import NIOCore

/// A file to send: opened once, read in pieces, closed with its last reference.
final class UploadFile: Sendable {
    let descriptor: Int32
    let size: Int64

    init(_ path: String) throws {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw CommandFailure("cannot read \(path): \(reason)")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CommandFailure("\(path) is not a regular file")
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// - Throws: An error when the file shrinks during reading.
    func read(at offset: Int64, count: Int) throws -> ByteBuffer {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(offset))
        guard got > 0 else { throw CommandFailure("the file changed during the upload; try again") }
        return ByteBuffer(bytes: bytes[..<got])
    }
}

/// The body of a multipart upload: head, the file in pieces of 256 kB, tail.
struct FileParts: AsyncSequence, Sendable {
    let head: String
    let file: UploadFile
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
            offset += Int64(piece.readableBytes)
            return piece
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(parts: self) }
}
