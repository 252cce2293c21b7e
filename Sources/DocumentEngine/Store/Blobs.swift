import FoundationEssentials
import Glibc
import NIOCore

/// Bytes by their SHA-256, never changed once they are kept: the PDFs, and the attachments.
protocol Blobs: Sendable {
    /// A file being received, on this machine's disk until it is kept.
    func receive() throws -> Upload
    /// Durable when it returns. Called inside the transaction that writes the row which names it and has taken
    /// ``Hold/blob(_:)``, and so is ``remove(_:)``: then none is removed between its arrival and that row.
    func keep(_ received: Upload.CompletedFile) throws
    func remove(_ sha256: String) throws
    /// - Throws: ``StoreError`` when it is not there.
    func open(_ sha256: String) throws -> any Blob
    /// Where it lies on this machine; nil when it does not.
    func path(of sha256: String) -> String?
    /// The hashes of all.
    func names() throws -> [String]
}

/// Bytes that are being sent.
protocol Blob: Sendable {
    var length: Int64 { get }
    /// Blocks. At least one byte, at most so many.
    func read(at offset: Int64, _ count: Int) throws -> ByteBuffer
}

/// Blobs as files of one folder.
struct FolderBlobs: Blobs {
    private let uploads: UploadFolder
    private let suffix: String
    private var folder: String { uploads.path }

    /// - Parameter suffix: behind the hash in each file's name.
    /// - Throws: ``StoreError`` when the folder cannot be used.
    init(folder: String, suffix: String) throws {
        uploads = try UploadFolder(folder)
        self.suffix = suffix
    }

    func receive() throws -> Upload { try uploads.receive() }

    func keep(_ received: Upload.CompletedFile) throws {
        guard rename(received.path, path(received.sha256)) == 0 else {
            throw StoreError.folder(folder, String(cString: strerror(errno)))
        }
        try PrivateFiles.sync(folder: folder)
    }

    func remove(_ sha256: String) { unlink(path(sha256)) }

    func open(_ sha256: String) throws -> any Blob { try FileBlob(path: path(sha256)) }

    func path(of sha256: String) -> String? { path(sha256) }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(suffix) }
            .map { String($0.dropLast(suffix.count)) }
    }

    private func path(_ sha256: String) -> String { "\(folder)/\(sha256)\(suffix)" }
}
