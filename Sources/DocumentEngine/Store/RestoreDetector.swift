import EngineCore
import FoundationEssentials

/// Notices that a database was put back from a backup.
protocol RestoreMark: Sendable {
    /// Gives every layer a new generation if the database is not the one that was left here, and draws a mark.
    ///
    /// - Returns: whether it was restored.
    func open() throws -> Bool
    /// Done now and then while there are writes.
    func draw() throws
}

/// Tells a database that was restored from a backup from the one that was left: a random mark, drawn anew while there
/// are writes, stands in the database and in a file beside it. A database from a backup holds an older one.
///
/// The file names the mark to come before the database does, so that a crash between the two is no restored backup.
/// Who restores the whole folder removes the file: a database with a mark and no file counts as restored.
struct RestoreDetector: RestoreMark {
    let store: SQLiteStore
    let folder: String

    private var file: RestoreStampFile { RestoreStampFile(folder: folder) }

    func open() throws -> Bool {
        let (marked, kept) = (try store.mark(), try file.lines())
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
        try file.keep([try store.mark(), next].compactMap(\.self))
        try store.setMark(next)
        try file.keep([next])
    }
}
