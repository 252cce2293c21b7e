import Annotations
import Crypto
import Glibc
import NIOCore

/// Bytes on their way into the store, hashed while they are written.
///
/// Its methods block. Unchecked: a request's tasks use it one after the other, never at once, which the compiler cannot see
/// across the worker threads.
final class Upload: @unchecked Sendable {
    private let file: ArrivingFile
    private(set) var bytes: Int64 = 0
    private var hash = SHA256()
    private let descriptor: CInt
    /// How much of it is on the disk.
    private var flushed: Int64 = 0
    private static let flushBytes: Int64 = 4 << 20

    init(folder: String) throws {
        (file, descriptor) = try ArrivingFile.make(in: folder)
    }

    deinit { close(descriptor) }

    var path: String { file.path }

    func write(_ buffer: ByteBuffer) throws {
        try buffer.withUnsafeReadableBytes { bytes in
            hash.update(bufferPointer: bytes)
            guard PrivateFiles.writeAll(bytes, to: descriptor) else { throw Self.failure }
        }
        bytes += Int64(buffer.readableBytes)
        guard bytes - flushed >= Self.flushBytes else { return }
        // Flushing the whole file at the end would delay all commits meanwhile.
        guard fdatasync(descriptor) == 0 else { throw Self.failure }
        flushed = bytes
    }

    /// A file that is complete and on disk. It goes with the last who holds it, unless it was kept by then.
    struct CompletedFile: Sendable {
        fileprivate let file: ArrivingFile
        let bytes: Int64
        /// Lower-case hex.
        let sha256: String

        var path: String { file.path }
    }

    func finish() throws -> CompletedFile {
        guard fsync(descriptor) == 0 else { throw Self.failure }
        return CompletedFile(file: file, bytes: bytes, sha256: hash.finalize().hexadecimal)
    }

    private static var failure: StoreError { .folder("the store", String(cString: strerror(errno))) }
}

/// Where files arrive.
struct UploadFolder: Sendable {
    let path: String

    /// - Throws: ``StoreError`` when the folder cannot be used.
    init(_ path: String) throws {
        self.path = path
        try PrivateFiles.make(folder: path)
        try ArrivingFile.removeLeftovers(path)
    }

    func receive() throws -> Upload { try Upload(folder: path) }
}
