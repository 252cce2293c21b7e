import Annotations
import FoundationEssentials
import Glibc

/// The places that a restore reads and writes, as real paths.
struct RestorePlaces {
    /// The backup.
    let copy: String
    /// The server's data folder.
    let data: String
    /// The folder that contains it: both names are changed there.
    let parent: String
    /// The server's database: in the data folder, or elsewhere.
    let database: String
    let isDatabaseElsewhere: Bool
    /// The new data folder until it is complete, beside the old one, so that one rename puts it in place.
    let new: String
    let newDatabase: String

    /// - Throws: ``BackupError``, ``StoreError``.
    init(copy copyPath: String, data dataPath: String, database databasePath: String) throws {
        guard FileStatus(copyPath) != nil else { throw BackupError.noBackup(copyPath, "it does not exist") }
        let (copy, data, database) = (try RealPath(copyPath), try RealPath(dataPath), try RealPath(databasePath))
        let new = try RealPath(data.path + ".restoring")
        (self.copy, self.data, self.database) = (copy.path, data.path, database.path)
        (parent, self.new) = (data.parent, data.path + ".restoring")
        guard !copy.isWithin(data), !data.isWithin(copy) else {
            throw BackupError.wrongPlace(dataPath, "the backup \(copyPath) and the data folder must lie apart")
        }
        guard !copy.isWithin(new) else {
            throw BackupError.wrongPlace(copyPath, "restore needs this place for itself; move the backup elsewhere")
        }
        guard !database.isWithin(copy) else {
            throw BackupError.wrongPlace(databasePath, "the database would be in the backup; change --store")
        }
        isDatabaseElsewhere = !database.isWithin(data)
        if isDatabaseElsewhere {
            guard !database.isWithin(new) else {
                throw BackupError.wrongPlace(databasePath, "restore needs this place for itself; change --store")
            }
            newDatabase = database.path + ".restoring"
        } else {
            guard let name = database.path(below: data) else {
                throw BackupError.wrongPlace(
                    databasePath, "it leads to the data folder by another path; change --store")
            }
            newDatabase = "\(self.new)/\(name)"
        }
    }

    // MARK: Checks

    func checkCopy() throws {
        guard FileStatus(copy)?.isFolder == true else { throw BackupError.noBackup(copy, "it is not a folder") }
        guard !UnfinishedRestore.isMarked(copy) else { throw BackupError.noBackup(copy, "it is an unfinished restore") }
        guard FileStatus(link: "\(copy)/postilla.sqlite")?.isFile == true else {
            throw BackupError.noBackup(copy, "it contains no postilla.sqlite")
        }
    }

    /// Whether a new folder can take the place of the old one.
    func checkData() throws {
        guard let status = FileStatus(data) else { return }
        guard status.isFolder else { throw StoreError.folder(data, "it is not a folder") }
        guard status.owner == geteuid() || geteuid() == 0 else {
            throw StoreError.folder(data, "it belongs to another user; restore as that user")
        }
        guard status.device == FileStatus(parent)?.device else { throw mountPoint }
    }

    var mountPoint: BackupError {
        .wrongPlace(data, "it is a mount point, which cannot be replaced; use a folder in it")
    }

    var cannotExchange: BackupError {
        .wrongPlace(
            data, "its file system cannot exchange two folders in one step; move it elsewhere, then restore again")
    }

    /// - Throws: ``BackupError/occupied(_:_:)``. An unfinished restore is no data: it contains only copies.
    func checkIsFree() throws {
        if FileStatus(data) != nil, !UnfinishedRestore.isMarked(data) {
            let names = try FileManager.default.contentsOfDirectory(atPath: data).sorted()
            guard names.isEmpty else { throw BackupError.occupied(data, names) }
        }
        let files = databaseFiles
        guard !isDatabaseElsewhere || files.isEmpty else {
            let names = files.compactMap { $0.split(scalar: "/").last.map(String.init) }
            throw BackupError.occupied(Storage.folder(of: database), names)
        }
    }

    /// The existing files of the old database.
    var databaseFiles: [String] { Self.files(of: database).filter { FileStatus(link: $0) != nil } }

    /// The paths of the files of a database: itself and its log.
    static func files(of database: String) -> [String] { ["", "-wal", "-shm", "-journal"].map { database + $0 } }
}
