import InstantCore

/// A store that is read by the connection that writes it. SQLite forgets what a connection has read whenever another one
/// writes, so after each commit a reader begins with the file; whoever writes himself, and alone, need not. Readers of
/// other threads must not use this: they would wait for every commit.
struct OwnReads: LocalStore {
    let store: SQLiteStore

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.readByWriter(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try store.write(durability, body)
    }
}
