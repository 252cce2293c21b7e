import Annotations
import FoundationEssentials
import Glibc

/// A folder for the tools' intermediate files, for this user only; removed with its files on release.
///
/// It is locked while it is in use, so that those of killed processes can be told from others, and are removed later.
package final class ScratchFolder: Sendable {
    private let path: String
    private let lock: CInt
    private static let prefix = "postilla-scratch-"
    /// In seconds. A folder that has just been made has no lock yet.
    private static let youth = 60

    /// - Parameter place: the folder in which it is created; nil: `TMPDIR`, or `/tmp`.
    /// - Throws: ``PDFError/noScratchFolder(_:code:)`` if it cannot be created.
    package init(in place: String?) throws(PDFError) {
        let place = place ?? FileManager.default.temporaryDirectory.path
        var template = Array((place + "/\(Self.prefix)XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .noScratchFolder(place, code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        lock = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        // Without a lock, it is only removed too early or too late.
        if lock >= 0 { _ = flock(lock, LOCK_EX | LOCK_NB) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        if lock >= 0 { close(lock) }
    }

    /// Removes the folders that killed processes of this user have left. Blocks.
    package static func removeLeft(in place: String, now: Int = time(nil)) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [] where name.begins(with: prefix)
        {
            let path = "\(place)/\(name)"
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { continue }
            defer { close(folder) }
            var status = stat()
            guard fstat(folder, &status) == 0, status.st_uid == geteuid(), now - status.st_mtim.tv_sec > youth,
                flock(folder, LOCK_EX | LOCK_NB) == 0
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates an empty file, and returns its path.
    package func file(_ name: String) throws(PDFError) -> String {
        guard FileManager.default.createFile(atPath: path(name), contents: nil) else { throw .unreadable }
        return path(name)
    }
}

extension PDFTools {
    /// Removes what killed processes of this user have left in the usual folder for intermediate files. Blocks.
    package static func removeLeftScratchFolders() {
        ScratchFolder.removeLeft(in: FileManager.default.temporaryDirectory.path)
    }
}
