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

    /// Selects what the view sees; nil if it sees everything.
    private var selection: ((Subject) -> Bool)? {
        guard scope != .everything else { return nil }
        return { [scope] in scope.contains($0) }
    }

    /// Rows per read, and rows scanned per delta, so that a view that sees little does not hold the store for long.
    private static let step = 200
    private static let scanned = 4_000

    /// The size at which a page ends, however few records it holds: with one more record of the maximum size it still
    /// fits on one event line (2 MB).
    static let pageBytes = 768 << 10

    /// Returns the live visible records after an id, in id order, in wire format. They are serialised directly from the
    /// store's rows, without intermediate objects.
    ///
    /// - Parameters:
    ///   - revision: the revision of the snapshot's first page; nil for the first page.
    ///   - epoch: the epoch of the snapshot; nil for the first page.
    /// - Throws: ``APIError`` with `epoch_changed` if the snapshot cannot be continued.
    package func snapshot(
        after id: Record.ID?, at revision: Revision? = nil, epoch: String? = nil, limit: Int
    ) throws -> WrittenPage {
        try checkSnapshot(at: revision, epoch: epoch)
        // A layer holds at most one record per change, plus those of the PDF.
        let size = min(Self.pageBytes, 512 * (64 + Int(min(layer.head, 2_000))))
        return try WrittenPage(epoch: self.epoch, at: revision ?? layer.head, size: size) { json in
            try records(after: id, limit: limit, to: &json)
        }
    }

    /// - Returns: the last id written, if more visible records follow.
    private func records(after id: Record.ID?, limit: Int, to json: inout JSONWriter) throws -> Record.ID? {
        let seesAll = scope == .everything
        var (count, bytes) = (0, 0)
        // Continue after a record the view may see: no other id leaves the server.
        var last: Record.ID?
        var isMore = false
        try store.visitLive(in: layer, after: id, where: selection) { row in
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

    /// - Throws: ``APIError`` with `epoch_changed` if a snapshot cannot be continued.
    private func checkSnapshot(at revision: Revision?, epoch: String?) throws {
        if let epoch { try check(epoch) }
        // A request can name any revision; for one that was never issued, the client must start over.
        if let revision, revision > layer.head || revision < layer.horizon { throw Self.startOver }
    }

    /// Returns the latest state of everything that changed for this view after a cursor.
    ///
    /// - Parameter sent: The contents that the answer need not repeat.
    /// - Throws: ``APIError`` with `epoch_changed` if the cursor has another epoch, is too old, or is ahead of the
    ///   layer.
    package func delta(since cursor: Cursor, limit: Int, omitting sent: SentContents? = nil) throws -> Delta {
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
                bytes += item.size(omitting: sent)
            }
            delta.upTo = window.reach
            looked += Self.step
        }
        delta.more = delta.upTo < layer.head
        return delta
    }

    /// Returns the next changes in revision order, and the revision up to which they are complete.
    private func window(after revision: Revision) throws -> (items: [SyncItem], reach: Revision) {
        // Merge two lists in revision order. A revision occurs at most once in each.
        let records = try store.changed(in: layer, after: revision, limit: Self.step)
        let departures = try store.departures(in: layer, after: revision, limit: Self.step)
        var reach = layer.head
        if records.count == Self.step { reach = min(reach, records.last?.revision ?? reach) }
        if departures.count == Self.step { reach = min(reach, departures.last?.revision ?? reach) }
        var items: [SyncItem] = records.filter { $0.revision <= reach && scope.contains($0.subject) }.map(\.item)
        var seen = Set(items.map { ByteOrdered($0.id) })
        for departure in departures.reversed() where departure.revision <= reach && scope.contains(departure.subject) {
            guard seen.insert(ByteOrdered(departure.id)).inserted else { continue }
            // The record has become visible again: its state follows at its own revision.
            if let now = try store.intactRecord(departure.id, in: layer), scope.contains(now.subject) { continue }
            items.append(.removed(departure.id, departure.revision))
        }
        return (items.sorted { $0.revision < $1.revision }, reach)
    }

    func check(_ epoch: String) throws {
        guard epoch == self.epoch else { throw Self.startOver }
    }

    package static let startOver = APIError(
        .epochChanged, "the layer or the token's view has changed, or the cursor is too old; reload the layer")

    private static let marksAtOnce = 2_000

    /// Computes the digest of all live records that the view may see.
    ///
    /// - Parameter epoch: the client's epoch.
    /// - Throws: ``APIError`` with `epoch_changed`.
    package func digest(epoch: String) throws -> DigestAnswer {
        try check(epoch)
        var digest = ViewDigest()
        var marks: [RecordMark] = []
        repeat {
            marks = try store.marks(
                in: layer, after: marks.last?.id, limit: Self.marksAtOnce,
                where: selection)
            for mark in marks where scope.contains(mark.subject) { digest.add(mark.id, mark.revision) }
        } while marks.count == Self.marksAtOnce
        return DigestAnswer(epoch: self.epoch, upTo: layer.head, digest)
    }
}

extension ServerLayer {
    /// Returns the view epoch: the layer's generation, its document's base and what the token may see. A cursor is
    /// valid within one epoch. Contains only letters, digits and `-`, because it travels in headers.
    package func epoch(for scope: ViewScope) -> String {
        "\(generation)-\(base)-\(Fingerprint.of(scope.canonicalText).prefix(scalars: 16))"
    }

    /// Returns whether an epoch, of any view, belongs to the layer's current generation, so that its revisions are
    /// valid.
    func isGeneration(ofEpoch epoch: String) -> Bool { epoch.utf8.starts(with: "\(generation)-".utf8) }
}

/// What one view learns about a record: its latest state, its removal, or nothing.
extension ViewScope {
    /// - Parameter departures: the record's departures from groups since the view's last update.
    package func item(_ record: ServerRecord, departures: some Sequence<Departure>) -> SyncItem? {
        if contains(record.subject) { return record.item }
        // Removed from this view only if the view could see the record before it left.
        guard let last = departures.filter({ contains($0.subject) }).map(\.revision).max() else { return nil }
        return .removed(record.id, last)
    }
}

extension [Record] {
    /// Returns the records in the reading order of a thread: by creation time, then by id if times are equal or
    /// missing.
    package func inOrderOfCreation() -> [Record] {
        let keyed = map { record in
            (made: Annotation(record).createdAt?.milliseconds ?? .min, id: ByteOrdered(record.id), record: record)
        }
        return keyed.sorted { ($0.made, $0.id) < ($1.made, $1.id) }.map(\.record)
    }
}
