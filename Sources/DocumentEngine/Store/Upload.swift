import Crypto
import FoundationEssentials
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Bytes on their way into the store: hashed while they are written, gone again unless they are kept.
final class Upload {
    let path: String
    private(set) var bytes: Int64 = 0
    private var hash = SHA256()
    private let descriptor: CInt

    init(folder: String) throws {
        path = "\(folder)/upload-\(UUID().uuidString)"
        descriptor = PrivateFiles.create(file: path)
        guard descriptor >= 0 else { throw StoreError.folder(folder, String(cString: strerror(errno))) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func write(_ buffer: ByteBuffer) throws {
        try buffer.withUnsafeReadableBytes { bytes in
            hash.update(bufferPointer: bytes)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 || errno == EINTR else {
                    throw StoreError.folder("the store", String(cString: strerror(errno)))
                }
                if count > 0 { rest = rest.dropFirst(count) }
            }
        }
        bytes += Int64(buffer.readableBytes)
    }

    /// A file that is complete and on disk.
    struct Received: Hashable, Sendable {
        var path: String
        var bytes: Int64
        /// Lower-case hex.
        var sha256: String
    }

    func finish() throws -> Received {
        guard fsync(descriptor) == 0 else { throw StoreError.folder("the store", String(cString: strerror(errno))) }
        let digits = Array("0123456789abcdef".utf8)
        let text = hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return Received(path: path, bytes: bytes, sha256: String(decoding: text, as: UTF8.self))
    }
}
