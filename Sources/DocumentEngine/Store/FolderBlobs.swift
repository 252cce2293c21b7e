import FoundationEssentials
import Glibc

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
