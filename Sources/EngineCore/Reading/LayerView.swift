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

    /// Rows read at once, and rows looked at for one delta, so that a view that sees little does not hold a store for
    /// long.
    private static let step = 200
    private static let scanned = 4_000

    /// Where a page ends, however few records it holds: with one more record of the largest size it still fits a
    /// line of events (2 MB).
    static let pageBytes = 768 << 10

    /// The live visible records after an id, in id order.
    ///
    /// - Parameters:
    ///   - revision: what the first page of this snapshot stood at; nil for the first page.
    ///   - epoch: of the snapshot begun; nil for the first page.
    /// - Throws: ``Refusal`` with `epoch_changed` when the snapshot cannot go on.
    package func snapshot(
        after id: Record.ID?, at revision: Revision? = nil, epoch: String? = nil, limit: Int
    ) throws -> SnapshotPage {
        try checkSnapshot(at: revision, epoch: epoch)
        let seesAll = scope == .everything
        var page = SnapshotPage(epoch: self.epoch, at: revision ?? layer.head, records: [], next: nil)
        var last = id
        var bytes = 0
        while true {
            let rows = try store.shown(in: layer, after: last, limit: Self.step)
            for row in rows where seesAll || scope.contains(row.subject) {
                if page.records.count >= limit || bytes >= Self.pageBytes {
                    // The place to go on from is a record the view may see: no other id leaves the server.
                    page.next = page.records.last?.id
                    return page
                }
                page.records.append(row.item)
                bytes += row.item.size
            }
            guard rows.count == Self.step, let reached = rows.last?.record.id else { return page }
            last = reached
        }
    }

    /// - Throws: ``Refusal`` with `epoch_changed` when a snapshot that was begun cannot go on.
    package func checkSnapshot(at revision: Revision?, epoch: String?) throws {
        if let epoch { try check(epoch) }
        // A page may be asked for with any number: what was never handed out starts over.
        if let revision, revision > layer.head || revision < layer.horizon { throw Self.startOver }
    }

    /// The latest state of what changed for this view after a cursor.
    ///
    /// - Throws: ``Refusal`` with `epoch_changed` for a cursor of another epoch, too old, or ahead of the layer.
    package func delta(since cursor: Cursor, limit: Int) throws -> Delta {
        try check(cursor.epoch)
        guard cursor.revision <= layer.head, cursor.revision >= layer.horizon else { throw Self.startOver }
        var delta = Delta(epoch: epoch, changes: [], upTo: cursor.revision, more: false)
        var bytes = 0
        var looked = 0
        while delta.upTo < layer.head, looked < Self.scanned {
            let window = try window(after: delta.upTo)
            for item in window.items {
                if delta.changes.count >= limit || bytes >= Self.pageBytes {
                    delta.upTo = delta.changes.last?.revision ?? delta.upTo
                    delta.more = true
                    return delta
                }
                delta.changes.append(item)
                bytes += item.size
            }
            delta.upTo = window.reach
            looked += Self.step
        }
        delta.more = delta.upTo < layer.head
        return delta
    }

    /// The next changes in revision order, and the revision up to which they are all.
    private func window(after revision: Revision) throws -> (items: [SyncItem], reach: Revision) {
        // Two lists in revision order, walked as one. Every revision stands in at most one row of each.
        let records = try store.changed(in: layer, after: revision, limit: Self.step)
        let departures = try store.departures(in: layer, after: revision, limit: Self.step)
        var reach = layer.head
        if records.count == Self.step { reach = min(reach, records.last?.revision ?? reach) }
        if departures.count == Self.step { reach = min(reach, departures.last?.revision ?? reach) }
        var items: [SyncItem] = records.filter { $0.revision <= reach && scope.contains($0.subject) }.map(\.item)
        var seen = Set(items.map { ByteOrdered($0.id) })
        for departure in departures.reversed() where departure.revision <= reach && scope.contains(departure.subject) {
            guard seen.insert(ByteOrdered(departure.id)).inserted else { continue }
            // Back in sight since: its state comes at its own revision.
            if let now = try store.record(departure.id, in: layer), scope.contains(now.subject) { continue }
            items.append(.removed(departure.id, departure.revision))
        }
        return (items.sorted { $0.revision < $1.revision }, reach)
    }

    /// One record, if it is live and this view may see it.
    package func record(_ id: Record.ID) throws -> StoredRecord? {
        guard let record = try store.record(id, in: layer), record.isLive, scope.contains(record.subject) else {
            return nil
        }
        return record
    }

    func check(_ epoch: String) throws {
        guard epoch == self.epoch else { throw Self.startOver }
    }

    package static let startOver = Refusal(
        .epochChanged, "the layer or what the token may see has changed, or the cursor is too old: load it anew")
}
