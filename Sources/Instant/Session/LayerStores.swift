import Annotations
import Authorization
import InstantCore
import Synchronization

/// The stores of one layer and user: the main store in the layer's folder, and side stores in `views/` for processes
/// whose tokens have another view than the main store has, while other processes use it (see ``StorePlace``).
struct LayerStores: Sendable {
    let identity: LayerIdentity
    let folders: Folders
    /// The layer's folder.
    let main: String
    let environment: Environment

    init(_ identity: LayerIdentity, folders: Folders, environment: Environment) {
        (self.identity, self.folders) = (identity, folders)
        self.environment = environment
        main = folders.layer(identity)
    }

    /// How long to wait for a process that is about to remove or convert a store.
    static let patience = 1500

    func side(of grant: Grant) -> String { Folders.side(in: main, view: grant.viewScope) }

    var sides: [String] { Folders.sides(in: main) }

    /// Opens the store that fits what a token claims; without a token, the main store.
    func open(for claims: Grant?) throws(InstantError) -> OpenStore {
        let main = try open(main)
        guard let claims else { return main }
        do {
            guard try place(for: claims, isAccepted: false, from: main) == .side else { return main }
            defer { main.close() }
            return try open(side(of: claims))
        } catch {
            main.close()
            throw InstantError(error)
        }
    }

    /// Opens a store, and finishes or withdraws a handover of its edits that a crash interrupted.
    ///
    /// - Throws: ``InstantError``; `databaseAccessFailed` if another process is stopped while it removes or converts
    ///   the store.
    func open(_ folder: String) throws(InstantError) -> OpenStore {
        if folder == main { adopt() }
        // A second attempt, because the first one may find a folder that is being removed.
        for _ in 0..<2 {
            try Folders.make(folder)
            if let use = FileLock(path: Folders.use(in: folder), shared: true, milliseconds: Self.patience) {
                return try open(folder, use)
            }
        }
        throw InstantError(
            .databaseAccessFailed,
            "another process holds the layer's storage in \(folder); continue or end that process")
    }

    private func open(_ folder: String, _ use: FileLock) throws(InstantError) -> OpenStore {
        let lock = LeaderLock(path: Folders.lock(in: folder), process: environment.process)
        let path = Folders.database(in: folder)
        let mayUpgrade = lock != nil && use.isAlone
        do {
            let store = try LocalSQLiteStore(path: path, schema: environment.schema, mayUpgrade: mayUpgrade)
            try store.found(identity, now: environment.now())
            Folders.makePrivate(database: path)
            try settleHandover(of: store, isNeeded: true)
            return OpenStore(folder: folder, isMain: folder == main, store: store, use: use, lock: lock)
        } catch { throw InstantError(error) }
    }

    /// Where a process with this grant belongs.
    func place(for grant: Grant, isAccepted: Bool, from open: OpenStore) throws -> StorePlace {
        // An empty side store is only for its own view.
        let fits = try open.layer.fits(grant) && (open.isMain || open.folder == side(of: grant))
        if open.isMain {
            let main: StorePlace.Main = fits ? .fits : open.isAlone ? .free : .inUse
            return .forView(isAccepted: isAccepted, fits: fits, isMain: true, main: main)
        }
        let isFree = !FileLock.isHeld(Folders.use(in: main))
        let store = try LocalSQLiteStore(lookingInto: Folders.database(in: main))
        defer { store.close() }
        let mainFits = try Layer(store: store).fits(grant)
        return .forView(
            isAccepted: isAccepted, fits: fits, isMain: false, main: mainFits ? .fits : isFree ? .free : .inUse)
    }

    /// Opens the main store and gives it this view; nil if another process uses it now.
    func openMain(convertedTo grant: Grant) throws -> OpenStore? {
        let main = try open(main)
        guard main.becomeExclusive() else {
            main.close()
            return nil
        }
        defer { main.becomeShared() }
        do {
            if try !main.layer.fits(grant) {
                let pdf = try main.layer.changeView(to: grant)
                main.note(pdfOfOtherView: pdf)
            }
        } catch {
            main.close()
            throw error
        }
        return main
    }

