import Annotations
import Dispatch
import GRDB
import GRDBSQLite
package import InstantCore
import SQLite
import Synchronization

/// A layer in one SQLite file, in WAL mode. Edits are on disk before they are reported (`synchronous` FULL; NORMAL for
/// data that the server can send again), and readers never wait for a writer. Several processes may open one file;
/// writers take turns.
final class LocalSQLiteStore: LocalStore {
    let path: String
    private let connections: any DatabaseWriter
    /// The calls that use a connection.
    private let uses = DispatchGroup()
    private let isClosed = Mutex(false)
    let cache = StatementCache()
    private let metadata: LayerMetadataCache

    /// Opens the file and creates missing tables.
    ///
    /// - Parameters:
    ///   - mayUpgrade: false if another program may have the file open.
    ///   - checksMetadata: Whether to compare cached metadata with the stored text each time; for tests.
    /// - Throws: ``LocalStoreError``; a file that is damaged or newer than this program is not changed.
    convenience init(
        path: String, schema: LocalSchema = .current, mayUpgrade: Bool = true, checksMetadata: Bool = false
    ) throws {
        try self.init(path: path, checksMetadata: checksMetadata) { db in
            // SQLite silently falls back to read-only access, and only the first edit would fail.
            guard sqlite3_db_readonly(db.sqliteConnection, "main") != 1 else {
                throw LocalStoreError.failed(
                    path: path, "it is read-only; check the file and the file system")
            }
            try schema.prepare(db, path: path, mayUpgrade: mayUpgrade)
        }
    }

    /// Opens the file to inspect it, without changes.
    ///
    /// - Throws: ``LocalStoreError``, including for a file written by a newer program.
    convenience init(lookingInto path: String) throws {
        try self.init(path: path) { _ = try LocalSchema.current.found($0, path: path) }
    }

    /// Creates a layer without a file; it ends with the store.
    convenience init(inMemory metadata: LayerMetadata) throws {
        try self.init(path: nil) { try LocalSchema.current.prepare($0, path: Self.noPath, mayUpgrade: true) }
        try write { try $0.set(metadata) }
    }

    private static let noPath = "memory"

    private init(path: String?, checksMetadata: Bool = false, prepare: (Database) throws -> Void) throws {
        self.path = path ?? Self.noPath
        metadata = LayerMetadataCache(isChecked: checksMetadata)
        var configuration = Configuration()
        configuration.label = "postilla.layer"
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try TextFunctions.add(to: db)
        }
        do {
            if let path {
                connections = try DatabasePool(path: path, configuration: configuration)
            } else {
                connections = try DatabaseQueue(configuration: configuration)
            }
            try connections.writeWithoutTransaction { db in
                // Set here, not in the configuration, because GRDB relaxes it when it enables the write-ahead log.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try prepare(db)
            }
        } catch { throw LocalStoreError(error, path: self.path) }
    }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T {
        do { return try using { try connections.read { try body(transaction($0)) } } } catch {
            throw LocalStoreError.orOther(error, path: path)
        }
    }

    /// See ``WriterConnectionStore``.
    func readByWriter<T>(_ body: (any StoredLayer) throws -> T) throws -> T {
        do {
            return try using {
                try connections.writeWithoutTransaction { db in
                    let transaction = try transaction(db)
                    return try transaction.committing("BEGIN") { try body(transaction) }
                }
            }
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        do {
            return try using {
                try connections.writeWithoutTransaction { db in
                    let transaction = try transaction(db)
                    try transaction.statements.wait(durability == .synced ? .always : .never)
                    // Immediate: a transaction that reads first must not fail at its first write.
                    return try transaction.committing("BEGIN IMMEDIATE") { try body(transaction) }
                }
            }
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    /// Returns a number that changes after another process (or another store on the same file) has written.
    func foreignVersion() -> Int64? {
        try? using {
            try connections.writeWithoutTransaction {
                try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version"))
            }
        }
    }

    /// Returns SQLite's description of the damage; nil if there is none. Reads the whole file.
    func damage() throws -> String? {
        do {
            let findings = try using {
                try connections.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(3)") }
            }
            return findings == ["ok"] ? nil : findings.joined(separator: "; ")
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    /// Waits for the calls that use the file, and closes it. Later calls throw.
    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        uses.wait()
        guard !wasClosed else { return }
        cache.finalize()
        try? connections.close()
    }

    /// A connection that is closed while it is used crashes: its statements are SQLite's own pointers.
    private func using<T>(_ body: () throws -> T) throws -> T {
        try isClosed.withLock { isClosed in
            if isClosed { throw LocalStoreError.failed(path: path, "it was closed") }
            uses.enter()
        }
        defer { uses.leave() }
        return try body()
    }

    private func transaction(_ db: Database) throws -> LocalSQLiteTransaction {
        LocalSQLiteTransaction(db: db, statements: try cache.statements(of: db), known: metadata)
    }
}

extension LocalStoreError {
    init(_ error: any Error, path: String) {
        switch error {
        case let error as LocalStoreError: self = error
        case let error as DatabaseError
        where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode):
            self = .corrupt(path: path, error.message ?? "unreadable")
        case let error as DatabaseError: self = .failed(path: path, error.message ?? "\(error.resultCode)")
        default: self = .failed(path: path, "\(error)")
        }
    }

    /// Errors of the body are returned unchanged.
    static func orOther(_ error: any Error, path: String) -> any Error {
        error is DatabaseError ? LocalStoreError(error, path: path) : error
    }
}

extension Layer {
    /// Creates a layer in memory that ends with this process, for data without a server and without a stored layer.
    package init(inMemory metadata: LayerMetadata) throws { self.init(store: try LocalSQLiteStore(inMemory: metadata)) }
}

extension LocalSQLiteStore {
    /// Writes the layer's identity to a new file, and checks that of an existing one.
    func found(_ identity: LayerIdentity, now: Timestamp) throws {
        // Another process may be writing: a known file is only read.
        let present = try read { store in
            try (store as? LocalSQLiteTransaction).flatMap { try $0.hasMetadata() ? try $0.metadata().identity : nil }
        }
        if present == identity { return }
        let known = try write { store -> LayerIdentity in
            if let transaction = store as? LocalSQLiteTransaction, try !transaction.hasMetadata() {
                var random = SystemRandomNumberGenerator()
                try store.set(LayerMetadata(identity: identity, clientID: ULID.make(at: now, using: &random)))
            }
            return try store.metadata().identity
        }
        guard known == identity else { throw LocalStoreError.corrupt(path: path, "it contains a different layer") }
    }
}

extension LocalSQLiteStore {
    /// Returns the state in which the layer would open.
    func state(of metadata: LayerMetadata, hasUnsent: Bool) throws -> DocumentState {
        let found = try read {
            try ($0 as? LocalSQLiteTransaction).map { try LocalSchema.current.found($0.db, path: path) } ?? 0
        }
        let missing = LocalSchema.current.steps[found...]
        guard missing.isEmpty else {
            return missing.allSatisfy(\.keepsRows) ? .needsContentMigration : .needsResetForDatabaseMigration
        }
        return LayerMachine(metadata, backlog: hasUnsent ? .kept : .none).state
    }
}
