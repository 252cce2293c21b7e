package import Annotations
import EngineCore

/// Puts a backup in place as a server's data. The result has no restore stamp file, so a server that starts on it
/// detects the restore.
///
/// The new data folder is built beside the old one and takes its place in one step, so that a server finds the old data
/// or the new, wherever the restore is interrupted. If the database is outside the folder, it follows in a second step;
/// between the two, no server starts (``UnfinishedRestore``).
package struct Restore {
    let copy: String
    let data: String
    let database: String
    let replaces: Bool
    let deleted: DeletedAnswer?
    let now: Timestamp
    /// Called once, before anything is changed, if something was deleted or overwritten since the backup.
    package var found: (ChangesSinceBackup) -> Void = { _ in }
    /// The free bytes of a folder's disk; nil: unknown.
    var freeBytes: (String) -> Int64? = DiskSpace.system
    /// Exchanges two folders; false on failure, with the cause in `errno`.
    var exchange: (String, String) -> Bool = PrivateFiles.exchange
    /// Called after each step.
    var didStep: () throws -> Void = {}

    /// - Parameters:
    ///   - copy: the backup.
    ///   - data: the server's data folder.
    ///   - database: the path of the server's database; nil: in the data folder.
    ///   - replacing: whether existing data may be moved aside.
    ///   - deleted: what becomes of what was deleted or overwritten since the backup; nil: if there is any, the restore
    ///     fails with ``BackupError/undecided(_:)``, unless an interrupted one was told.
    ///   - now: names what is moved aside.
    package init(
        of copy: String, to data: String, database: String? = nil, replacing: Bool = false,
        deleted: DeletedAnswer? = nil, now: Timestamp
    ) {
        (self.copy, self.data, self.database) = (copy, data, database ?? "\(data)/postilla.sqlite")
        (replaces, self.deleted, self.now) = (replacing, deleted, now)
    }

    /// Revocations and deletions that may be missing in the restored data.
    package struct Uncertainty: Hashable, Sendable {
        /// The time of the backup, as its file says.
        package var since: Timestamp
        /// Why they are unknown.
        package var reason: String
    }

    package struct Report: Hashable, Sendable {
        package var documents: Int
        package var files: Int
        /// Where existing data was moved.
        package var movedAside: [String] = []
        /// nil: all revocations and deletions since the backup were taken over.
        package var uncertainty: Uncertainty?
    }

    /// Verifies the backup, and restores it. Blocks; durable when it returns.
    ///
    /// - Throws: ``BackupError``, ``StoreError``.
    package func make() throws -> Report {
        let places = try RestorePlaces(copy: copy, data: data, database: database)
        try places.checkCopy()
        let lock = try FolderLock(
            folder: places.copy, isShared: true, held: "a server or a backup is writing to it; stop it first")
        defer { lock.release() }
        try places.checkData()
        var run = RestoreRun(settings: self, places: places)
        do { return try run.make() } catch {
            run.undoSteps()
            guard error as? APIError == .storageFull else { throw error }
            throw BackupError.diskFull(places.parent)
        }
    }
}
