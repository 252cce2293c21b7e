import EngineCore
import SyncProtocol
import Synchronization
import TestSupport

/// An in-memory store that reports after each transaction how much it wrote.
final class WatchedStore: LayerStore {
    struct Failing: Error {}

    private let base = MemoryLayerStore()
    private let sizes = Mutex<[Int]>([])
    private let after = Mutex<(@Sendable (Int) -> Void)?>(nil)
    private let fails = Mutex<(@Sendable (Int) -> Bool)?>(nil)

    /// The number of rows that each transaction added and removed.
    var transactions: [Int] { sizes.withLock { $0 } }

    /// Forgets the transactions so far.
    ///
    /// - Parameters:
    ///   - fails: Which of the next transactions fail, counted from 1.
    ///   - after: Called after each transaction with its number, on its thread.
    func watch(
        failing fails: @escaping @Sendable (Int) -> Bool = { _ in false },
        after: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        sizes.withLock { $0 = [] }
        self.fails.withLock { $0 = fails }
        self.after.withLock { $0 = after }
    }

    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result { try base.read(body) }

    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        let number = sizes.withLock { $0.count } + 1
        if let fails = fails.withLock({ $0 }), fails(number) {
            sizes.withLock { $0.append(0) }
            throw Failing()
        }
        let result = try base.write { store in
            let before = try Self.rows(store)
            let result = try body(store)
            let now = try Self.rows(store)
            sizes.withLock { $0.append(before.symmetricDifference(now).count) }
            return result
        }
        if let after = after.withLock({ $0 }) { after(number) }
        return result
    }

    private struct Row: Hashable {
        var layer: Int64
        var revision: Revision
    }

    /// The rows of all layers, visible or hidden.
    private static func rows(_ store: any StoreReading) throws -> Set<Row> {
        let ids = try store.layers().compactMap { try store.layer($0)?.id } + store.hiddenLayers().map(\.id)
        var rows: Set<Row> = []
        for id in ids {
            let layer = ServerLayer(
                id: id, key: LayerKey(document: "", name: ""), generation: "", base: 0, pageCount: 0)
            for record in try store.changed(in: layer, after: 0, limit: .max) {
                rows.insert(Row(layer: id, revision: record.revision))
            }
        }
        return rows
    }
}
