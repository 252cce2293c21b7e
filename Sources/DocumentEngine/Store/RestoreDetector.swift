import EngineCore
import FoundationEssentials
import Glibc
import Postgres

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

/// What a server keeps of its database's mark in its own folder: a few short lines, replaced as a whole.
struct RestoreStampFile: Sendable {
    let folder: String

    private var path: String { "\(folder)/postilla.mark" }

    func lines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)).prefix(1024), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    /// Durable when it returns.
    func keep(_ lines: [String]) throws {
        let new = path + ".new"
        unlink(new)
        let descriptor = PrivateFiles.create(file: new)
        guard descriptor >= 0 else { throw StoreError.unusable(new, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let text = Array(lines.joined(separator: "\n").utf8)
        guard text.withUnsafeBytes({ PrivateFiles.writeAll($0, to: descriptor) }), fsync(descriptor) == 0,
            rename(new, path) == 0
        else { throw StoreError.unusable(new, String(cString: strerror(errno))) }
        try PrivateFiles.sync(folder: folder)
    }
}

/// Tells a PostgreSQL database that was restored from the one that was left, for several servers at once.
///
/// Two signs: the database says where it is (a dump that was loaded is elsewhere, a backup that was replayed is on another
/// timeline), and it counts marks. A server remembers in its folder how far it has counted: a database that has counted
/// less is an older one.
struct RestoreStampRow: RestoreMark {
    let store: PostgresStore
    let folder: String

    func open() throws -> Bool { try check(draws: false) }

    func draw() throws { _ = try check(draws: true) }

    private func check(draws: Bool) throws -> Bool {
        let file = RestoreStampFile(folder: folder)
        let known = try file.lines().first.flatMap { Int64($0) } ?? 0
        let (count, isRestored) = try store.checkMark(known: known, draws: draws) { store in
            var random = SystemRandomNumberGenerator()
            try Layers.renew(in: store, using: &random)
        }
        // After the commit: a server never remembers more than the database has counted.
        if count != known { try file.keep([String(count)]) }
        return isRestored
    }
}
