package import Annotations

/// What deletions and unfinished copies leave in the store: out of sight, removed in pieces.
///
/// Always in one order: two servers that remove the same must not wait for each other in a circle.
package struct PendingRemovals: Hashable, Sendable {
    /// Layers that were taken out of sight, by their ids, rising.
    package private(set) var layers: [Int64]
    /// Rising.
    package private(set) var bases: [Int64]

    package init(layers: [Int64] = [], bases: [Int64] = []) {
        (self.layers, self.bases) = (layers.sorted(), bases.sorted())
    }

    /// All that was deleted, and all base records that were begun before the moment and that no document took.
    package init(before moment: Timestamp, in store: any StoreReading) throws {
        self.init(
            layers: try store.hiddenLayers().filter(\.isRemoved).map(\.id),
            bases: try store.unusedBases(before: moment))
    }

    /// Copies that were begun before the moment and are not whole yet.
    package static func unfinishedCopies(before moment: Timestamp, in store: any StoreReading) throws -> [LayerKey] {
        try store.hiddenLayers().map(\.key).filter { $0.isCopy(begunBefore: moment) }
    }

    /// Gives up a copy that is not whole. One in each transaction: who copies a document holds two documents.
    package static func giveUp(_ copy: LayerKey, in store: any StoreWriting, at moment: Timestamp) throws {
        if let layer = try store.hiddenLayer(copy) { try store.removeLayer(layer, at: moment) }
    }

    package var isEmpty: Bool { layers.isEmpty && bases.isEmpty }

    /// Removes some of it, at most ``Pieces/records`` rows.
    package mutating func removePiece(in store: any StoreWriting) throws {
        var left = Pieces.records
        while left > 0, let layer = layers.last {
            let removed = try store.removeRows(ofLayer: layer, limit: left)
            guard removed < left else { return }
            layers.removeLast()
            // Its own row is one as well.
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
