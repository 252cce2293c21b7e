import Synchronization

/// A store in memory: for tests, simulations and as the plainest statement of what the contract means.
package final class MemoryStore: LayerStore {
    private let state = Mutex(MemoryState())

    package init() {}

    package func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        try body(MemoryTransaction(state.withLock { $0 }))
    }

    package func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try state.withLock { state in
            let transaction = MemoryTransaction(state)
            let result = try body(transaction)
            state = transaction.state
            return result
        }
    }
}
