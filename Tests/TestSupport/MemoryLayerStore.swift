package import EngineCore
private import Synchronization

/// A layer store in memory: for tests and simulations, and as the simplest statement of the contract.
package final class MemoryLayerStore: LayerStore {
    private let state: Mutex<MemoryState>
    private let hasBadIndexes: Bool

    /// - Parameter hasBadIndexes: whether the indexes select rows that they should not.
    package init(hasBadIndexes: Bool = false) {
        state = Mutex(MemoryState())
        self.hasBadIndexes = hasBadIndexes
    }

    /// Creates a backup of another store's current state.
    package init(copying other: MemoryLayerStore) {
        state = Mutex(other.state.withLock { $0 })
        hasBadIndexes = other.hasBadIndexes
    }

    package func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        try body(MemoryTransaction(state.withLock { $0 }, hasBadIndexes: hasBadIndexes))
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