    /// Whether any other process has a store of this layer open.
    func isUsed(besides open: OpenStore) -> Bool {
        let others = ([main] + sides).filter { $0 != open.folder }
        return !open.isAlone || others.contains { FileLock.isHeld(Folders.use(in: $0)) }
    }

    /// A record as the other stores of this layer have it. A store that cannot be read is left out.
    func otherCopies(of id: Record.ID, besides folder: String) -> [Record] {
        ([main] + sides).filter { $0 != folder && Folders.isFile(Folders.database(in: $0)) }.compactMap { folder in
            guard let store = try? LocalSQLiteStore(lookingInto: Folders.database(in: folder)) else { return nil }
            defer { store.close() }
            return try? Layer(store: store).record(id)
        }
    }

    /// The edits in the other stores of this layer that the server has not accepted, and what cannot be read there.
    func unsent(besides folder: String) -> LayerLosses { LayerLosses(of: ([main] + sides).filter { $0 != folder }) }
}

/// A store that this process has open. Other processes do not remove or convert it until it is closed.
final class OpenStore: LocalStore {
    let folder: String
    let isMain: Bool
    let store: LocalSQLiteStore
    private let use: Mutex<Use>
    private let held: Mutex<LeaderLock?>

    private struct Use {
        /// Held shared until the store is closed.
        var lock: FileLock?
        /// How many callers need it exclusively.
        var exclusive = 0
        /// The PDF of the view that the store had before.
        var pdfOfOtherView: String?
        /// Other stores of the layer that cannot be read.
        var others: [StoredDamage] = []
    }

    init(folder: String, isMain: Bool, store: LocalSQLiteStore, use: FileLock, lock: LeaderLock?) {
        (self.folder, self.isMain, self.store) = (folder, isMain, store)
        self.use = Mutex(Use(lock: use))
        held = Mutex(lock)
    }

    /// The lock taken when the store was opened, until the performer has it.
    var lock: LeaderLock? { held.withLock { $0 } }

    func takeLock() -> LeaderLock? { held.withLock { $0.take() } }

    /// Closes the files. The store may then be removed or converted.
    func close() {
        store.close()
        use.withLock { $0 = Use() }
    }

    /// Whether no other process has this store open.
    var isAlone: Bool { use.withLock { $0.lock?.isAlone ?? false } }

    /// - Returns: Whether this process has the store to itself until ``becomeShared()``.
    func becomeExclusive() -> Bool { reserve() != nil }

    /// Like ``becomeExclusive()``.
    ///
    /// - Returns: The lock. It reserves the store's place until it is released, even after the store is closed.
    func reserve() -> FileLock? {
        use.withLock { use in
            guard let lock = use.lock, lock.becomeExclusive() else { return nil }
            use.exclusive += 1
            return lock
        }
    }

    func becomeShared() {
        use.withLock { use in
            use.exclusive = max(0, use.exclusive - 1)
            if use.exclusive == 0 { use.lock?.becomeShared() }
        }
    }

    func note(pdfOfOtherView sha256: String?) { use.withLock { $0.pdfOfOtherView = sha256 } }

    /// Returns the SHA-256 of a PDF that is not for the view that the store has now; nil if there is none.
    func takePDFOfOtherView() -> String? { use.withLock { $0.pdfOfOtherView.take() } }

    /// Notes which other stores of the layer cannot be read, as sentences.
    func note(damagedStores: [String]) {
        use.withLock { $0.others = damagedStores.map { .structure("what another view of this layer has: \($0)") } }
    }

    /// What was met in this store, and which other stores of the layer wait for a repair.
    var damage: [StoredDamage] { store.damage + use.withLock(\.others) }

    func noteGaps() { store.noteGaps() }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.read(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try store.write(durability, body)
    }

    var layer: Layer { Layer(store: self) }
}
