import Annotations
import Authorization
import InstantCore

// Stores that no process uses: their edits move to the store of a process that may send them, and side stores are
// removed.
extension LayerStores {
    /// - Parameters:
    ///   - open: The store of this process, which leads it.
    ///   - grant: The grant of its accepted token.
    /// - Returns: Whether edits were received.
    func takeLeftovers(into open: OpenStore, grant: Grant) throws -> Bool {
        let others = ([main] + sides).filter { $0 != open.folder && Folders.isFile(Folders.database(in: $0)) }
        guard !others.isEmpty else { return false }
        let isOnly = !isUsed(besides: open)
        var hasReceived = false
        for folder in others {
            // Held exclusively until the end of the iteration.
            guard let use = FileLock(path: Folders.use(in: folder)) else { continue }
            let store = try LocalSQLiteStore(path: Folders.database(in: folder), mayUpgrade: false)
            defer { store.close() }
            try settleHandover(of: store)
            let layer = Layer(store: store)
            let edits = try layer.outbox()
            // What cannot be read may be an edit: the store waits for its repair.
            guard store.damage.isEmpty else { continue }
            if edits.isEmpty {
                if folder != main { try remove(side: folder, layer) }
            } else if try isOnly || layer.isSendable(by: grant) {
                try move(layer, from: folder, to: open.layer)
                hasReceived = true
            }
            withExtendedLifetime(use) {}
        }
        return hasReceived
    }

    private func move(_ layer: Layer, from folder: String, to mine: Layer) throws {
        var random = SystemRandomNumberGenerator()
        let id = ULID.make(at: environment.now(), using: &random)
        guard let handover = try layer.beginHandover(id) else { return }
        _ = try mine.receive(handover)
        if folder == main || LayerRepair.hasDamagedCopy(in: folder) {
            try layer.endHandover(handover.id, newClientID: ULID.make(at: environment.now(), using: &random))
        } else {
            try Folders.remove(folder)
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
        if open.isEmpty { try Folders.remove(folder) }
    }

    /// Finishes a handover that another store has received, or withdraws it.
    func settleHandover(of store: LocalSQLiteStore) throws {
        let layer = Layer(store: store)
        guard let id = try layer.metadata().handover else { return }
        for folder in [main] + sides where Folders.database(in: folder) != store.path {
            guard Folders.isFile(Folders.database(in: folder)) else { continue }
            let other = try LocalSQLiteStore(lookingInto: Folders.database(in: folder))
            defer { other.close() }
            guard try Layer(store: other).metadata().received.contains(id) else { continue }
            var random = SystemRandomNumberGenerator()
            return try layer.endHandover(id, newClientID: ULID.make(at: environment.now(), using: &random))
        }
        try layer.cancelHandover(id)
    }

    private func handover(in folder: String) throws -> String? {
        guard Folders.isFile(Folders.database(in: folder)) else { return nil }
        let store = try LocalSQLiteStore(lookingInto: Folders.database(in: folder))
        defer { store.close() }
        return try Layer(store: store).metadata().handover
    }
}
