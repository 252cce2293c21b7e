import Dispatch
package import EngineCore
import GRDB
import SQLite

/// Documents and layers in one SQLite file: write-ahead log, every commit synced to disk.
///
/// Calls block; make them on worker threads. Reads run in parallel with each other and with the single writer.
package final class SQLiteStore: LayerStore {
    private let pool: DatabasePool
    private let cache = StatementCache()
    private let log: WriteAheadLog
    private let damage: DamageLog

    /// Opens the file, creates it (readable by its owner only) or migrates an older schema.
    ///
    /// - Parameter damage: collects damaged rows that are read.
    /// - Throws: ``StoreError`` if it cannot be used; it is never replaced or emptied.
    package convenience init(path: String) throws { try self.init(path: path, damage: DamageLog()) }

    /// What tells one kind of store from another.
    struct Kind {
        var migrator: DatabaseMigrator
        /// The most connections that read at one time. Each needs several descriptors.
        var readers: Int

        /// Four for the engine's read threads, two for other threads, such as the one that renews the restore stamp.
        static var server: Kind { Kind(migrator: SQLiteSchema.migrator, readers: 6) }
    }

    init(path: String, damage: DamageLog, kind: Kind = .server) throws {
        self.damage = damage
        log = WriteAheadLog(of: path)
        do {
            try PrivateFiles.make(file: path)
            pool = try DatabasePool(path: path, configuration: Self.configuration(kind))
            try pool.writeWithoutTransaction { database in
                // Not in the configuration: GRDB relaxes this setting when it enables the write-ahead log.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                log.attach(to: database)
                // Before anything is appended to what an earlier process left, or to GRDB's own first transactions.
                try log.secure(try cache.statements(of: database))
            }
            let migrator = kind.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newerSchema(path) }
            try migrator.migrate(pool)
        } catch let error as StoreError { throw error } catch let error as DatabaseError {
            throw StoreError.unusable(path, error.resultCode.description)
        }
    }

    private static func configuration(_ kind: Kind) -> Configuration {
        var configuration = Configuration()
        configuration.label = "postilla.store"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = kind.readers
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    package func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        try pool.read { try body(transaction($0)) }
    }

    package func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try pool.writeWithoutTransaction { database in
            let transaction = try transaction(database)
            return try log.securing(transaction.statements) {
                try transaction.committing("BEGIN IMMEDIATE") {
                    let result = try body(transaction)
                    try transaction.checkIsOpen()
                    return result
                }
            }
        }
    }

    private func transaction(_ database: Database) throws -> SQLiteTransaction {
        SQLiteTransaction(database: database, statements: try cache.statements(of: database), damage: damage)
    }

    var path: String { pool.path }

    /// The check of this file, on a connection of its own.
    var check: StoreCheck { StoreCheck(path: pool.path) }

    /// The file's restore stamp.
    func mark() throws -> String? { try pool.read { try String.fetchOne($0, sql: "SELECT mark FROM mark") } }

    func setMark(_ mark: String) throws {
        try pool.writeWithoutTransaction { database in
            let transaction = try transaction(database)
            try log.securing(transaction.statements) {
                try transaction.run("INSERT OR REPLACE INTO mark VALUES (1, ?)", .text(mark))
            }
        }
    }

    /// Writes a copy to a path where nothing is, or an empty file. It is not on disk yet when this returns.
    func copy(to path: String) throws {
        try pool.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    }

    /// Closes readers first: only the last connection to close writes the log back into the file, and readers cannot.
    package func close() throws {
        try pool.barrierWriteWithoutTransaction { database in
            // Closing writes the log back into the file.
            try? log.secure(try cache.statements(of: database))
            cache.finalize()
        }
        pool.invalidateReadOnlyConnections()
        try pool.close()
    }
}

/// Why a store cannot be opened.
package enum StoreError: Error, Hashable, CustomStringConvertible {
    case newerSchema(String)
    case unusable(String, String)
    case folder(String, String)

    package var description: String {
        switch self {
        case .newerSchema(let path):
            "\(path) was written by a newer version; update postilla, or use another --store"
        case .unusable(let path, let why): "cannot use \(path) (\(why)); it is unchanged"
        case .folder(let path, let why): "cannot use \(path): \(why)"
        }
    }
}
