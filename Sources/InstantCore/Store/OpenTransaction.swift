/// A store whose transactions are parts of one that is open already: each has an effect only if that one has.
///
/// Unchecked: used only on the thread of the transaction, while it is open.
struct OpenTransaction: LocalStore, @unchecked Sendable {
    private let transaction: any WritableLayer
    private let store: any LocalStore

    init(_ transaction: any WritableLayer, of store: any LocalStore) {
        (self.transaction, self.store) = (transaction, store)
    }

    var damage: [StoredDamage] { store.damage }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try body(transaction) }

    func write<T>(_: Durability, _ body: (any WritableLayer) throws -> T) throws -> T { try body(transaction) }
}
