import Synchronization

/// Another process leads this layer now.
struct Deposed: Error {}

/// The store as the synchronizer writes to it: only while its process leads.
///
/// A lock alone does not ensure that, because a process that was stopped, and then replaced, may continue in the middle
/// of a step. Each leader therefore takes the next term in its first transaction, if it still holds the lock then, and
/// every later one checks the term.
final class FencedStore: LocalStore {
    private enum State {
        case following
        /// The term is taken by the next write.
        case beginning
        case leading(term: Int64)
    }

    private let store: any LocalStore
    private let holdsLock: @Sendable () -> Bool
    private let state = Mutex(State.following)

    /// - Parameter holdsLock: Called in the first transaction of each term.
    init(_ store: any LocalStore, holdsLock: @escaping @Sendable () -> Bool) {
        (self.store, self.holdsLock) = (store, holdsLock)
    }

    func lead(_ leads: Bool) { state.withLock { $0 = leads ? .beginning : .following } }

    var damage: [StoredDamage] { store.damage }

    func noteGaps() { store.noteGaps() }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try store.read(body) }

    /// - Throws: ``Deposed``, ``LocalStoreError``, or any error of the body.
    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        let (result, term) = try store.write(durability) { store -> (T, Int64) in
            let term = try checkedTerm(in: store)
            return (try body(store), term)
        }
        // Only once it is stored.
        state.withLock { if case .beginning = $0 { $0 = .leading(term: term) } }
        return result
    }

    private func checkedTerm(in store: any WritableLayer) throws -> Int64 {
        switch state.withLock({ $0 }) {
        case .following: throw Deposed()
        case .beginning:
            // A process that replaced this one waits for this transaction, or has written before.
            guard holdsLock() else { throw Deposed() }
            let term = try store.metadata().term + 1
            try store.changeMetadata { $0.term = term }
            return term
        case .leading(let term):
            guard try store.metadata().term == term else { throw Deposed() }
            return term
        }
    }
}
