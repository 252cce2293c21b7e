import EngineCore
import FoundationEssentials
import Glibc
import SQLite

/// The database of one local PDF: one SQLite file in a folder of its own.
///
/// All calls block. ``FileTables`` reads and writes what it has besides its layer.
final class FileDatabase: LayerStore {
    /// A random id, which says nothing about the path of the PDF.
    let document: String
    /// `<parent>/<document>`, which also has the copy of the PDF and the attachments.
    let folder: String
    /// The word of this engine. Once another engine has opened the database, nothing more is written.
    let fence: String
    private let store: SQLiteStore
    private let damage: DamageLog

    enum Problem: Error, Hashable {
        /// Another engine has opened it since.
        case fenced
        /// An engine was killed while it made the database. Nothing was ever answered from it.
        case unfinished
        /// Something has that name already.
        case exists
    }

    static let name = "file.sqlite"
    /// The name of a database that is being made.
    private static let newName = ".file.sqlite.new"

    var path: String { Self.path(in: folder) }

    static func path(in folder: String) -> String { "\(folder)/\(name)" }

    private init(_ document: String, _ folder: String, _ fence: String) throws {
        (self.document, self.folder, self.fence) = (document, folder, fence)
        damage = DamageLog()
        store = try SQLiteStore(path: Self.path(in: folder), damage: damage, kind: FileSchema.kind)
    }

    /// Makes a database.
    ///
    /// - Parameters:
    ///   - document: a new random id.
    ///   - path: of the PDF, absolute.
    static func create(document: String, path: String, in parent: String, fence: String) throws -> FileDatabase {
        let folder = "\(parent)/\(document)"
        guard access(Self.path(in: folder), F_OK) != 0 else { throw Problem.exists }
        try PrivateFiles.make(folder: folder)
        let new = "\(folder)/\(newName)"
        unlink(new)
        try write(try FileSchema.empty.get(), to: new)
        guard rename(new, Self.path(in: folder)) == 0 else { throw PrivateFiles.failure(in: folder) }
        let database = try FileDatabase(document, folder, fence)
        return try database.closingOnFailure {
            try database.store.write { store in
                let tables = try FileTables(store)
                try tables.separateNumbers()
                try tables.make(document: document, path: path, fence: fence)
            }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = PrivateFiles.create(file: path)
        guard descriptor >= 0 else { throw PrivateFiles.failure(in: Storage.folder(of: path)) }
        defer { Glibc.close(descriptor) }
        guard bytes.withUnsafeBytes({ PrivateFiles.writeAll($0, to: descriptor) }), fsync(descriptor) == 0 else {
            throw PrivateFiles.failure(in: Storage.folder(of: path))
        }
    }

    /// Opens a database for this engine. Whatever other engine has it open writes nothing more.
    ///
    /// - Throws: ``Problem/unfinished``; ``DamagedRow`` or ``StoreError`` if it cannot be used.
    static func open(document: String, in parent: String, fence: String) throws -> FileDatabase {
        let folder = "\(parent)/\(document)"
        var status = stat()
        guard stat(path(in: folder), &status) == 0 else {
            guard errno == ENOENT else { throw PrivateFiles.failure(in: folder) }
            throw Problem.unfinished
        }
        // It is made with all its tables.
        guard status.st_size > 0 else { throw DamagedRow(StoredTable.fileMeta.noun) }
        let database = try FileDatabase(document, folder, fence)
        return try database.closingOnFailure {
            try database.store.write { store in
                let tables = try FileTables(store)
                guard try tables.isMade() else { throw Problem.unfinished }
                guard try tables.document().isExactly(document) else {
                    throw DamagedRow(StoredTable.fileMeta.noun)
                }
                (_, _) = (try tables.path(), try tables.meta())
                try tables.setFence(fence)
            }
        }
    }

    private func closingOnFailure(_ body: () throws -> Void) throws -> FileDatabase {
        do { try body() } catch {
            close()
            throw error
        }
        return self
    }

    // MARK: Transactions

    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result { try store.read(body) }

    /// - Throws: ``Problem/fenced`` if another engine has opened the database since. The body does not run then.
    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try store.write { store in
            guard try FileTables(store).fence().isExactly(fence) else { throw Problem.fenced }
            return try body(store)
        }
    }

    /// How many damaged rows were read and left out since it was opened.
    var damagedRows: Int { damage.count }

    /// The check of everything in it, on a connection of its own.
    var check: StoreCheck { StoreCheck(path: path) }

    func close() { try? store.close() }

    // MARK: Places

    /// Makes the same database in another parent folder, in one step: after a kill or a power failure it is there as a
    /// whole, or not at all. This one stays, and must not be written meanwhile.
    ///
    /// - Throws: ``Problem/exists`` if one is there.
    func copied(to parent: String) throws -> FileDatabase {
        let folder = "\(parent)/\(document)"
        guard access(Self.path(in: folder), F_OK) != 0 else { throw Problem.exists }
        try PrivateFiles.make(folder: folder)
        let new = "\(folder)/\(Self.newName)"
        unlink(new)
        do {
            try PrivateFiles.make(file: new)
            try store.copy(to: new)
            try PrivateFiles.sync(file: new)
        } catch {
            unlink(new)
            throw error
        }
        guard rename(new, Self.path(in: folder)) == 0 else { throw PrivateFiles.failure(in: folder) }
        try PrivateFiles.sync(folder: folder)
        try PrivateFiles.sync(folder: parent)
        let copy = try FileDatabase(document, folder, fence)
        // The first transaction looks at the fence of the copy.
        return try copy.closingOnFailure { try copy.write { _ in } }
    }

    /// Gives up its contents: an engine that opens it later finds an unfinished database.
    ///
    /// - Throws: ``Problem/fenced`` if another engine has opened the database since. It keeps everything then.
    func giveUp() throws { try write { try FileTables($0).unmake() } }

    /// Closes and removes it as a whole: database, log, shared memory, and what else is in its folder. May be called
    /// again.
    ///
    /// - Returns: whether nothing is left.
    func remove() -> Bool {
        close()
        return Self.remove(document: document, in: Storage.folder(of: folder))
    }

    /// Removes the remains of a database that is not open, such as an unfinished one.
    ///
    /// - Returns: whether nothing is left.
    static func remove(document: String, in parent: String) -> Bool {
        let folder = "\(parent)/\(document)"
        // Without it, what is left belongs to an unfinished one.
        unlink(path(in: folder))
        try? FileManager.default.removeItem(atPath: folder)
        var status = stat()
        guard lstat(folder, &status) != 0, errno == ENOENT else { return false }
        do { try PrivateFiles.sync(folder: parent) } catch { return false }
        return true
    }

    /// Removes the files of a database that is not open and was never finished. What else is in its folder stays.
    static func removeUnfinished(document: String, in parent: String) {
        let folder = "\(parent)/\(document)"
        for end in ["", "-journal", "-wal", "-shm"] { unlink(path(in: folder) + end) }
        unlink("\(folder)/\(newName)")
    }

    /// The documents that have a folder in a parent folder, without those set aside. An unfinished one may have no
    /// database.
    static func documents(in parent: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        return names.filter { !$0.utf8.contains(UInt8(ascii: ".")) }.sorted()
    }
}

extension FileTables {
    /// Gives the layers and sets of base records of this database numbers that no other one has: an engine with many of
    /// them knows both by their numbers.
    fileprivate func separateNumbers() throws {
        var random = SystemRandomNumberGenerator()
        for table in ["layer", "base"] {
            try transaction.run(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", .text(table),
                .integer(Int64.random(in: 1..<(1 << 62), using: &random)))
        }
    }
}
