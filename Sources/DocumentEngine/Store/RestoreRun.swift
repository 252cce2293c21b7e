import Annotations
import EngineCore
import FoundationEssentials
import Glibc

/// The steps of a ``Restore``.
struct RestoreRun {
    private let settings: Restore
    private let places: RestorePlaces
    /// What a failure takes back, in reverse order. Once the new folder is in place, nothing is taken back.
    private var undo: [() -> Void] = []

    init(settings: Restore, places: RestorePlaces) { (self.settings, self.places) = (settings, places) }

    mutating func make() throws -> Restore.Report {
        // No server starts on the old folder, nor on the new one before it is complete.
        let old = try claim()
        defer { old.release() }
        var movedAside = try settleEarlierRun()
        let new = try begin()
        defer { new.release() }
        let contents = try fill()
        try putFolderInPlace()
        if places.isDatabaseElsewhere { movedAside += try putDatabaseInPlace() }
        try UnfinishedRestore.unmark(places.data)
        try settings.didStep()
        movedAside += (try? settleOldFolder()) ?? [places.new]
        return Restore.Report(
            documents: contents.files.documents, files: contents.files.count, movedAside: movedAside)
    }

    mutating func undoSteps() {
        while let step = undo.popLast() { step() }
    }

    // MARK: The data folder

    /// Locks the data folder, and creates it if it is missing. An empty one is marked: if the restore is interrupted, a
    /// server would otherwise start without data.
    private mutating func claim() throws -> FolderLock {
        let data = places.data
        if FileStatus(data) == nil {
            if FileStatus(places.parent) == nil { try PrivateFiles.make(folder: places.parent) }
            guard mkdir(data, 0o700) == 0 else { throw Self.failure(data) }
            undo.append { rmdir(data) }
            try settings.didStep()
        }
        let lock = try FolderLock(folder: data, held: "a server or another restore is using it; stop it first")
        if !settings.replaces { try places.checkIsFree() }
        if try FileManager.default.contentsOfDirectory(atPath: data).isEmpty {
            undo.append { try? UnfinishedRestore.unmark(data) }
            try UnfinishedRestore.mark(data)
        }
        try settings.didStep()
        return lock
    }

    // MARK: The new folder

    private mutating func begin() throws -> FolderLock {
        guard mkdir(places.new, 0o700) == 0 else { throw Self.failure(places.new) }
        undo.append { [places] in
            if Self.isRemovable(places.new) { try? UnfinishedRestore.remove(places.new) }
            guard places.isDatabaseElsewhere else { return }
            for path in RestorePlaces.files(of: places.newDatabase) { unlink(path) }
        }
        try settings.didStep()
        let lock = try FolderLock(folder: places.new, held: Self.isRunning)
        try UnfinishedRestore.mark(places.new)
        try settings.didStep()
        return lock
    }

    private func fill() throws -> BackupCheck.Contents {
        let contents = try fillDatabase()
        if let free = settings.freeBytes(places.parent), free < contents.bytes {
            throw BackupError.diskFull(places.parent, needed: contents.bytes)
        }
        for kind in contents.files.kinds {
            let blobs = try FolderBlobs(folder: "\(places.new)/\(kind.folder)", suffix: kind.suffix)
            for name in kind.names.sorted() {
                let path = "\(places.copy)/\(kind.folder)/\(name)\(kind.suffix)"
                try blobs.keep(copyOf: try FileBlob(path: path), at: path, as: name)
                try settings.didStep()
            }
        }
        // A database without a restore stamp is recognised as restored only beside a file with one.
        if !contents.hasStamp { try RestoreStampFile(folder: places.new).keep(["restored"]) }
        try keepOwner()
        try PrivateFiles.sync(folder: places.new)
        try settings.didStep()
        return contents
    }

    /// Copies the database and verifies the backup.
    private func fillDatabase() throws -> BackupCheck.Contents {
        do {
            try copyDatabase()
            try settings.didStep()
            let contents = try BackupCheck(folder: places.copy, database: places.newDatabase).contents()
            // The check may have written a log back.
            try PrivateFiles.sync(file: places.newDatabase)
            try settings.didStep()
            return contents
        } catch let error as APIError where error == .storageFull {
            throw BackupError.diskFull(Storage.folder(of: places.newDatabase))
        }
    }

