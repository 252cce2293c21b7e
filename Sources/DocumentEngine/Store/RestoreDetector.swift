import Annotations
import EngineCore
import FoundationEssentials
import GRDB
import Glibc
import Postgres

/// Detects that a database was restored from a backup.
protocol RestoreMark: Sendable {
    /// Gives every layer a new generation if the database was restored, and renews the restore stamp.
    ///
    /// - Returns: whether it was restored.
    func open() throws -> Bool
    /// Renews the restore stamp; called periodically while writes occur.
    func draw() throws
}

/// Detects a restored SQLite database by a random restore stamp, renewed while writes occur and stored both in the
/// database and in a file next to it. A database from a backup has an older stamp.
///
/// The file gets the next stamp before the database does, so that a crash between the two does not look like a restore.
/// To restore the whole folder, remove the file: a database with a stamp but no file counts as restored.
struct RestoreDetector: RestoreMark {
    let store: SQLiteStore
    let folder: String
    let now: @Sendable () -> Timestamp

    private var file: RestoreStampFile { RestoreStampFile(folder: folder) }

    /// In the file until a new database has its first stamp.
    private static let new = "new"

    /// - Throws: ``StoreError`` with the path and the cause.
    func open() throws -> Bool {
        do { return try check() } catch let error as DatabaseError {
            throw StoreError.unusable(store.path, error.resultCode.description)
        }
    }

    private func check() throws -> Bool {
        let (marked, kept) = (try store.mark(), try file.lines())
        let isRestored = marked.map { !kept.contains($0) } ?? (!kept.isEmpty && kept.first != Self.new)
        if isRestored {
            try store.write { store in
                var random = SystemRandomNumberGenerator()
                try Layers.renew(in: store, at: now(), using: &random)
            }
        }
        try draw()
        return isRestored
    }

    func draw() throws {
        let next = UUID().uuidString.lowercased()
        try file.keep([try store.mark() ?? Self.new, next])
        try store.setMark(next)
        try file.keep([next])
    }
}

/// The server's own copy of the database's restore stamp, in its data folder: a few short lines, replaced as a whole.
struct RestoreStampFile: Sendable {
    static let name = "postilla.mark"

    let folder: String

    private var path: String { "\(folder)/\(Self.name)" }

    func lines() throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)).prefix(1024), as: UTF8.self)
        return text.split(scalar: "\n").map(String.init)
    }

    /// Replaces the lines; durable when it returns.
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

/// Detects a restored PostgreSQL database, for several servers.
///
/// Two signs reveal a restore: the database's location (a loaded dump has another one, a replayed backup another
/// timeline), and a counter. A server stores in its folder the highest count it has seen: a database with a lower count
/// is older.
struct RestoreStampRow: RestoreMark {
    let store: PostgresStore
    let folder: String
    let now: @Sendable () -> Timestamp

    func open() throws -> Bool { try check(waits: true) }

    func draw() throws { _ = try check(draws: true) }

    /// The same as ``open()`` while the server runs: it does not wait for another server that does it.
    func look() throws -> Bool { try check() }

    private func check(draws: Bool = false, waits: Bool = false) throws -> Bool {
        let file = RestoreStampFile(folder: folder)
        let known = try file.lines().first.flatMap { Int64($0) } ?? 0
        let (count, isRestored) = try store.checkMark(known: known, draws: draws, waits: waits) { store in
            var random = SystemRandomNumberGenerator()
            try Layers.renew(in: store, at: store.time(now()), using: &random)
        }
        // After the commit, so that a server never stores a higher count than the database.
        if count != known { try file.keep([String(count)]) }
        return isRestored
    }
}
