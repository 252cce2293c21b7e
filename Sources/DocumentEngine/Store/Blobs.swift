import Annotations
import EngineCore
import FoundationEssentials
import Glibc
import NIOCore

/// Immutable bytes stored under their SHA-256: PDFs and attachments.
protocol Blobs: Sendable {
    /// Returns a file to receive into, on this machine's disk until it is stored.
    func receive() throws -> Upload
    /// Stores a received file; durable when it returns. Call this and ``remove(_:)`` inside the transaction that writes
    /// the row naming the file and holds ``LockTarget/blob(_:)``, so that no file is removed between its arrival and
    /// the writing of that row.
    func keep(_ received: Upload.CompletedFile) throws
    func remove(_ sha256: String) throws
    /// - Throws: ``StoreError`` if it does not exist.
    func open(_ sha256: String) throws -> any Blob
    /// Returns the file's path on this machine; nil if it is stored elsewhere.
    func path(of sha256: String) -> String?
    /// Returns the hashes of all blobs.
    func names() throws -> [String]
}

/// Bytes being sent.
protocol Blob: Sendable {
    var length: Int64 { get }
    /// Returns at least one byte and at most `count`. Blocks.
    func read(at offset: Int64, _ count: Int) throws -> ByteBuffer
}

/// Blobs as files in one folder.
struct FolderBlobs: Blobs {
    private let uploads: UploadFolder
    private let suffix: String
    private var folder: String { uploads.path }

    /// - Parameter suffix: follows the hash in each file name.
    /// - Throws: ``StoreError`` if the folder cannot be used.
    init(folder: String, suffix: String, space: DiskSpace? = nil) throws {
        uploads = try UploadFolder(folder, space: space)
        self.suffix = suffix
    }

    func receive() throws -> Upload { try uploads.receive() }

    func keep(_ received: Upload.CompletedFile) throws {
        guard rename(received.path, path(received.sha256)) == 0 else {
            throw PrivateFiles.failure(in: folder)
        }
        try PrivateFiles.sync(folder: folder)
    }

    func remove(_ sha256: String) { unlink(path(sha256)) }

    func open(_ sha256: String) throws -> any Blob { try FileBlob(path: path(sha256)) }

    func path(of sha256: String) -> String? { path(sha256) }

    /// Stores a copy of a file under a name; durable when it returns.
    ///
    /// - Throws: ``StoreError`` if its bytes do not match the name.
    func keep(copyOf source: FileBlob, at path: String, as name: String) throws {
        let upload = try receive()
        while upload.bytes < source.length { try upload.write(try source.read(at: upload.bytes, 1 << 20)) }
        let received = try upload.finish()
        guard received.sha256 == name else { throw StoreError.unusable(path, "its SHA-256 does not match its name") }
        try keep(received)
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            $0.dropping(suffix: suffix).map(String.init)
        }
    }

    private func path(_ sha256: String) -> String { "\(folder)/\(sha256)\(suffix)" }
}
