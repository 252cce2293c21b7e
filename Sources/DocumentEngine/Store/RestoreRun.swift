import Annotations
import EngineCore
import FoundationEssentials
import GRDB
import Glibc

/// The steps of a ``Restore``.
struct RestoreRun {
    private let settings: Restore
    private let places: RestorePlaces
    /// What a failure takes back, in reverse order. Once the new folder is in place, nothing is taken back.
    private var undo: [() -> Void] = []
    /// What was at the place before; nil: no database.
    private var earlier: EarlierData?
    /// What an interrupted restore was told, before and after it had put the new folder in place.
    private var (memoryOfNew, memoryOfData): (RestoreMemory?, RestoreMemory?)

    init(settings: Restore, places: RestorePlaces) { (self.settings, self.places) = (settings, places) }

    mutating func make() throws -> Restore.Report {
        // No server starts on the old folder, nor on the new one before it is complete.
        let old = try claim()
        defer { old.release() }
        try readEarlierData()
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
            documents: contents.documents, files: contents.count, movedAside: movedAside, uncertainty: uncertainty)
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

    // MARK: What must not go back in time

    /// Reads the database that is replaced.
    private mutating func readEarlierData() throws {
        memoryOfNew = UnfinishedRestore.memory(of: places.new)
        memoryOfData = UnfinishedRestore.memory(of: places.data)
        // A restore was interrupted after the exchange of the folders, when the old database was moved aside and the
        // new one, which is complete, not yet put in place.
        if places.isDatabaseElsewhere, memoryOfData != nil, places.databaseFiles.isEmpty,
            FileStatus(link: places.newDatabase) != nil
        {
            try move(places.newDatabase, to: places.database)
            try PrivateFiles.sync(folder: Storage.folder(of: places.database))
        }
        guard FileStatus(places.database)?.isFile == true else { return }
        let found = EarlierData(of: places.database, now: settings.now)
        if !found.isEmpty { earlier = found }
    }

    /// Takes revocations and deletions over into the new database, and does what was decided about what would return.
    private func carryOver() throws {
        let backup = EarlierData(of: places.newDatabase, now: settings.now)
        guard let earlier else { return }
        var changes = ChangesSinceBackup(since: backup, in: earlier)
        if let memoryOfData { changes.add(memoryOfData.changes) }
        if !changes.isEmpty { settings.found(changes) }
        let told = [memoryOfData, memoryOfNew].compactMap(\.self).first { changes.isCovered(by: $0.changes) }
        guard let answer = settings.deleted ?? told?.answer ?? (changes.isEmpty ? .stay : nil) else {
            throw BackupError.undecided(changes)
        }
        let memory = RestoreMemory(answer, changes)
        try UnfinishedRestore.remember(memory, in: places.new)
        try settings.didStep()
        try CarryOver(earlier: earlier, source: places.database, memory: memory, now: settings.now)
            .perform(since: backup, in: places.newDatabase)
        try PrivateFiles.sync(file: places.newDatabase)
        try settings.didStep()
    }

    private var uncertainty: Restore.Uncertainty? {
        guard let reason = earlier.map(\.problem) ?? "there is no earlier data" else { return nil }
        return Restore.Uncertainty(
            since: FileStatus("\(places.copy)/postilla.sqlite")?.changed ?? settings.now, reason: reason)
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

    private func fill() throws -> NamedFiles {
        let contents = try fillDatabase()
        let files = try files(of: contents)
        if let free = settings.freeBytes(places.parent), free < contents.bytes {
            throw BackupError.diskFull(places.parent, needed: contents.bytes)
        }
        for (kind, known) in zip(files.kinds, contents.files.kinds) {
            let blobs = try FolderBlobs(folder: "\(places.new)/\(kind.folder)", suffix: kind.suffix)
            for name in kind.names.sorted() {
                // The backup lacks the newer PDF of an overwritten document.
                let folder = known.names.contains(name) ? places.copy : places.data
                let path = "\(folder)/\(kind.folder)/\(name)\(kind.suffix)"
                try blobs.keep(copyOf: try FileBlob(path: path), at: path, as: name)
                try settings.didStep()
            }
        }
        // A database without a restore stamp is recognised as restored only beside a file with one.
        if !contents.hasStamp { try RestoreStampFile(folder: places.new).keep(["restored"]) }
        try keepOwner()
        try PrivateFiles.sync(folder: places.new)
        try settings.didStep()
        return files
    }

    /// Returns what the new database names, once it is as it will be served.
    private func files(of contents: BackupCheck.Contents) throws -> NamedFiles {
        do {
            try carryOver()
            return try EarlierData.reading(places.newDatabase) { database, _ in try NamedFiles(database) }
        } catch let error as DatabaseError {
            guard let full = APIError.fullDisk(after: error) else {
                throw StoreError.unusable(places.newDatabase, error.resultCode.description)
            }
            throw full == .storageFull ? BackupError.diskFull(Storage.folder(of: places.newDatabase)) : full
        }
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
            try move(path, to: aside + (path.dropping(prefix: places.database) ?? ""))
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
        let time = settings.now.iso8601.prefix(scalars: 19).filter { $0 != "-" && $0 != ":" }
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
