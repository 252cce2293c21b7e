import Annotations
import EngineCore
import FileCore
import FoundationEssentials
import Glibc
import Synchronization

/// The store of one local PDF: the database that it has now, in memory or on disk. All calls block.
///
/// Transactions run on one thread. So do ``make(for:in:)``, ``open(in:)``, ``moveToDisk(_:)`` and ``remove()``, so that no
/// transaction is under way meanwhile.
final class FileStore: LayerStore {
    let document: String
    private let parents: FileFolders
    private let fence: String

    private struct Current {
        var database: FileDatabase
        var place: LocalFileCore.Place
    }

    private let current = Mutex<Current?>(nil)

    init(document: String, in parents: FileFolders, fence: String) {
        (self.document, self.parents, self.fence) = (document, parents, fence)
    }

    /// nil if no database exists.
    var place: LocalFileCore.Place? { current.withLock { $0?.place } }

    var database: FileDatabase? { current.withLock { $0?.database } }

    /// The folder of the database, or that in which it is made.
    var folder: String { parents.folder(of: document, in: place ?? .runtime) }

    private func used() throws -> FileDatabase {
        guard let database else { throw OwnFileError.notOpen }
        return database
    }

    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        while true {
            let database = try used()
            do { return try database.read(body) } catch {
                // It was moved meanwhile.
                guard let now = self.database, now !== database else { throw error }
            }
        }
    }

    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try used().write(body)
    }

    // MARK: On the thread of transactions

    /// Makes a database unless there is one.
    ///
    /// - Parameter path: of the PDF.
    func make(for path: String, in place: LocalFileCore.Place) throws {
        guard database == nil else { return }
        let parent = parents.parent(place)
        let made = try FileDatabase.create(document: document, path: path, in: parent, fence: fence)
        current.withLock { $0 = Current(database: made, place: place) }
    }

    /// - Throws: what ``FileDatabase/open(document:in:fence:)`` throws.
    func open(in place: LocalFileCore.Place) throws {
        let database = try FileDatabase.open(document: document, in: parents.parent(place), fence: fence)
        current.withLock { $0 = Current(database: database, place: place) }
    }

    /// Moves the database to disk with its attachments, unless it is there.
    ///
    /// - Parameter prepare: brings what else must be there first.
    func moveToDisk(_ prepare: () throws -> Void) throws {
        guard let old = database, place == .runtime else { return }
        try prepare()
        let folder = parents.folder(of: document, in: .data)
        // It was made by a move that failed.
        unlink(FileDatabase.path(in: folder))
        try FileBlobs.copy(from: old.folder, to: folder)
        let new = try old.copied(to: parents.data)
        current.withLock { $0 = Current(database: new, place: .data) }
        guard FileBlobs.areArriving(in: old.folder) else {
            // If something of it stays, the one on disk counts.
            _ = old.remove()
            return
        }
        // They are taken from there once they have arrived. The rest goes with the file.
        old.close()
        unlink(old.path)
    }

    /// Removes the database, and everything else that is kept of the file.
    ///
    /// - Returns: whether nothing is left.
    /// - Throws: ``FileDatabase/Problem/fenced``; nothing was removed then.
    func remove() throws(FileDatabase.Problem) -> Bool {
        do { try database?.giveUp() } catch FileDatabase.Problem.fenced { throw .fenced } catch {
            // A disk that is full does not keep it from being removed.
        }
        let last = current.withLock { current in
            defer { current = nil }
            return current
        }
        last?.database.close()
        let isGone = [parents.runtime, parents.data].map { FileDatabase.remove(document: document, in: $0) }
        return isGone.allSatisfy { $0 }
    }

    func close() { database?.close() }
}

/// Where the databases of local PDFs are, one folder for each.
struct FileFolders: Hashable, Sendable {
    /// On disk: of files with something to lose.
    let data: String
    /// Usually in memory, and gone with the engine's data: of all others.
    let runtime: String

    func parent(_ place: LocalFileCore.Place) -> String { place == .data ? data : runtime }

    func folder(of document: String, in place: LocalFileCore.Place) -> String { "\(parent(place))/\(document)" }

    func copies(of document: String) -> KeptCopy {
        KeptCopy(data: folder(of: document, in: .data), runtime: folder(of: document, in: .runtime))
    }
}
