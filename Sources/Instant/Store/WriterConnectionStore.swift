import InstantCore

/// A store that is read by the connection that writes it, for the one who writes: the synchronizer. Its reads take no
/// reader's connection from the screen, which would have to open another one in the middle of a key. Readers of other
/// threads must not use this: they would wait for every commit.
struct WriterConnectionStore: LocalStore {
    let store: LocalSQLiteStore

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.readByWriter(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try store.write(durability, body)
    }
}
