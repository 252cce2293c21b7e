import Annotations
import Authorization
import InstantCore

// Stores that no process uses: their edits move to the store of a process that may send them, and side stores are
// removed.
extension LayerStores {
    struct Leftovers: Hashable {
        /// Whether edits were received.
        var hasReceived = false
        /// The stores whose edits wait for a repair, as sentences.
        var damage: [String] = []
    }

    /// Goes on after a store that cannot be read.
    ///
    /// - Parameters:
    ///   - open: The store of this process, which leads it.
    ///   - grant: The grant of its accepted token.
    ///   - copies: Those under other spellings of the address; nil for all that there are.
    func takeLeftovers(into open: OpenStore, grant: Grant, copies: [LayerCopy]? = nil) -> Leftovers {
        let others: [Leftover] =
            ([main] + sides).map { Leftover(folder: $0) }
            + (copies ?? spellings).flatMap { copy in copy.stores.map { Leftover(folder: $0, copy: copy) } }
        var found = Leftovers()
        let left = others.filter { $0.folder != open.folder && Folders.isFile(Folders.database(in: $0.folder)) }
        guard !left.isEmpty else { return found }
        let isOnly = !isUsed(besides: open)
        for one in left {
            // Held exclusively until the end of the iteration.
            guard let use = FileLock(path: Folders.use(in: one.folder)) else { continue }
            do {
                let moved = try take(one, into: open) { layer in
                    // An earlier program goes on with a copy that has another view.
                    if one.copy != nil { return try layer.fits(grant) }
                    return try isOnly || layer.isSendable(by: grant)
                }
                if moved > 0 { found.hasReceived = true }
            } catch { found.damage.append(InstantError(error).message) }
            withExtendedLifetime(use) {}
        }
        return found
    }

    /// A store that no process uses.
    struct Leftover {
        var folder: String
        /// nil if it is kept under this address, as it is spelled now.
        var copy: LayerCopy?
    }

    /// - Returns: The number of edits that were received.
    func take(_ left: Leftover, into open: OpenStore, if mayTake: (Layer) throws -> Bool) throws -> Int {
        let folder = left.folder
        let path = Folders.database(in: folder)
        if left.copy != nil {
            // Its program may be an earlier one, for which it must stay as it is.
            let store = try LocalSQLiteStore(lookingInto: path)
            defer { store.close() }
            guard try mayTake(Layer(store: store)) else { return 0 }
        }
        let store = try LocalSQLiteStore(path: path, mayUpgrade: left.copy != nil)
        defer { store.close() }
        try settleHandover(of: store, isNeeded: false)
        let layer = Layer(store: store)
        let edits = try layer.outbox()
        // What cannot be read may be an edit: the store waits for its repair.
        guard store.damage.isEmpty else {
            throw LocalStoreError.corrupt(path: store.path, store.damage.map(\.description).shortList)
        }
        if edits.isEmpty {
            if folder != main, left.copy?.isSpelling != false { try remove(empty: left, layer) }
            return 0
        }
        guard try mayTake(layer) else { return 0 }
        try move(layer, from: left, to: open.layer)
        return edits.count
    }

    private func move(_ layer: Layer, from left: Leftover, to mine: Layer) throws {
        let folder = left.folder
        var random = SystemRandomNumberGenerator()
        let id = ULID.make(at: environment.now(), using: &random)
        guard let handover = try layer.beginHandover(id) else { return }
        if let copy = left.copy {
            try receive(handover, of: layer, from: copy, into: mine)
        } else {
            _ = try mine.receive(handover)
        }
        let stays =
            folder == main || LayerRepair.hasDamagedCopy(in: folder) || !Folders.sides(in: folder).isEmpty
            || left.copy.map { !$0.isSpelling || $0.hasDamagedFiles } ?? false
        if stays {
            try layer.endHandover(handover.id, newClientID: ULID.make(at: environment.now(), using: &random))
        } else {
            try Folders.remove(layer: folder)
        }
        try mine.forgetHandover(handover.id)
    }

    /// Removes an empty store, unless it is the proof that it has received the edits of another one, a repair kept damaged
    /// files beside it, or other stores are in its folder.
    private func remove(empty left: Leftover, _ layer: Layer) throws {
        let folder = left.folder
        guard !LayerRepair.hasDamagedCopy(in: folder), Folders.sides(in: folder).isEmpty,
            left.copy?.hasDamagedFiles != true
        else { return }
        let received = try layer.metadata().received
        let open = try received.filter { id in
            try all.contains { try $0 != folder && handover(in: $0) == id }
        }
        if open.isEmpty { try Folders.remove(layer: folder) }
    }

    /// Finishes a handover that another store has received, or withdraws it.
    ///
    /// - Parameter isNeeded: Whether the store is about to be used. If so, the handover is withdrawn even if a store that
    ///   cannot be read may have received it: after its repair, the server has each edit at most once, because a record
    ///   and its revision can be written once, and shows the other one as a conflict.
    /// - Throws: ``LocalStoreError``; if the store is not needed, also that of the store that cannot be read.
    func settleHandover(of store: LocalSQLiteStore, isNeeded: Bool) throws {
        let layer = Layer(store: store)
        guard let id = try layer.metadata().handover else { return }
        for folder in all where Folders.database(in: folder) != store.path {
            do {
                guard try received(in: folder).contains(id) else { continue }
            } catch {
                guard isNeeded else { throw error }
                continue
            }
            var random = SystemRandomNumberGenerator()
            return try layer.endHandover(id, newClientID: ULID.make(at: environment.now(), using: &random))
        }
        try layer.cancelHandover(id)
    }

    /// The folders of all stores that edits move between.
    private var all: [String] { [main] + sides + folders.copies(of: identity).flatMap(\.stores) }

    private func received(in folder: String) throws -> [String] {
        guard LayerRepair.hasStore(Folders.database(in: folder)) else { return [] }
        let store = try LocalSQLiteStore(lookingInto: Folders.database(in: folder))
        defer { store.close() }
        return try Layer(store: store).metadata().received
    }

    private func handover(in folder: String) throws -> String? {
        guard Folders.isFile(Folders.database(in: folder)) else { return nil }
        let store = try LocalSQLiteStore(lookingInto: Folders.database(in: folder))
        defer { store.close() }
        return try Layer(store: store).metadata().handover
    }
}
