import Annotations
import FoundationEssentials
import Glibc
import Synchronization

/// The attachments of one local PDF, in the folder of its database, with which they move.
final class FileBlobs: Blobs {
    private let store: FileStore
    private let current = Mutex<(folder: String, blobs: FolderBlobs)?>(nil)

    init(_ store: FileStore) { self.store = store }

    static func folder(in folder: String) -> String { "\(folder)/attachments" }

    private func blobs() throws -> FolderBlobs {
        let folder = Self.folder(in: store.folder)
        return try current.withLock { current in
            if let current, current.folder.isExactly(folder) { return current.blobs }
            let blobs = try FolderBlobs(folder: folder, suffix: "")
            current = (folder, blobs)
            return blobs
        }
    }

    func receive() throws -> Upload { try blobs().receive() }

    func keep(_ received: Upload.CompletedFile) throws {
        // The database may have been moved since the file began to arrive.
        guard received.path.begins(with: Self.folder(in: store.folder) + "/") else {
            return try blobs().keep(copyOf: FileBlob(path: received.path), at: received.path, as: received.sha256)
        }
        try blobs().keep(received)
    }

    func remove(_ sha256: String) throws { try blobs().remove(sha256) }
    func open(_ sha256: String) throws -> any Blob { try blobs().open(sha256) }
    func path(of sha256: String) -> String? { "\(Self.folder(in: store.folder))/\(sha256)" }
    func names() throws -> [String] { try blobs().names() }

    /// The names of the attachments in the folder of a database.
    static func names(in folder: String) -> [AttachmentID] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder(in: folder))) ?? []
        return names.sorted().compactMap { AttachmentID($0) }
    }

    /// Whether attachments are just being received into the folder of a database.
    static func areArriving(in folder: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder(in: folder))) ?? []
        return names.contains { AttachmentID($0) == nil }
    }

    /// Copies the attachments to another folder; durable when it returns.
    static func copy(from old: String, to new: String) throws {
        let names = names(in: old)
        guard !names.isEmpty else { return }
        try PrivateFiles.make(folder: new)
        try PrivateFiles.make(folder: folder(in: new))
        for name in names { try copy("\(folder(in: old))/\(name.hex)", to: new, as: name) }
        try PrivateFiles.sync(folder: folder(in: new))
        try PrivateFiles.sync(folder: new)
    }

    /// Copies one attachment into the folder of a database.
    static func copy(_ path: String, to folder: String, as name: AttachmentID) throws {
        let target = "\(self.folder(in: folder))/\(name.hex)"
        let new = target + ".new"
        unlink(new)
        try PrivateFiles.copy(file: path, to: new)
        guard rename(new, target) == 0 else { throw OwnFileError(errno: errno) }
    }
}
