import Annotations
import GRDB
import GRDBSQLite
package import InstantCore
import SQLite

/// A layer in one SQLite file: WAL, edits on the disk before they are told (`synchronous` FULL; NORMAL for what the server
/// can tell again), readers that never wait for a writer. Several processes may open one file; writers take turns.
final class LocalSQLiteStore: LocalStore {
    let path: String
    private let connections: any DatabaseWriter
    let cache = StatementCache()
    private let facts: LayerMetadataCache

    /// Opens the file and makes the tables it lacks.
    ///
    /// - Parameters:
    ///   - mayUpgrade: false when another program may have the file open.
    ///   - checksFacts: compares the known facts with the stored ones each time; for tests.
    /// - Throws: ``LocalStoreError``; a file that is damaged or newer than this program stays as it is.
    convenience init(
        path: String, schema: LocalSchema = .current, mayUpgrade: Bool = true, checksFacts: Bool = false
    ) throws {
        try self.init(path: path, checksFacts: checksFacts) { db in
            // SQLite falls back to reading without a word, and the first edit would be the one to find out.
            guard sqlite3_db_readonly(db.sqliteConnection, "main") != 1 else {
                throw LocalStoreError.failed(
                    path: path, "it can only be read: is the file system or the file read-only?")
            }
            try schema.prepare(db, path: path, mayUpgrade: mayUpgrade)
        }
    }

    /// Opens the file as it is, for a look into it.
    ///
    /// - Throws: ``LocalStoreError``, for a file of a newer program too.
    convenience init(lookingInto path: String) throws {
        try self.init(path: path) { _ = try LocalSchema.current.found($0, path: path) }
    }

    /// A layer without a file: it is gone with the store.
    convenience init(inMemory facts: LayerMetadata) throws {
        try self.init(path: nil) { try LocalSchema.current.prepare($0, path: Self.noPath, mayUpgrade: true) }
        try write { try $0.set(facts) }
    }

    private static let noPath = "memory"

    private init(path: String?, checksFacts: Bool = false, prepare: (Database) throws -> Void) throws {
        self.path = path ?? Self.noPath
        facts = LayerMetadataCache(isChecked: checksFacts)
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
                // Here, and not with the configuration: GRDB itself relaxes it when it turns the write-ahead log on.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try prepare(db)
            }
        } catch { throw LocalStoreError(error, path: self.path) }
    }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T {
        do { return try connections.read { try body(transaction($0)) } } catch {
            throw LocalStoreError.orOther(error, path: path)
        }
    }

    /// See ``WriterConnectionStore``.
    func readByWriter<T>(_ body: (any StoredLayer) throws -> T) throws -> T {
        do {
            return try connections.writeWithoutTransaction { db in
                let transaction = try transaction(db)
                return try transaction.committing("BEGIN") { try body(transaction) }
            }
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        do {
            return try connections.writeWithoutTransaction { db in
                let transaction = try transaction(db)
                try transaction.statements.wait(durability == .synced ? .always : .never)
                // Immediate: a transaction that reads first must not find out at its first write that it is too late.
                return try transaction.committing("BEGIN IMMEDIATE") { try body(transaction) }
            }
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    /// A number that differs after another process (or another opening of the file) has written.
    func foreignVersion() -> Int64? {
        try? connections.writeWithoutTransaction { try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version")) }
    }

    /// What SQLite finds wrong with the file, in its words; nil: nothing. Reads all of it.
    func damage() throws -> String? {
        do {
            let findings = try connections.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(3)") }
            return findings == ["ok"] ? nil : findings.joined(separator: "; ")
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    func close() {
        try? connections.barrierWriteWithoutTransaction { _ in cache.finalize() }
        try? connections.close()
    }

    private func transaction(_ db: Database) throws -> LocalSQLiteTransaction {
        LocalSQLiteTransaction(db: db, statements: try cache.statements(of: db), known: facts)
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

    /// What the body threw stays what it is.
    static func orOther(_ error: any Error, path: String) -> any Error {
        error is DatabaseError ? LocalStoreError(error, path: path) : error
    }
}

extension Layer {
    /// In memory, and gone with this process: of what has neither a server nor a place among the layers kept here.
    package init(inMemory facts: LayerMetadata) throws { self.init(store: try LocalSQLiteStore(inMemory: facts)) }
}

extension LocalSQLiteStore {
    /// Says which layer a new file holds, and makes sure that an old one holds this layer.
    func found(_ identity: LayerIdentity, now: Timestamp) throws {
        // Another process may be writing: of a file that is known already, this is only read.
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
        guard known == identity else { throw LocalStoreError.corrupt(path: path, "it holds another layer") }
    }
}

extension LocalSQLiteStore {
    /// The state in which the layer would open.
    func state(of facts: LayerMetadata, hasUnsent: Bool) throws -> DocumentState {
        let found = try read {
            try ($0 as? LocalSQLiteTransaction).map { try LocalSchema.current.found($0.db, path: path) } ?? 0
        }
        let missing = LocalSchema.current.steps[found...]
        guard missing.isEmpty else {
            return missing.allSatisfy(\.keepsRows) ? .needsContentMigration : .needsResetForDatabaseMigration
        }
        return LayerMachine(facts, backlog: hasUnsent ? .kept : .none).state
    }
}
