package import Annotations
package import Authorization
package import SyncProtocol

/// One layer as one view sees it, inside one transaction.
package struct LayerView {
    package let store: any StoreReading
    package let layer: ServerLayer
    package let scope: ViewScope

    package init(_ layer: ServerLayer, scope: ViewScope, in store: any StoreReading) {
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

    /// The live visible records after an id, in id order, as they go over the wire: they are written out where the
    /// store keeps them, and nothing is made of them in between.
    ///
    /// - Parameters:
    ///   - revision: what the first page of this snapshot stood at; nil for the first page.
    ///   - epoch: of the snapshot begun; nil for the first page.
    /// - Throws: ``APIError`` with `epoch_changed` when the snapshot cannot go on.
    package func snapshot(
        after id: Record.ID?, at revision: Revision? = nil, epoch: String? = nil, limit: Int
    ) throws -> WrittenPage {
        try checkSnapshot(at: revision, epoch: epoch)
        // A layer holds as many records as it had changes, at most, and those of the PDF.
        let size = min(Self.pageBytes, 512 * (64 + Int(min(layer.head, 2_000))))
        return try WrittenPage(epoch: self.epoch, at: revision ?? layer.head, size: size) { json in
            try records(after: id, limit: limit, to: &json)
        }
    }

    /// - Returns: where there is more to see: the last one written.
    private func records(after id: Record.ID?, limit: Int, to json: inout JSONWriter) throws -> Record.ID? {
        let seesAll = scope == .everything
        var (count, bytes) = (0, 0)
        // The place to go on from is a record the view may see: no other id leaves the server.
        var last: Record.ID?
        var isMore = false
        try store.visitLive(in: layer, after: id) { row in
            guard try seesAll || scope.contains(row.subject()) else { return true }
            guard last == nil else {
                isMore = true
                return false
            }
            row.write(to: &json)
            count += 1
            bytes += row.content.count + SyncItem.overhead
            if count >= limit || bytes >= Self.pageBytes { last = String(decoding: row.id, as: UTF8.self) }
            return true
        }
        return isMore ? last : nil
    }

    /// - Throws: ``APIError`` with `epoch_changed` when a snapshot that was begun cannot go on.
    private func checkSnapshot(at revision: Revision?, epoch: String?) throws {
        if let epoch { try check(epoch) }
        // A page may be asked for with any number: what was never handed out starts over.
        if let revision, revision > layer.head || revision < layer.horizon { throw Self.startOver }
    }

    /// The latest state of what changed for this view after a cursor.
    ///
    /// - Throws: ``APIError`` with `epoch_changed` for a cursor of another epoch, too old, or ahead of the layer.
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

    func check(_ epoch: String) throws {
        guard epoch == self.epoch else { throw Self.startOver }
    }

    package static let startOver = APIError(
        .epochChanged, "the layer or what the token may see has changed, or the cursor is too old: load it anew")

    private static let marksAtOnce = 2_000

    /// All live records that the view may see, added up.
    ///
    /// - Parameter epoch: the epoch that the client has.
    /// - Throws: ``APIError`` with `epoch_changed`.
    package func digest(epoch: String) throws -> DigestAnswer {
        try check(epoch)
        var digest = ViewDigest()
        var marks: [RecordMark] = []
        repeat {
            marks = try store.marks(in: layer, after: marks.last?.id, limit: Self.marksAtOnce)
            for mark in marks where scope.contains(mark.subject) { digest.add(mark.id, mark.revision) }
        } while marks.count == Self.marksAtOnce
        return DigestAnswer(epoch: self.epoch, upTo: layer.head, digest)
    }
}

extension ServerLayer {
    /// The view epoch: the layer's generation, its document's base version and what the bearer may see. A cursor is
    /// valid within one. Of letters, digits and `-` only: it travels in headers.
    package func epoch(for scope: ViewScope) -> String {
        "\(generation)-\(base)-\(Fingerprint.of(scope.canonicalText).prefix(16))"
    }

    /// Whether an epoch, of whichever view, is of the layer's present generation: its revisions mean what they say.
    func isGeneration(ofEpoch epoch: String) -> Bool { epoch.utf8.starts(with: "\(generation)-".utf8) }
}

/// What one view gets to know of a record: its latest state, that it is gone, or nothing at all.
extension ViewScope {
    /// - Parameter departures: the ways by which the record left a group since the view last looked.
    package func item(_ record: ServerRecord, departures: some Sequence<Departure>) -> SyncItem? {
        if contains(record.subject) { return record.item }
        // Gone from this view only if this view could see it where it left from.
        guard let last = departures.filter({ contains($0.subject) }).map(\.revision).max() else { return nil }
        return .removed(record.id, last)
    }
}

extension [Record] {
    /// As a thread is read: in the order of creation, and of ids where moments are the same or missing.
    package func inOrderOfCreation() -> [Record] {
        let keyed = map { record in
            (made: Annotation(record).createdAt?.milliseconds ?? .min, id: ByteOrdered(record.id), record: record)
        }
        return keyed.sorted { ($0.made, $0.id) < ($1.made, $1.id) }.map(\.record)
    }
}
