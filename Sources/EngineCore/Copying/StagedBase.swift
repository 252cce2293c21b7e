package import Annotations

/// The records that a document begins with, kept in pieces before there is the document.
package struct StagedBase: Sendable {
    private let begun: Timestamp
    /// nil: nothing was kept yet.
    private var base: Int64?

    package init(begun: Timestamp) { self.begun = begun }

    /// At most ``Pieces/records`` at a time.
    package mutating func add(_ records: [Record], in store: any StoreWriting) throws {
        try store.add(records, toBase: try open(in: store))
    }

    /// The set, for a document that is put in this transaction.
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

    /// What is left when no document takes it.
    package var remains: PendingRemovals { PendingRemovals(bases: base.map { [$0] } ?? []) }

    /// Makes it removable at once.
    package func abandon(in store: any StoreWriting) throws -> PendingRemovals {
        guard let base, try store.unusedSince(base) == begun else { return PendingRemovals() }
        return remains
    }
}
