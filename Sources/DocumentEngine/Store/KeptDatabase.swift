import EngineCore
import FoundationEssentials
import GRDB
import Glibc
import SQLite

/// Reads the database of a local PDF without an engine, or besides one, and changes nothing in it.
///
/// SQLite reads a write-ahead log with the help of a file beside it, which it makes if no process has the database open.
/// Where it cannot, because the folder cannot be written, a copy in a private folder is read.
struct KeptDatabase {
    let path: String
    /// Where a copy is made.
    let temporary: String

    enum Problem: Error, Hashable {
        case damaged
        /// A newer version of the program has written it.
        case newer
        /// It may be readable later. The text is why it is not.
        case unreadable(String)
    }

    /// - Parameter damage: collects damaged rows that are read.
    /// - Throws: ``Problem``, also for a ``DamagedRow`` that the body throws.
    func read<Result>(_ damage: DamageLog, _ body: (SQLiteTransaction) throws -> Result) throws -> Result {
        try naming {
            try use { queue in
                try queue.read { database in
                    // It has its tables from the beginning.
                    guard try database.tableExists(StoredTable.fileMeta.name) else { throw Problem.damaged }
                    if try FileSchema.migrator.hasBeenSuperseded(database) { throw Problem.newer }
                    let cache = StatementCache()
                    defer { cache.finalize() }
                    let statements = try cache.statements(of: database)
                    return try body(SQLiteTransaction(database: database, statements: statements, damage: damage))
                }
            }
        }
    }

    /// Returns what a check of everything in it finds.
    func problems() throws -> [StoreCheck.Problem] {
        try naming { try use { try $0.read { try StoreCheck.problems(in: $0, tables: FileSchema.checked) } } }
    }

    private func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError {
            switch error.resultCode.primaryResultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: throw Problem.damaged
            default: throw Problem.unreadable(reason(error))
            }
        } catch is DamagedRow { throw Problem.damaged } catch let problem as PlaceProblem {
            throw Problem.unreadable(problem.sentence)
        }
    }

    private func reason(_ error: DatabaseError) -> String {
        guard access(path, R_OK) == 0 else { return String(cString: strerror(errno)) }
        return error.message ?? error.resultCode.description
    }

    /// Writes a copy, as the database is at one moment, to a path where nothing is.
    func copy(to target: String) throws {
        try PrivateFiles.make(file: target)
        try use { queue in
            try queue.unsafeRead { try $0.execute(sql: "VACUUM INTO ?", arguments: [target]) }
        }
    }

    private func use<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
        do { return try Self.use(path, body) } catch let error as DatabaseError {
            guard [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode.primaryResultCode) else { throw error }
            return try useCopy(body, after: error)
        }
    }

    private static func use<Result>(_ path: String, _ body: (DatabaseQueue) throws -> Result) throws -> Result {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA trusted_schema = OFF") }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try body(queue)
    }

    // MARK: In another place

    /// - Parameter problem: why the database could not be read in its place.
    private func useCopy<Result>(
        _ body: (DatabaseQueue) throws -> Result, after problem: DatabaseError
    ) throws -> Result {
        var name = Array("\(temporary)/postilla-reading-XXXXXX".utf8CString)
        // Mode 0700.
        guard let made = mkdtemp(&name) else { throw PlaceProblem(folder: temporary, code: errno) }
        let folder = String(cString: made)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let copy = "\(folder)/\(FileDatabase.name)"
        for _ in 0..<3 {
            let before = stamps
            for end in ["", "-wal"] {
                unlink(copy + end)
                guard FileStatus(link: path + end) != nil else { continue }
                // What cannot be copied cannot be read.
                do { try PrivateFiles.copy(file: path + end, to: copy + end) } catch { throw problem }
            }
            // An engine that may write there, by another path, may have begun meanwhile.
            if stamps == before { return try Self.use(copy, body) }
        }
        throw problem
    }

    /// What changes whenever the database or its log is written.
    private var stamps: [[Int]] {
        ["", "-wal"].map { end in
            var status = stat()
            guard stat(path + end, &status) == 0 else { return [] }
            return [Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }
}
