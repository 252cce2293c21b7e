import EngineCore
import FoundationEssentials
import GRDB
import Glibc
import NIOCore

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
    /// - Throws: ``StoreError``.
    package func make() throws -> Report {
        try PrivateFiles.make(folder: folder)
        guard !PrivateFiles.isSame(folder, data) else {
            throw StoreError.folder(folder, "it is the server's own folder; use another one for the copy")
        }
        let lock = try FolderLock(folder: folder)
        defer { lock.release() }
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
        try copyDatabase(to: new)
        let names = try self.names(in: new)
        let pdfs = try copy(names.pdfs, "pdf", suffix: ".pdf")
        let attachments = try copy(names.attachments, "attachments", suffix: "")
        guard rename(new, "\(folder)/postilla.sqlite") == 0 else {
            throw StoreError.folder(folder, String(cString: strerror(errno)))
        }
        try PrivateFiles.sync(folder: folder)
        // Remove the files that only an earlier copy named.
        for (kind, suffix, kept) in [("pdf", ".pdf", names.pdfs), ("attachments", "", names.attachments)] {
            let blobs = try FolderBlobs(folder: "\(folder)/\(kind)", suffix: suffix)
            for name in Set(try blobs.names()).subtracting(kept) { blobs.remove(name) }
        }
        return Report(
            documents: names.documents, files: names.pdfs.count + names.attachments.count,
            copiedFiles: pdfs + attachments)
    }

    private func copyDatabase(to path: String) throws {
        guard FileManager.default.fileExists(atPath: database) else {
            throw StoreError.unusable(database, "it does not exist")
        }
        do {
            // Copy into an existing private file: other users could read a file that SQLite creates.
            try PrivateFiles.make(file: path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let source = try DatabaseQueue(path: database, configuration: configuration)
            try source.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [path]) }
            try source.close()
            try PrivateFiles.sync(file: path)
        } catch let error as DatabaseError { throw StoreError.unusable(database, error.resultCode.description) }
    }

    private func names(in path: String) throws -> (documents: Int, pdfs: Set<String>, attachments: Set<String>) {
        do {
            let copy = try DatabaseQueue(path: path)
            defer { try? copy.close() }
            return try copy.read { database in
                (
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM document") ?? 0,
                    try Self.pdfs(in: database),
                    try String.fetchSet(database, sql: "SELECT sha256 FROM attachment")
                )
            }
        } catch let error as DatabaseError { throw StoreError.unusable(path, error.resultCode.description) }
    }

    private static func pdfs(in database: Database) throws -> Set<String> {
        let originals = try String.fetchSet(database, sql: "SELECT sha256 FROM document")
        // A store that this version has not opened yet has no stripped files.
        guard try database.columns(in: "document").contains(where: { $0.name == "stripped_sha256" }) else {
            return originals
        }
        let stripped = "SELECT stripped_sha256 FROM document WHERE stripped_sha256 IS NOT NULL"
        return try originals.union(String.fetchSet(database, sql: stripped))
    }

    /// - Returns: the number of files that were not in the copy yet.
    private func copy(_ names: Set<String>, _ kind: String, suffix: String) throws -> Int {
        let target = try FolderBlobs(folder: "\(folder)/\(kind)", suffix: suffix)
        let missing = names.subtracting(try target.names())
        for name in missing.sorted() { try copy("\(data)/\(kind)/\(name)\(suffix)", name, to: target) }
        return missing.count
    }

    /// Copies a file; throws if its bytes do not match its name.
    private func copy(_ path: String, _ name: String, to target: FolderBlobs) throws {
        let source: FileBlob
        do { source = try FileBlob(path: path) } catch {
            guard FileManager.default.fileExists(atPath: path) else { throw Gone(path: path) }
            throw error
        }
        let upload = try target.receive()
        while upload.bytes < source.length { try upload.write(try source.read(at: upload.bytes, 1 << 20)) }
        let received = try upload.finish()
        guard received.sha256 == name else { throw StoreError.unusable(path, "its SHA-256 does not match its name") }
        try target.keep(received)
    }
}
