import EngineCore
import FoundationEssentials
import Glibc

/// A data folder that `restore` has not completed. A file marks it from its creation until everything is in place: no
/// server starts on it, and as it contains only copies, the next `restore` may remove it.
enum UnfinishedRestore {
    private static let name = "postilla.restoring"

    static func isMarked(_ folder: String) -> Bool { FileStatus(link: "\(folder)/\(name)") != nil }

    /// - Throws: ``StoreError/folder(_:_:)`` if the folder is marked.
    static func check(_ folder: String) throws(StoreError) {
        guard isMarked(folder) else { return }
        throw .folder(folder, "a restore into it was interrupted; run postilla restore again")
    }

    static func mark(_ folder: String) throws {
        try PrivateFiles.make(file: "\(folder)/\(name)")
        try PrivateFiles.sync(folder: folder)
    }

    /// Writes what the restore was told into the mark of its folder.
    static func remember(_ memory: RestoreMemory, in folder: String) throws {
        let path = "\(folder)/\(name)"
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.folder(folder, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let text = Array(memory.text.utf8)
        guard text.withUnsafeBytes({ PrivateFiles.writeAll($0, to: descriptor) }), fsync(descriptor) == 0 else {
            throw PrivateFiles.failure(in: folder)
        }
    }

    /// What the restore was told that left this folder; nil: nothing.
    static func memory(of folder: String) -> RestoreMemory? {
        guard let bytes = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)")) else { return nil }
        return RestoreMemory(String(decoding: bytes, as: UTF8.self))
    }

    static func unmark(_ folder: String) throws {
        guard unlink("\(folder)/\(name)") == 0 else {
            throw StoreError.folder(folder, String(cString: strerror(errno)))
        }
        try PrivateFiles.sync(folder: folder)
    }

    /// Removes a marked or empty folder; its mark last, so that an interruption leaves it marked.
    static func remove(_ folder: String) throws {
        let files = FileManager.default
        for entry in try files.contentsOfDirectory(atPath: folder) where entry != name {
            try files.removeItem(atPath: "\(folder)/\(entry)")
        }
        try files.removeItem(atPath: folder)
    }
}
