import Annotations
import Crypto
import EngineCore
import Glibc
import NIOCore

/// Bytes being received into the store, hashed as they are written.
///
/// Its methods block. Unchecked: the tasks of a request use it one after the other, which the compiler cannot verify
/// across the worker threads.
final class Upload: @unchecked Sendable {
    private let file: ArrivingFile
    private(set) var bytes: Int64 = 0
    private var hash = SHA256()
    private let descriptor: CInt
    /// The bytes synced to disk.
    private var flushed: Int64 = 0
    private static let flushBytes: Int64 = 4 << 20
    private let space: DiskSpace?

    /// - Parameter space: checked while the file arrives; nil: not checked.
    init(folder: String, space: DiskSpace? = nil) throws {
        (file, descriptor) = try ArrivingFile.make(in: folder)
        self.space = space
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
        // Syncing the whole file at the end would delay all commits.
        guard fdatasync(descriptor) == 0 else { throw Self.failure }
        flushed = bytes
        try space?.check()
    }

    /// A file that is complete and on disk. Unless it is stored, the last release deletes it.
    struct CompletedFile: Sendable {
        fileprivate let file: ArrivingFile
        let bytes: Int64
        /// Lower-case hex.
        let sha256: String

        var path: String { file.path }
        var part: Part { Part(file: file, bytes: bytes) }
    }

    /// What has arrived so far, which need not be on disk. Unless it is stored, the last release deletes it.
    struct Part: Sendable {
        let file: ArrivingFile
        let bytes: Int64
    }

    var part: Part { Part(file: file, bytes: bytes) }

    func finish() throws -> CompletedFile {
        guard fsync(descriptor) == 0 else { throw Self.failure }
        return CompletedFile(file: file, bytes: bytes, sha256: hash.finalize().hexadecimal)
    }

    /// Finishes a file that another program wrote at ``path``.
    func finishWritten() throws -> CompletedFile { try CompletedFile(written: file) }

    fileprivate static var failure: any Error { PrivateFiles.failure(in: "the store") }
}

extension Upload.CompletedFile {
    /// Hashes a file and syncs it to disk.
    init(written file: ArrivingFile) throws {
        let written = try FileBlob(path: file.path)
        let sha256 = try written.sha256()
        guard written.sync() else { throw Upload.failure }
        self.init(file: file, bytes: written.length, sha256: sha256)
    }
}

/// The folder in which files arrive.
struct UploadFolder: Sendable {
    let path: String
    private let space: DiskSpace?

    /// - Throws: ``StoreError`` if the folder cannot be used.
    init(_ path: String, space: DiskSpace? = nil) throws {
        (self.path, self.space) = (path, space)
        try PrivateFiles.make(folder: path)
        try ArrivingFile.removeLeftovers(path)
    }

    func receive() throws -> Upload { try Upload(folder: path, space: space) }
}
