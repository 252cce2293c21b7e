import EngineCore
import FoundationEssentials
import GRDB
import Glibc

/// A copy of a server's SQLite database and the files stored with it, created while the server runs or is stopped. The
/// copy lacks the restore stamp file, so a server started on the copy detects that it is a backup.
///
/// The database is copied first, as a consistent state. If a file that it names has disappeared before it is copied,
/// because its document was deleted meanwhile, database and files are copied again.
package struct Backup {
    /// The server's data folder, and the path of its database.
    let data: String
    let database: String
    let folder: String

    /// - Parameter folder: the target; unchanged files of an earlier copy in it are reused.
    package init(of data: String, database: String? = nil, to folder: String) {
        self.data = data
        self.database = database ?? "\(data)/postilla.sqlite"
        self.folder = folder
    }

    package struct Report: Hashable, Sendable {
        package var documents: Int
        package var files: Int
        package var copiedFiles: Int
    }

    /// Creates the copy. Blocks; durable when it returns. An earlier copy stays intact until then.
    ///
    /// - Throws: ``BackupError``, ``StoreError``.
    package func make() throws -> Report {
        try checkPlace()
        try UnfinishedRestore.check(data)
        guard FileManager.default.fileExists(atPath: database) else {
            throw StoreError.unusable(database, "it does not exist")
        }
        try PrivateFiles.make(folder: folder)
        let lock = try FolderLock(folder: folder)
        defer { lock.release() }
        do { return try makeWhole() } catch let error as APIError where error == .storageFull {
            throw BackupError.diskFull(folder)
        }
    }

    /// The copy must lie apart from what it copies: a backup replaces files, and removes those that it does not name.
    private func checkPlace() throws {
        let (place, source) = (try RealPath(folder), try RealPath(data))
        func refuse(_ why: String) -> BackupError {
            .wrongPlace(folder, "\(why); choose a folder elsewhere for the copy")
        }
        guard !place.isWithin(source) else { throw refuse("it is in the server's data folder \(data)") }
        guard !source.isWithin(place) else { throw refuse("it contains the server's data folder \(data)") }
        // Its folder counts too: the database may be a link.
        for part in [try RealPath(database), try RealPath(Storage.folder(of: database))] where part.isWithin(place) {
            throw refuse("it contains the server's database \(database)")
        }
        for kind in ["pdf", "attachments"] {
            let own = FileStatus("\(data)/\(kind)")
            if let own, own.isSame(as: FileStatus("\(folder)/\(kind)")) {
                throw refuse("its folder \(kind) is the server's own")
            }
        }
        // No copy has these files, and the log of another database would damage the new one.
        for name in [RestoreStampFile.name, "postilla.sqlite-wal"] where FileStatus(link: "\(folder)/\(name)") != nil {
            throw refuse("a server has used it as its data folder (it contains \(name))")
        }
    }

    private func makeWhole() throws -> Report {
        var tries = 3
        while true {
            tries -= 1
            do { return try makeOnce() } catch let gone as Gone {
                if tries == 0 { throw StoreError.unusable(gone.path, "it is in the database but does not exist") }
            }
        }
    }

    /// A file that the copied database names is missing.
    private struct Gone: Error {
        var path: String
    }

    private func makeOnce() throws -> Report {
        let new = "\(folder)/postilla.sqlite.new"
        unlink(new)
        let named: NamedFiles
        var copiedFiles = 0
        do {
            try copyDatabase(to: new)
            // A copy of damaged rows must not replace an earlier one of intact rows.
            if let problem = try StoreCheck(path: new).problems().first {
                throw StoreError.unusable(database, "\(problem); the earlier copy is kept; see serve --check")
            }
            named = try names(in: new)
            for kind in named.kinds { copiedFiles += try copy(kind.names, kind.folder, suffix: kind.suffix) }
        } catch {
            unlink(new)
            throw error
        }
        guard rename(new, "\(folder)/postilla.sqlite") == 0 else {
            throw StoreError.folder(folder, String(cString: strerror(errno)))
        }
        try PrivateFiles.sync(folder: folder)
        // Remove the files that only an earlier copy named, and no others.
        for kind in named.kinds {
            let blobs = try FolderBlobs(folder: "\(folder)/\(kind.folder)", suffix: kind.suffix)
            for name in Set(try blobs.names()).subtracting(kind.names) where NamedFiles.isName(name) {
                blobs.remove(name)
            }
        }
        return Report(documents: named.documents, files: named.count, copiedFiles: copiedFiles)
    }

    private func copyDatabase(to path: String) throws {
        do {
            // Copy into an existing private file: other users could read a file that SQLite creates.
            try PrivateFiles.make(file: path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let source = try DatabaseQueue(path: database, configuration: configuration)
            try source.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            try source.close()
            try PrivateFiles.sync(file: path)
        } catch let error as DatabaseError {
            throw APIError.fullDisk(after: error) ?? StoreError.unusable(database, error.resultCode.description)
        }
    }

    private func names(in path: String) throws -> NamedFiles {
        do {
            let copy = try DatabaseQueue(path: path)
            defer { try? copy.close() }
            return try copy.read { try NamedFiles($0) }
        } catch let error as DatabaseError { throw StoreError.unusable(path, error.resultCode.description) }
    }

    /// - Returns: the number of files that were not in the copy yet.
    private func copy(_ names: Set<String>, _ kind: String, suffix: String) throws -> Int {
        let target = try FolderBlobs(folder: "\(folder)/\(kind)", suffix: suffix)
        let missing = names.subtracting(try target.names())
        for name in missing.sorted() { try copy("\(data)/\(kind)/\(name)\(suffix)", name, to: target) }
        return missing.count
    }

    private func copy(_ path: String, _ name: String, to target: FolderBlobs) throws {
        let source: FileBlob
        do { source = try FileBlob(path: path) } catch {
            guard FileManager.default.fileExists(atPath: path) else { throw Gone(path: path) }
            throw error
        }
        try target.keep(copyOf: source, at: path, as: name)
    }
}
