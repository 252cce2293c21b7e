import Annotations
import SyncProtocol

/// What a transaction that takes in what others did knows by now, so that nothing is asked for twice.
struct ApplyContext {
    /// As they stand now.
    var facts: LayerMetadata
    /// The outbox is empty, and stays so to the end of the transaction: what others did appends nothing to it. False where
    /// nobody has looked.
    var nothingWaits = false
    /// What became of the records that were taken in; nil: gone.
    private var received: [ByteOrdered: StoredRecord?] = [:]

    init(facts: LayerMetadata) { self.facts = facts }

    mutating func note(_ id: Record.ID, became record: StoredRecord?) { received[ByteOrdered(id)] = .some(record) }

    /// The row of a record as it is to be shown now. Only what is not known is looked up.
    func overlay(_ id: Record.ID, in store: some StoredLayer) throws -> Overlay {
        let stored = if let known = received[ByteOrdered(id)] { known } else { try store.record(id) }
        return Overlay(stored, under: nothingWaits ? [] : try store.entries(of: id), facts: facts)
    }
}
