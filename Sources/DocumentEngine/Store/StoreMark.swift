import EngineCore
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells a database that was restored from a backup from the one that was left: a random mark, drawn anew while there
/// are writes, stands in the database and in a file beside it. A database from a backup holds an older one.
///
/// The file names the mark to come before the database does, so that a crash between the two is no restored backup.
/// Who restores the whole folder removes the file: a database with a mark and no file counts as restored.
struct StoreMark: Sendable {
    let store: SQLiteStore
    let folder: String

    private var path: String { "\(folder)/postilla.mark" }

    /// Gives every layer a new generation if the database is not the one that was left here, and draws a mark.
    ///
    /// - Returns: whether it was restored.
    func open() throws -> Bool {
        let (marked, kept) = (try store.mark(), try keptMarks())
        let isRestored = marked.map { !kept.contains($0) } ?? !kept.isEmpty
        if isRestored {
            try store.write { store in
                var random = SystemRandomNumberGenerator()
                try Layers.renew(in: store, using: &random)
            }
        }
        try draw()
        return isRestored
    }

    func draw() throws {
        let next = UUID().uuidString.lowercased()
        try keep([try store.mark(), next].compactMap(\.self))
        try store.setMark(next)
        try keep([next])
    }

    private func keptMarks() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)).prefix(1024), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    private func keep(_ marks: [String]) throws {
        let new = path + ".new"
        unlink(new)
        let descriptor = PrivateFiles.create(file: new)
        guard descriptor >= 0 else { throw StoreError.unusable(new, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let bytes = Array(marks.joined(separator: "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0, rename(new, path) == 0
        else { throw StoreError.unusable(new, String(cString: strerror(errno))) }
        try PrivateFiles.sync(folder: folder)
    }
}
