package import Annotations

/// The records a document starts with, stored in pieces before the document exists.
package struct StagedBase: Sendable {
    private let begun: Timestamp
    /// nil until the first piece is stored.
    private var base: Int64?

    package init(begun: Timestamp) { self.begun = begun }

    /// Stores at most ``Pieces/records`` records per call.
    package mutating func add(_ records: [Record], in store: any StoreWriting) throws {
        try store.add(records, toBase: try open(in: store))
    }

    /// Returns the set, for a document that is stored in the same transaction.
    package mutating func take(in store: any StoreWriting) throws -> Int64 { try open(in: store) }

    private mutating func open(in store: any StoreWriting) throws -> Int64 {
        guard let base else {
            let base = try store.addBase(at: begun)
            self.base = base
            return base
        }
        guard try store.unusedSince(base) == begun else { throw StagedLayers.swept }
        return base
    }

    /// The rows to remove if no document uses the set.
    package var remains: PendingRemovals { PendingRemovals(bases: base.map { [$0] } ?? []) }

    /// Makes the set removable at once.
    package func abandon(in store: any StoreWriting) throws -> PendingRemovals {
        guard let base, try store.unusedSince(base) == begun else { return PendingRemovals() }
        return remains
    }
}
