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
    func takeLeftovers(into open: OpenStore, grant: Grant) -> Leftovers {
        let others = ([main] + sides).filter { $0 != open.folder && Folders.isFile(Folders.database(in: $0)) }
        var found = Leftovers()
        guard !others.isEmpty else { return found }
        let isOnly = !isUsed(besides: open)
        for folder in others {
            // Held exclusively until the end of the iteration.
            guard let use = FileLock(path: Folders.use(in: folder)) else { continue }
            do {
                if try take(folder, into: open, grant: grant, isOnly: isOnly) { found.hasReceived = true }
            } catch { found.damage.append(InstantError(error).message) }
            withExtendedLifetime(use) {}
        }
        return found
    }

    /// - Returns: Whether edits were received.
    private func take(_ folder: String, into open: OpenStore, grant: Grant, isOnly: Bool) throws -> Bool {
        let store = try LocalSQLiteStore(path: Folders.database(in: folder), mayUpgrade: false)
        defer { store.close() }
        try settleHandover(of: store, isNeeded: false)
        let layer = Layer(store: store)
        let edits = try layer.outbox()
        // What cannot be read may be an edit: the store waits for its repair.
        guard store.damage.isEmpty else {
            throw LocalStoreError.corrupt(path: store.path, store.damage.map(\.description).shortList)
        }
        if edits.isEmpty {
            if folder != main { try remove(side: folder, layer) }
            return false
        }
        guard try isOnly || layer.isSendable(by: grant) else { return false }
        try move(layer, from: folder, to: open.layer)
        return true
    }

    private func move(_ layer: Layer, from folder: String, to mine: Layer) throws {
        var random = SystemRandomNumberGenerator()
        let id = ULID.make(at: environment.now(), using: &random)
        guard let handover = try layer.beginHandover(id) else { return }
        _ = try mine.receive(handover)
        if folder == main || LayerRepair.hasDamagedCopy(in: folder) {
            try layer.endHandover(handover.id, newClientID: ULID.make(at: environment.now(), using: &random))
        } else {
            try Folders.remove(layer: folder)
        }
        try mine.forgetHandover(handover.id)
    }

    /// Removes an empty side store, unless it is the proof that it has received the edits of another one, or a repair
    /// kept damaged files beside it.
    private func remove(side folder: String, _ layer: Layer) throws {
        guard !LayerRepair.hasDamagedCopy(in: folder) else { return }
        let received = try layer.metadata().received
        let open = try received.filter { id in
            try ([main] + sides).contains { try $0 != folder && handover(in: $0) == id }
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
        for folder in [main] + sides where Folders.database(in: folder) != store.path {
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