    /// Copies the log too: a backup by other means may have one, without which its database is older.
    private func copyDatabase() throws {
        for path in RestorePlaces.files(of: places.newDatabase) { unlink(path) }
        let folder = Storage.folder(of: places.newDatabase)
        if !places.isDatabaseElsewhere { try PrivateFiles.make(folder: folder) }
        for suffix in ["", "-wal"] where FileStatus(link: "\(places.copy)/postilla.sqlite\(suffix)") != nil {
            try PrivateFiles.copy(
                file: "\(places.copy)/postilla.sqlite\(suffix)", to: places.newDatabase + suffix)
        }
        try PrivateFiles.sync(folder: folder)
    }

    /// Root restores for the server's user.
    private func keepOwner() throws {
        guard geteuid() == 0, let old = FileStatus(places.data), old.owner != 0 else { return }
        var paths = try FileManager.default.subpathsOfDirectory(atPath: places.new).map { "\(places.new)/\($0)" }
        paths += [places.new] + (places.isDatabaseElsewhere ? [places.newDatabase] : [])
        for path in paths where lchown(path, old.owner, old.group) != 0 { throw Self.failure(path) }
    }

    // MARK: Putting it in place

    private mutating func putFolderInPlace() throws {
        if !settings.exchange(places.new, places.data) {
            let code = errno
            guard code != EBUSY else { throw places.mountPoint }
            guard [EINVAL, ENOSYS].contains(code) else { throw Self.failure(places.data, code) }
            // The file system cannot do this. A folder without data can be replaced in two steps.
            guard Self.isRemovable(places.data) else { throw places.cannotExchange }
            try UnfinishedRestore.remove(places.data)
            try move(places.new, to: places.data)
        }
        undo = []
        try PrivateFiles.sync(folder: places.parent)
        try settings.didStep()
    }

    /// - Returns: where the old database is now.
    private func putDatabaseInPlace() throws -> [String] {
        let old = places.databaseFiles
        let aside = freeName(for: places.database)
        for path in old {
            try move(path, to: aside + path.dropFirst(places.database.count))
            try settings.didStep()
        }
        try move(places.newDatabase, to: places.database)
        try PrivateFiles.sync(folder: Storage.folder(of: places.database))
        try settings.didStep()
        return old.isEmpty ? [] : [aside]
    }

    // MARK: The old folder

    /// An interrupted run left a folder that it was building, or the old folder after the exchange.
    private func settleEarlierRun() throws -> [String] {
        guard let status = FileStatus(link: places.new) else { return [] }
        guard status.isFolder else { throw StoreError.folder(places.new, "restore needs this place; remove it") }
        let lock = try FolderLock(folder: places.new, held: Self.isRunning)
        defer { lock.release() }
        return try settleOldFolder()
    }

    /// Moves the old folder aside, which has the new one's name since the exchange.
    private func settleOldFolder() throws -> [String] {
        guard FileStatus(link: places.new) != nil else { return [] }
        if Self.isRemovable(places.new) {
            try UnfinishedRestore.remove(places.new)
            return []
        }
        let aside = freeName(for: places.data)
        try move(places.new, to: aside)
        try PrivateFiles.sync(folder: places.parent)
        return [aside]
    }

    /// Whether a folder is empty, or holds nothing but copies.
    private static func isRemovable(_ folder: String) -> Bool {
        guard FileStatus(link: folder)?.isFolder == true else { return false }
        return UnfinishedRestore.isMarked(folder)
            || (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == true
    }

    // MARK: Names and errors

    /// A name for what is moved aside, with the time: `postilla.replaced-20270115T080000Z`.
    private func freeName(for path: String) -> String {
        let time = settings.now.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" }
        let name = "\(path).replaced-\(time)Z"
        func isFree(_ name: String) -> Bool { RestorePlaces.files(of: name).allSatisfy { FileStatus(link: $0) == nil } }
        if isFree(name) { return name }
        var count = 2
        while !isFree("\(name)-\(count)") { count += 1 }
        return "\(name)-\(count)"
    }

    private func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw Self.failure(path) }
    }

    private static func failure(_ path: String, _ code: CInt = errno) -> any Error {
        if let full = APIError.fullDisk(errno: code) { return full }
        let why = String(cString: strerror(code))
        guard [EACCES, EPERM, EROFS].contains(code) else { return StoreError.folder(path, why) }
        return StoreError.folder(
            path, "\(why); the new data is built beside the old, so the folder around it must be writable")
    }

    private static let isRunning = "another restore is running"
}
