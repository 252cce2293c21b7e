import Annotations
import App
import DocumentEngine
import FoundationEssentials
import Glibc

/// The PDFs that the library offers: those in the current folder, and those elsewhere with changes that are not in them.
/// Reading the list starts no engine.
struct OwnFileList {
    private let files: [KeptFile]
    /// What is kept and cannot be read.
    let damaged: [OwnFileDamage]
    private static let maxFiles = 200

    init(_ folders: Folders) {
        let folder = EngineFolder(folders)
        let kept = KeptFiles(folder: folder.kept).all()
        (files, damaged) = (kept.files, kept.damaged.map(OwnFileDamage.init))
    }

    /// Why a command fails that would show what is kept of a file; nil if nothing is damaged.
    func failure(about name: String) -> String? {
        let path = FilePaths.resolved(OwnFileLink.absolute(name))
        return OwnFileDamage.failure(damaged.filter { $0.file?.isExactly(path) ?? true })
    }

    /// What is kept of files.
    var kept: [KeptFile] { files.filter { $0.unwritten > 0 } }

    /// The bytes that are kept of a file: its copy, and what is not in it.
    static func bytes(_ file: KeptFile) -> Int64 {
        // The files that SQLite makes beside a database to use it hold nothing of their own for long.
        let names = (FileManager.default.subpaths(atPath: file.folder) ?? []).filter {
            !$0.ends(with: "-shm") && !$0.ends(with: "-wal")
        }
        return names.reduce(0) { sum, name in
            var status = stat()
            guard stat("\(file.folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return sum }
            return sum + Int64(status.st_size)
        }
    }

    func list() -> [LibraryFile] {
        let here = FileManager.default.currentDirectoryPath
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: here)) ?? [])
            .filter { $0.lowercased().ends(with: ".pdf") && !$0.begins(with: ".") }
        var changes: [ByteOrdered: Int] = [:]
        for file in kept { changes[ByteOrdered(file.path)] = file.unwritten }
        var found = names.sorted().prefix(Self.maxFiles).compactMap { name in
            file(
                name, at: "\(here)/\(name)", unwritten: changes.removeValue(forKey: ByteOrdered("\(here)/\(name)")) ?? 0
            )
        }
        for (path, count) in changes.sorted(by: { $0.key < $1.key }).map({ ($0.key.text, $0.value) }) {
            // A file below the current folder is named as a person would.
            let name = path.dropping(prefix: here + "/").map(String.init) ?? path
            found.append(
                file(name, at: path, unwritten: count) ?? LibraryFile(path: name, unwritten: count, isMissing: true))
        }
        return found.filter { $0.unwritten > 0 } + found.filter { $0.unwritten == 0 }
    }

    private func file(_ name: String, at path: String, unwritten: Int) -> LibraryFile? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let modified = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        return LibraryFile(
            path: name, bytes: Int64(status.st_size), modified: Timestamp(milliseconds: modified),
            unwritten: unwritten, isMissing: false)
    }
}
