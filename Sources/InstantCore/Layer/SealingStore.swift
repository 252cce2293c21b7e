/// Seals what an edit leaves waiting in the edit's own transaction: what is sent at once then waits for the disk once, not
/// twice. Nothing is sealed behind a burst that is under way: it goes on gathering edits of the same record.
private struct SealingStore: LocalStore {
    let store: any LocalStore

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.read(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try store.write(durability) { layer in
            let result = try body(layer)
            if try layer.entries(in: [.sealed], limit: 1).isEmpty { _ = try layer.seal() }
            return result
        }
    }
}

extension Layer {
    /// The same layer for edits that are going to be sent as soon as they are made (``Synchronizer/sendsAtOnce``).
    package var sealingEdits: Layer { Layer(store: SealingStore(store: store)) }
}
