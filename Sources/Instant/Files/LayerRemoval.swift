import Glibc
import InstantCore

/// The removal of one layer. While this value exists, no other process can open a store of the layer, so that nothing is
/// written to it between the last look and the removal.
final class LayerRemoval: Sendable {
    let folder: String
    /// The store that this process has open.
    private let own: OpenStore?
    private let locks: [FileLock]
    private let stores: [String]

    /// How long to wait for a process that reads or moves the layer's edits at this moment, in milliseconds.
    private static let patience = 1000

    /// - Parameter own: The store that the caller has open, if any; no other one may be.
    /// - Throws: `couldNotRemoveDiskCacheEntries` if the layer is open elsewhere, with the processes' numbers.
    init(of folder: String, open own: OpenStore? = nil) throws(InstantError) {
        self.folder = folder
        var (stores, locks): ([String], [FileLock]) = ([], [])
        var isReserved = false
        do throws(InstantError) {
            // Again and again: a process may have made another store before its own one was locked here.
            while let store = try Self.stores(of: folder).first(where: { !stores.contains($0) }) {
                stores.append(store)
                guard store != own?.folder else {
                    guard let lock = own?.reserve() else { throw Self.isOpen(store) }
                    isReserved = true
                    // Held here too, so that it outlives the store.
                    locks.append(lock)
                    continue
                }
                guard Self.exists(store) else { continue }
                locks.append(try Self.lock(Folders.use(in: store)) { Self.isOpen(store) })
            }
        } catch {
            if isReserved { own?.becomeShared() }
            throw error
        }
        (self.stores, self.locks, self.own) = (stores, locks, own)
    }

    deinit { own?.becomeShared() }

    /// Returns what the removal loses.
    func losses() -> LayerLosses { withExtendedLifetime(self) { LayerLosses(of: stores) } }

    /// Removes the layer. The caller has closed its own store.
    func run() throws(InstantError) {
        guard Self.exists(folder) else { return }
        var repairs: [FileLock] = []
        for store in stores where Self.exists(store) {
            let path = LayerRepair.lock(besides: Folders.database(in: store))
            repairs.append(
                try Self.lock(path) {
                    Self.stays("\(store) is being read or repaired by \(FileUsers.names(of: path)); try again later")
                })
        }
        try Folders.remove(layer: folder)
        withExtendedLifetime((self, repairs)) {}
    }

    private static func stores(of folder: String) throws(InstantError) -> [String] {
        [folder] + (try Folders.readableEntries(folder + "/views")).map { "\(folder)/views/\($0)" }
    }

    private static func lock(_ path: String, orElse held: () -> InstantError) throws(InstantError) -> FileLock {
        do { return try FileLock(taking: path, milliseconds: patience) } catch {
            switch error {
            case .held: throw held()
            case .replaced: throw stays("\(path) is being replaced by another process; try again")
            case .failed(let number): throw stays("cannot lock \(path): \(String(cString: strerror(number)))")
            }
        }
    }

    private static func isOpen(_ store: String) -> InstantError {
        let path = Folders.use(in: store)
        let others = FileUsers.others(of: path).map { "pid \($0)" }.joined(separator: ", ")
        return stays(
            others.isEmpty
                ? "the layer is open in this process, or in another one; close it there first"
                : "the layer is open in another process (\(others)); close it there first")
    }

    private static func stays(_ message: String) -> InstantError {
        InstantError(.couldNotRemoveDiskCacheEntries, message)
    }

    private static func exists(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0
    }
}

/// What removing a layer loses: everything in its stores that the server does not have.
package struct LayerLosses: Hashable, Sendable {
    package static let nothing = LayerLosses(of: [])

    /// Edits in the order of the stores, oldest first in each.
    package private(set) var edits: [UnsentEdit] = []
    /// What cannot be read and may contain edits, as sentences.
    package private(set) var damage: [String] = []
    /// Damaged files that a repair kept, because it could not read all edits in them, as sentences.
    package private(set) var keptFiles: [String] = []
    private var places: Set<Place> = []

    /// What tells an edit from one that was made later.
    private struct Place: Hashable {
        var store: String
        var seq: Int64
        var content: String?
        var madeAt: Int64
    }

    package var isEmpty: Bool { edits.isEmpty && damage.isEmpty && keptFiles.isEmpty }

    /// - Parameter stores: The folders of stores; one without a store has nothing to lose.
    init(of stores: [String]) {
        for folder in stores { add(folder) }
    }

    private mutating func add(_ folder: String) {
        let path = Folders.database(in: folder)
        if LayerRepair.hasDamagedCopy(in: folder) {
            keptFiles.append("\(folder) has damaged files that a repair kept, with edits that it could not read")
        }
        guard LayerRepair.hasStore(path) else { return }
        do {
            let store = try LocalSQLiteStore(lookingInto: path)
            defer { store.close() }
            add(store, of: folder)
        } catch { damage.append(InstantError(error).message) }
    }

    /// Adds the edits of an open store that are not known yet, such as from a copy of it.
    mutating func add(_ store: some LocalStore, of folder: String) {
        do {
            for entry in try Layer(store: store).outbox() {
                let place = Place(
                    store: folder, seq: entry.seq, content: entry.content?.text, madeAt: entry.madeAt.milliseconds)
                if places.insert(place).inserted { edits.append(UnsentEdit(entry)) }
            }
            store.noteGaps()
        } catch { damage.append(InstantError(error).message) }
        let found = store.damage.map(\.description)
        if !found.isEmpty { damage.append("\(Folders.database(in: folder)) is damaged: \(found.shortList)") }
    }

    /// Whether something would be lost that was not known before.
    package func exceeds(_ known: LayerLosses) -> Bool {
        !places.isSubset(of: known.places) || !Set(damage + keptFiles).isSubset(of: known.damage + known.keptFiles)
    }
}

extension InstantError {
    /// Returns the error of a removal that needs consent to lose this.
    static func unsent(_ losses: LayerLosses) -> InstantError {
        let unreadable = losses.damage + losses.keptFiles
        guard unreadable.isEmpty else {
            return InstantError(
                .unsentEdits, "there may be unsent edits that cannot be read: \(unreadable.joined(separator: "; "))")
        }
        return .unsent(losses.edits)
    }
}
