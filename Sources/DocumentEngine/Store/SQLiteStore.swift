import Dispatch
package import EngineCore
import GRDB
import SQLite

/// Documents and layers in one SQLite file: write-ahead log, every commit synced to disk.
///
/// Calls block, so the performer makes them on threads of its own. Reads run beside the one writer and each other.
package final class SQLiteStore: LayerStore {
    private let pool: DatabasePool
    private let cache = StatementCache()

    /// Opens the file, making it (readable by its owner only) and bringing an older schema up to date.
    ///
    /// - Throws: ``StoreError`` when it cannot be used; it is never replaced or emptied.
    package init(path: String) throws {
        do {
            try PrivateFiles.make(file: path)
            pool = try DatabasePool(path: path, configuration: Self.configuration)
            // Here, and not with the configuration: GRDB itself relaxes it when it turns the write-ahead log on.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let migrator = SQLiteSchema.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreError.newerSchema(path) }
            try migrator.migrate(pool)
        } catch let error as StoreError { throw error } catch let error as DatabaseError {
            throw StoreError.unusable(path, error.resultCode.description)
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "postilla.store"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        // As many as threads that read: four for requests, and two of the worker's, for copies and backups.
        configuration.maximumReaderCount = 6
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
            return try transaction.committing("BEGIN IMMEDIATE") { try body(transaction) }
        }
    }

    private func transaction(_ database: Database) throws -> SQLiteTransaction {
        SQLiteTransaction(database: database, statements: try cache.statements(of: database))
    }

    /// What stands beside the layers and belongs to the file alone.
    func mark() throws -> String? { try pool.read { try String.fetchOne($0, sql: "SELECT mark FROM mark") } }

    func setMark(_ mark: String) throws {
        try pool.write { try $0.execute(sql: "INSERT OR REPLACE INTO mark VALUES (1, ?)", arguments: [mark]) }
    }

    /// The readers go first: only the last connection to close writes the log back into the file, and they may not.
    package func close() throws {
        try pool.barrierWriteWithoutTransaction { _ in cache.finalize() }
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
            "\(path) was written by a newer version of this program: use that one, or another --store"
        case .unusable(let path, let why): "\(path) cannot be used as a store (\(why)); it was left as it is"
        case .folder(let path, let why): "\(path) cannot be used (\(why))"
        }
    }
}
