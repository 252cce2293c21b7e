package import Annotations

/// Rows that deletions and unfinished copies leave in the store: hidden, and removed in pieces.
///
/// The order is fixed, so that two servers removing the same rows cannot deadlock.
package struct PendingRemovals: Hashable, Sendable {
    /// The ids of hidden layers to remove, ascending.
    package private(set) var layers: [Int64]
    /// The ids of base record sets to remove, ascending.
    package private(set) var bases: [Int64]

    package init(layers: [Int64] = [], bases: [Int64] = []) {
        (self.layers, self.bases) = (layers.sorted(), bases.sorted())
    }

    /// Collects all deleted layers, and all base record sets begun before `moment` that no document uses.
    package init(before moment: Timestamp, in store: any StoreReading) throws {
        self.init(
            layers: try store.hiddenLayers().filter(\.isRemoved).map(\.id),
            bases: try store.unusedBases(before: moment))
    }

    /// Returns the copies begun before `moment` that are still unfinished.
    package static func unfinishedCopies(before moment: Timestamp, in store: any StoreReading) throws -> [LayerKey] {
        try store.hiddenLayers().map(\.key).filter { $0.isCopy(begunBefore: moment) }
    }

    /// Abandons an unfinished copy. At most one per transaction: finishing a document copy locks two documents, so a
    /// transaction that abandons several copies could deadlock with it.
    package static func giveUp(_ copy: LayerKey, in store: any StoreWriting, at moment: Timestamp) throws {
        if let layer = try store.hiddenLayer(copy) { try store.removeLayer(layer, at: moment) }
    }

    package var isEmpty: Bool { layers.isEmpty && bases.isEmpty }

    /// Leaves the rows that are next.
    package mutating func skip() {
        if layers.popLast() == nil { _ = bases.popLast() }
    }

    /// Removes at most ``Pieces/records`` rows.
    package mutating func removePiece(in store: any StoreWriting) throws {
        var left = Pieces.records
        while left > 0, let layer = layers.last {
            let removed = try store.removeRows(ofLayer: layer, limit: left)
            guard removed < left else { return }
            layers.removeLast()
            // The layer's own row counts too.
            left -= removed + 1
        }
        while left > 0, let base = bases.last {
            let removed = try store.removeBase(base, limit: left)
            guard removed < left else { return }
            bases.removeLast()
            left -= removed + 1
        }
    }
}
