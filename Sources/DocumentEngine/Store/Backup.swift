import EngineCore
import FoundationEssentials
import GRDB
import Glibc
import NIOCore

/// A copy of all that a server keeps in SQLite and beside it, made while it runs or rests. What the copy lacks of the
/// server's own folder is the mark: a server that is started on it sees by that that it is a backup.
///
/// The database is copied first, as it is at one moment. A file that it names may be gone by the time it is copied,
/// because its document was deleted meanwhile: then both are taken anew.
package struct Backup {
    /// The server's data folder, and its database where that is elsewhere.
    let data: String
    let database: String
    let folder: String

    /// - Parameter folder: where the copy goes; what is there of an earlier one is kept where it is the same.
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

    /// Blocks. Durable when it returns; an earlier copy is whole until then.
    ///
    /// - Throws: ``StoreError``.
    package func make() throws -> Report {
        try PrivateFiles.make(folder: folder)
        guard !PrivateFiles.isSame(folder, data) else {
            throw StoreError.folder(folder, "it is the server's own: a copy goes elsewhere")
        }
        let lock = try FolderLock(folder: folder)
        defer { lock.release() }
        var tries = 3
        while true {
            tries -= 1
            do { return try makeOnce() } catch let gone as Gone {
                if tries == 0 { throw StoreError.unusable(gone.path, "the database names it, and it is not there") }
            }
        }
    }

    /// A file that the copied database names and that is not there.
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
        // What only an earlier copy named goes when that copy has gone.
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
            throw StoreError.unusable(database, "it is not there")
        }
        do {
            // Into an empty file that is ours: one that SQLite makes could be read by others.
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
                    try String.fetchSet(database, sql: "SELECT sha256 FROM document"),
                    try String.fetchSet(database, sql: "SELECT sha256 FROM attachment")
                )
            }
        } catch let error as DatabaseError { throw StoreError.unusable(path, error.resultCode.description) }
    }

    /// - Returns: how many were not there yet.
    private func copy(_ names: Set<String>, _ kind: String, suffix: String) throws -> Int {
        let target = try FolderBlobs(folder: "\(folder)/\(kind)", suffix: suffix)
        let missing = names.subtracting(try target.names())
        for name in missing.sorted() { try copy("\(data)/\(kind)/\(name)\(suffix)", name, to: target) }
        return missing.count
    }

    /// A file whose bytes are not those its name stands for is told of, not copied.
    private func copy(_ path: String, _ name: String, to target: FolderBlobs) throws {
        let source: FileBlob
        do { source = try FileBlob(path: path) } catch {
            guard FileManager.default.fileExists(atPath: path) else { throw Gone(path: path) }
            throw error
        }
        let upload = try target.receive()
        while upload.bytes < source.length { try upload.write(try source.read(at: upload.bytes, 1 << 20)) }
        let received = try upload.finish()
        guard received.sha256 == name else { throw StoreError.unusable(path, "its bytes are not what its name says") }
        try target.keep(received)
    }
}
