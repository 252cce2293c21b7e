import Annotations
import Dispatch
import GRDB
import GRDBSQLite
import Glibc
package import InstantCore
import SQLite
import Synchronization

/// A layer in one SQLite file, in WAL mode. Edits are on disk before they are reported (`synchronous` FULL; NORMAL for
/// data that the server can send again), and readers never wait for a writer. Several processes may open one file;
/// writers take turns.
final class LocalSQLiteStore: LocalStore {
    let path: String
    let connections: any DatabaseWriter
    /// nil in memory.
    private let writeAheadLog: WriteAheadLog?
    /// The calls that use a connection.
    private let uses = DispatchGroup()
    private let isClosed = Mutex(false)
    let cache = StatementCache()
    let metadata: LayerMetadataCache
    let log = DamageLog()
    /// The file that was opened; nil in memory.
    private let opened: FileIdentity?
    /// Held while the file is open, so that a repair does not replace it.
    private let inUse: Mutex<FileLock?>
    let label: Mutex<LayerLabel?>
    /// The version of the tables.
    private let version: Int

    var damage: [StoredDamage] { log.all }

    /// Opens the file and creates missing tables.
    ///
    /// - Parameters:
    ///   - mayUpgrade: false if another program may have the file open.
    ///   - checksMetadata: Whether to compare cached metadata with the stored text each time; for tests.
    /// - Throws: ``LocalStoreError``; a file that is damaged or newer than this program is not changed.
    convenience init(
        path: String, schema: LocalSchema = .current, mayUpgrade: Bool = true, checksMetadata: Bool = false
    ) throws {
        try self.init(path: path, version: schema.version, checksMetadata: checksMetadata) { db in
            // SQLite silently falls back to read-only access, and only the first edit would fail.
            guard sqlite3_db_readonly(db.sqliteConnection, "main") != 1 else {
                guard access(path, W_OK) == 0 else {
                    throw LocalStoreError.failed(path: path, "it is read-only; check the file and the file system")
                }
                throw LocalStoreError.corrupt(path: path, "its header says that it is read-only")
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
    /// How long a connection waits for another one, in seconds.
    private static let patience = 10

    private init(
        path: String?, version: Int = LocalSchema.current.version, checksMetadata: Bool = false,
        prepare: (Database) throws -> Void
    ) throws {
        self.path = path ?? Self.noPath
        writeAheadLog = path.map { WriteAheadLog(of: $0) }
        self.version = version
        metadata = LayerMetadataCache(isChecked: checksMetadata)
        let (lock, label) = try path.map { try Self.enter($0) } ?? (nil, nil)
        inUse = Mutex(lock)
        self.label = Mutex(label)
        if let lost = label?.lostCommits, lost > 0 { log.note(.lostCommits(lost)) }
        var configuration = Configuration()
        configuration.label = "postilla.layer"
        configuration.busyMode = .timeout(Double(Self.patience))
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            try TextFunctions.add(to: db)
            try RowChecksumFunction.add(to: db)
        }
        do {
            if let path {
                connections = try Self.pool(path, configuration)
            } else {
                connections = try DatabaseQueue(configuration: configuration)
            }
            opened = path.flatMap { FileIdentity($0) }
            try connections.writeWithoutTransaction { db in
                // Set here, not in the configuration, because GRDB relaxes it when it enables the write-ahead log.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                writeAheadLog?.attach(to: db)
                try prepare(db)
            }
        } catch LocalStoreError.newerSchema(_, let found, let known) where (label?.schema ?? found) <= known {
            throw LocalStoreError.corrupt(path: self.path, "its version number has changed")
        } catch { throw LocalStoreError(error, path: self.path) }
    }

    /// Opens the file, again while it is busy: SQLite does not wait as `busyMode` says if two connections give a new file
    /// its write-ahead log at the same time. One of them fails at once.
    private static func pool(_ path: String, _ configuration: Configuration) throws -> DatabasePool {
        let end = ContinuousClock.now + .seconds(patience)
        while true {
            do { return try DatabasePool(path: path, configuration: configuration) } catch let error as DatabaseError
                where error.resultCode == .SQLITE_BUSY && .now < end
            {
                usleep(5000)
            }
        }
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
        guard isCurrent else {
            throw LocalStoreError.failed(path: path, "it was removed by another program; open the layer again")
        }
        do {
            return try using {
                defer { if let pdf = metadata.pdfSHA256 { relabel(pdf) } }
                return try connections.writeWithoutTransaction { db in
                    let transaction = try transaction(db)
                    try transaction.statements.wait(durability == .synced ? .always : .never)
                    func commit() throws -> T {
                        // Immediate: a transaction that reads first must not fail at its first write.
                        try transaction.committing("BEGIN IMMEDIATE") { try body(transaction) }
                    }
                    guard let writeAheadLog else { return try commit() }
                    return try writeAheadLog.securing(transaction.statements, commit)
                }
            }
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    /// Whether the file still has its name. If not, another program removed it, and nothing written now can be read again.
    var isCurrent: Bool { opened.map { $0 == FileIdentity(path) } ?? true }

    /// Returns a number that changes after another process (or another store on the same file) has written.
    func foreignVersion() -> Int64? {
        try? using {
            try connections.writeWithoutTransaction {
                try Int64.fetchOne($0.cachedStatement(sql: "PRAGMA data_version"))
            }
        }
    }

    /// Moves everything from the write-ahead log to the database.
    func checkpoint() throws {
        do {
            try using {
                try connections.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            }
        } catch { throw LocalStoreError.orOther(error, path: path) }
    }

    /// The longest log that is kept.
    private static let mostLogBytes: off_t = 1 << 20

    /// Empties the write-ahead log if it is long. If a reader holds the log for more than 100 ms, leaves it for the next
    /// call.
    ///
    /// Opening the file reads the whole log, including the part already copied to the database. After a first sync, that
    /// delays every later start.
    func emptyLog() {
        var info = stat()
        guard let writeAheadLog, stat(path + "-wal", &info) == 0, info.st_size > Self.mostLogBytes else { return }
        try? using {
            try connections.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = 100")
                defer { try? db.execute(sql: "PRAGMA busy_timeout = \(Self.patience * 1000)") }
                try writeAheadLog.securing(try cache.statements(of: db)) {
                    try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                }
            }
        }
    }

    /// Waits for the calls that use the file, and closes it. Later calls throw.
    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        uses.wait()
        guard !wasClosed else { return }
        try? connections.barrierWriteWithoutTransaction { db in
            // Closing may write the log back into the file.
            try? writeAheadLog?.secure(try cache.statements(of: db))
            cache.finalize()
        }
        try? connections.close()
        inUse.withLock { $0 = nil }
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
        LocalSQLiteTransaction(db: db, statements: try cache.statements(of: db), known: metadata, damage: log)
    }
}

extension LocalStoreError {
    init(_ error: any Error, path: String) {
        switch error {
        case let error as LocalStoreError: self = error
        // The statements are fixed: one that fails finds other tables than were written.
        case let error as DatabaseError
        where [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_FORMAT].contains(
            error.resultCode.primaryResultCode):
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
            try (store as? LocalSQLiteTransaction).flatMap { try $0.hasMetadata() ? try $0.metadata() : nil }
        }
        if let present, present.identity == identity { return putLabel(identity, pdf: present.pdfSHA256) }
        if let present, present.identity.isSpelling(of: identity) {
            try write { store in
                var metadata = try store.metadata()
                metadata.identity = identity
                try store.set(metadata)
            }
            return putLabel(identity, pdf: present.pdfSHA256)
        }
        let known = try write { store -> LayerIdentity in
            if let transaction = store as? LocalSQLiteTransaction, try !transaction.hasMetadata() {
                var random = SystemRandomNumberGenerator()
                try store.set(LayerMetadata(identity: identity, clientID: ULID.make(at: now, using: &random)))
            }
            return try store.metadata().identity
        }
        guard known == identity else { throw LocalStoreError.corrupt(path: path, "it contains a different layer") }
        putLabel(identity, pdf: "")
    }
}

extension LayerIdentity {
    /// Whether it differs only in the spelling of the address.
    fileprivate func isSpelling(of other: LayerIdentity) -> Bool {
        var form = self
        form.server = ServerAddress.oneForm(of: server)
        return form == other
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

// The label beside the file.
extension LocalSQLiteStore {
    /// Waits for a running repair, completes an interrupted one, and reads the label. Notes in it if commits are missing
    /// from the write-ahead log, because SQLite would open the file without a word.
    ///
    /// - Returns: The lock to hold while the file is open; nil if the folder cannot be written.
    /// - Throws: ``LocalStoreError`` if another process is repairing the store.
    private static func enter(_ path: String) throws -> (FileLock?, LayerLabel?) {
        var lock: FileLock?
        repeat {
            lock = nil
            try LayerRepair.complete(path)
            lock = try inUse(path)
            // A repair may have begun, and been interrupted, before the lock was taken.
        } while LayerRepair.isInterrupted(path)
        let place = LayerLabel.path(besides: path)
        lock?.ifAlone {
            // SQLite's locks end with any descriptor of these files: this process must not have them open either.
            let lost = LostCommits.count(besides: path)
            guard lost > 0 else { return }
            var label = LayerLabel.read(place).label ?? LayerLabel()
            label.lostCommits = max(label.lostCommits, lost)
            try? label.write(to: place)
        }
        return (lock, LayerLabel.read(place).label)
    }

    private static func inUse(_ path: String) throws -> FileLock? {
        let file = LayerRepair.lock(besides: path)
        do { return try FileLock(taking: file, shared: true, milliseconds: LayerRepair.patience) } catch {
            switch error {
            // Nothing that cannot be written is repaired either.
            case _ where error.isReadOnly: return nil
            case .held, .replaced: throw LayerRepair.isRunning(path)
            case .failed(let number):
                throw LocalStoreError.failed(path: path, "cannot lock \(file): \(String(cString: strerror(number)))")
            }
        }
    }

    /// Writes the label if it does not say this yet. A label that cannot be written is written later.
    func putLabel(_ identity: LayerIdentity, pdf: String) {
        let old = label.withLock { $0 }
        var new = old ?? LayerLabel()
        (new.identity, new.pdfSHA256, new.schema) = (identity, pdf, version)
        guard new != old || new.outboxPage == 0 else { return }
        let pages = try? connections.read { db in
            try Row.fetchAll(db, sql: "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'")
                .reduce(into: [String: Int]()) { $0[$1[0]] = $1[1] }
        }
        (new.factsPage, new.outboxPage) = (pages?["facts"] ?? 0, pages?["outbox"] ?? 0)
        if (try? new.write(to: LayerLabel.path(besides: path))) != nil { label.withLock { [new] in $0 = new } }
    }

    /// Writes the label again after the layer got another PDF.
    private func relabel(_ pdf: String) {
        guard let known = label.withLock({ $0 }), let identity = known.identity, known.pdfSHA256 != pdf else { return }
        putLabel(identity, pdf: pdf)
    }
}
