import Annotations
import EngineCore
import Postgres

/// The stores of a server, chosen by its options: one file with folders next to it, or a database for everything.
struct Storage: Sendable {
    let store: any LayerStore
    let mark: any RestoreMark
    let pdfs: any Blobs
    let attachments: any Blobs
    let uploadParts: any UploadParts
    /// The database and the queue of messages to other servers; nil without a cluster.
    let shared: (store: PostgresStore, mark: RestoreStampRow, notices: CoalescingQueue<ClusterMessage>)?
    let space: DiskSpace
    /// The damaged rows read so far; always empty for a database that checks its own pages.
    let damage: DamageLog
    /// Looks through all rows for damage; nil for a database that does it itself.
    let check: StoreCheck?
    let close: @Sendable () -> Void

    /// - Throws: ``StoreError``, `PostgresStoreError`.
    init(_ options: Server.Options) throws {
        let file = options.database ?? "\(options.dataFolder)/postilla.sqlite"
        let folders = [options.dataFolder] + (options.database == nil ? [] : [Self.folder(of: file)])
        let space = DiskSpace(
            options.postgres == nil ? folders : [options.dataFolder], hasRecords: options.postgres == nil,
            least: options.service.freeDiskBytes, probe: options.freeBytes, logger: options.logger)
        if let address = options.postgres {
            try self.init(address, options, space)
        } else {
            try self.init(
                file: file, folder: options.dataFolder, space, DamageLog(options.logger), now: options.now)
        }
    }

    static func folder(of file: String) -> String {
        let folder = file.split(scalar: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return folder.isEmpty ? (file.begins(with: "/") ? "/" : ".") : folder
    }

    private init(
        file: String, folder: String, _ space: DiskSpace, _ damage: DamageLog, now: @escaping @Sendable () -> Timestamp
    ) throws {
        let store = try SQLiteStore(path: file, damage: damage)
        self.damage = damage
        check = store.check
        self.store = store
        mark = RestoreDetector(store: store, folder: folder, now: now)
        self.space = space
        pdfs = try FolderBlobs(folder: "\(folder)/pdf", suffix: ".pdf", space: space)
        attachments = try FolderBlobs(folder: "\(folder)/attachments", suffix: "", space: space)
        uploadParts = try FolderParts(folder: "\(folder)/attachments/unfinished", space: space)
        shared = nil
        close = { try? store.close() }
    }

    private init(_ address: PostgresAddress, _ options: Server.Options, _ space: DiskSpace) throws {
        let folder = options.dataFolder
        let store = try PostgresStore(
            address, usesClock: options.usesDatabaseClock, patience: options.databasePatience)
        damage = DamageLog()
        check = nil
        let mark = RestoreStampRow(store: store, folder: folder, now: options.now)
        self.store = store
        self.mark = mark
        self.space = space
        pdfs = try DatabaseBlobs(PostgresBlobs(store, .pdf), arrivingIn: "\(folder)/incoming-pdf", space: space)
        attachments = try DatabaseBlobs(
            PostgresBlobs(store, .attachment), arrivingIn: "\(folder)/incoming-attachments", space: space)
        uploadParts = DatabaseParts(PostgresUploads(store), arrivingIn: attachments)
        shared = (store, mark, CoalescingQueue())
        close = { store.close() }
    }
}

/// A cache and its source differ. Thrown only where caches are checked (see `Server.Options.checksCaches`).
struct CacheDifference: Error, Hashable, CustomStringConvertible {
    var what: String
    var cached: String
    var stored: String

    init<Value>(_ what: String, cached: Value, stored: Value) {
        self.what = what
        (self.cached, self.stored) = ("\(cached)", "\(stored)")
    }

    var description: String { "cache of \(what) is \(cached), stored value is \(stored)" }
}
