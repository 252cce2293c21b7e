package import Annotations
package import Authorization
package import SyncProtocol

/// One layer as one view sees it, inside one transaction.
package struct LayerView {
    package let store: any StoreReading
    package let layer: StoredLayer
    package let scope: ViewScope

    package init(_ layer: StoredLayer, scope: ViewScope, in store: any StoreReading) {
        self.store = store
        self.layer = layer
        self.scope = scope
    }

    package var epoch: String { layer.epoch(for: scope) }

    /// Rows looked at in one transaction, so that a view that sees little does not hold a store for long.
    private static let scanned = 4_000

    /// The live visible records after an id, in id order.
    ///
    /// - Parameters:
    ///   - revision: what the first page of this snapshot stood at; nil for the first page.
    ///   - epoch: of the snapshot begun; nil for the first page.
    /// - Throws: ``Refusal`` with `epoch_changed` when the snapshot cannot go on.
    package func snapshot(
        after id: Record.ID?, at revision: Revision? = nil, epoch: String? = nil, limit: Int
    ) throws -> SnapshotPage {
        if let epoch { try check(epoch) }
        // A page may be asked for with any number: what was never handed out starts over.
        if let revision, revision > layer.head || revision < layer.horizon { throw Self.startOver }
        var records: [SyncItem] = []
        var last = id
        var more = true
        var looked = 0
        while records.count < limit, looked < Self.scanned, more {
            let size = max(limit - records.count, 1)
            let rows = try store.live(in: layer, after: last, limit: size)
            more = rows.count == size
            looked += rows.count
            last = rows.last?.id ?? last
            records += rows.lazy.filter { scope.contains($0.subject) }.map(\.item)
        }
        return SnapshotPage(epoch: self.epoch, at: revision ?? layer.head, records: records, next: more ? last : nil)
    }

    /// The latest state of what changed for this view after a cursor.
    ///
    /// - Throws: ``Refusal`` with `epoch_changed` for a cursor of another epoch, too old, or ahead of the layer.
    package func delta(since cursor: Cursor, limit: Int) throws -> Delta {
        try check(cursor.epoch)
        guard cursor.revision <= layer.head, cursor.revision >= layer.horizon else { throw Self.startOver }
        // Two lists in revision order, walked as one. Every revision stands in at most one row of each.
        let records = try store.changed(in: layer, after: cursor.revision, limit: Self.scanned)
        let departures = try store.departures(in: layer, after: cursor.revision, limit: Self.scanned)
        var reach = layer.head
        if records.count == Self.scanned { reach = min(reach, records.last?.revision ?? reach) }
        if departures.count == Self.scanned { reach = min(reach, departures.last?.revision ?? reach) }
        var changes: [SyncItem] = records.filter { $0.revision <= reach && scope.contains($0.subject) }.map(\.item)
        var seen = Set(changes.map { ByteOrdered($0.id) })
        for departure in departures.reversed() where departure.revision <= reach && scope.contains(departure.subject) {
            guard seen.insert(ByteOrdered(departure.id)).inserted else { continue }
            // Back in sight since: its state comes at its own revision.
            if let now = try store.record(departure.id, in: layer), scope.contains(now.subject) { continue }
            changes.append(.removed(departure.id, departure.revision))
        }
        changes.sort { $0.revision < $1.revision }
        if changes.count > limit {
            changes.removeSubrange(limit...)
            reach = changes.last?.revision ?? reach
        }
        return Delta(epoch: epoch, changes: changes, upTo: reach, more: reach < layer.head)
    }

    /// One record, if it is live and this view may see it.
    package func record(_ id: Record.ID) throws -> StoredRecord? {
        guard let record = try store.record(id, in: layer), record.isLive, scope.contains(record.subject) else {
            return nil
        }
        return record
    }

    private func check(_ epoch: String) throws {
        guard epoch == self.epoch else { throw Self.startOver }
    }

    private static let startOver = Refusal(
        .epochChanged, "the layer or what the token may see has changed, or the cursor is too old: load it anew")
}
