import Annotations
import Crypto
import Glibc
import NIOCore

/// A file being sent. It stays readable after its name is removed.
final class FileBlob: Blob {
    let length: Int64
    private let descriptor: CInt

    init(path: String) throws {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.unusable(path, String(cString: strerror(errno))) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            close(descriptor)
            throw StoreError.unusable(path, String(cString: strerror(errno)))
        }
        length = Int64(end)
    }

    deinit { close(descriptor) }

    /// Returns whether all bytes are on disk.
    func sync() -> Bool { fsync(descriptor) == 0 }

    /// The hash of all bytes, in lower-case hex.
    func sha256() throws -> String {
        var hash = SHA256()
        var offset: Int64 = 0
        while offset < length {
            let piece = try read(at: offset, 1 << 20)
            piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
            offset += Int64(piece.readableBytes)
        }
        return hash.finalize().hexadecimal
    }

    func read(at offset: Int64, _ count: Int) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
            max(0, pread(descriptor, $0.baseAddress, count, off_t(offset)))
        }
        guard read > 0 else { throw StoreError.unusable("a file", "it is shorter than before") }
        return buffer
    }
}
