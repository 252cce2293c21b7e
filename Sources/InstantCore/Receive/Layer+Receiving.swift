import Annotations
package import SyncProtocol

/// What others did. Rows and cursor move in one transaction; a row is never replaced by an older one and the cursor
/// never falls.
extension Layer {
    /// The answer to a pull, or the tail of the answer to a push.
    package func take(_ delta: Delta) throws -> LayerChanges {
        try store.write(.recoverable) { store in
            var changes = LayerChanges()
            let intake = try store.take(delta, facts: store.metadata(), into: &changes)
            try store.show(changes, knowing: intake)
            return changes
        }
    }

    /// What an event of the live stream changed, and what its listener has to know then.
    package struct Heard: Hashable, Sendable {
        package var changes = LayerChanges()
        /// Of ours, behind the event; nil when it changed nothing.
        package var backlog: Backlog?
    }

    /// One event of the live stream: ignored when known, applied when it follows, else something was missed.
    package func take(_ event: ChangeEvent) throws -> Heard {
        try store.write(.recoverable) { store in
            var heard = Heard()
            let facts = try store.metadata()
            guard let cursor = facts.cursor else { return heard }
            guard event.epoch == cursor.epoch else {
                heard.changes.needsPull = true
                return heard
            }
            guard event.revision > cursor.revision else { return heard }
            guard event.previous <= cursor.revision else {
                heard.changes.needsPull = true
                return heard
            }
            let intake = try store.take(
                Delta(epoch: event.epoch, changes: event.changes, upTo: event.revision, more: false), facts: facts,
                into: &heard.changes)
            try store.show(heard.changes, knowing: intake)
            if !heard.changes.ids.isEmpty {
                heard.backlog = intake.nothingWaits ? Backlog.none : try store.backlog(self.metadata(in: store).grant)
            }
            return heard
        }
    }
}

extension WritableLayer {
    /// Rows and cursor; what is shown of them follows with ``show(_:knowing:)``, once for all.
    func take(_ delta: Delta, facts: LayerMetadata, into changes: inout LayerChanges) throws -> ApplyContext {
        var intake = ApplyContext(facts: facts)
        guard let cursor = intake.facts.cursor, cursor.epoch == delta.epoch else {
            if intake.facts.cursor != nil { changes.needsSnapshot = true }
            return intake
        }
        for item in delta.changes { try item.check() }
        intake.nothingWaits = try !hasEntries()
        // What the cursor has passed is known: a late answer does not bring back what is gone since.
        for item in delta.changes where item.revision > cursor.revision {
            try receive(item, &intake, into: &changes)
        }
        if delta.upTo > cursor.revision {
            intake.facts.cursor?.revision = delta.upTo
            try moveCursor(to: delta.upTo)
            if !intake.nothingWaits { try forgetApplied(upTo: delta.upTo, into: &changes) }
        }
        return intake
    }

    func receive(_ item: SyncItem, _ intake: inout ApplyContext, into changes: inout LayerChanges) throws {
        let stored = try record(item.id)
        guard item.revision > stored?.revision ?? -1 else { return }
        let own = try ownWrite(item.id)
        switch item {
        case .record(let record, let revision):
            let record = StoredRecord(record, revision)
            try put(record)
            intake.note(item.id, became: record)
        case .removed(let id, _):
            intake.note(id, became: nil)
            guard stored != nil else { break }
            try removeRecord(id)
            // It went by another hand: what is noted of a record that is not here is a delete of ours and nothing else.
            if let own, own.revision < item.revision { try forgetOwnWrite(id) }
        }
        for entry in intake.nothingWaits ? [] : try entries(of: item.id) {
            if case .applied(_, let revision) = entry.state, revision <= item.revision { try removeEntry(entry.seq) }
        }
        changes.ids.insert(item.id)
        if !isOurs(item, own, user: intake.facts.identity.userID) { changes.byOthers.insert(item.id) }
    }

    /// Makes every row that a step changed agree with record and outbox again, and marks what others did as unread.
    func show(_ changes: LayerChanges, knowing intake: ApplyContext? = nil) throws {
        let intake = try intake ?? ApplyContext(facts: metadata())
        for id in changes.ids { try refresh(id, as: intake.overlay(id, in: self)) }
        try setUnread(changes.byOthers, true)
    }

    /// The record went by another hand: what is noted of a record that is not here is a delete of ours and nothing else.
    func forgetOwnWrite(_ id: Record.ID, upTo revision: Revision) throws {
        if let own = try ownWrite(id), own.revision <= revision { try forgetOwnWrite(id) }
    }

    /// Written by this store, or by the same person elsewhere.
    private func isOurs(_ item: SyncItem, _ own: OwnWrite?, user: String?) -> Bool {
        if own?.revision == item.revision { return true }
        guard case .record(let record, _) = item, let user else { return false }
        return record.updatedBy == user
    }

    /// The server's rows have caught up with these changes of ours.
    func forgetApplied(upTo revision: Revision, into changes: inout LayerChanges) throws {
        for entry in try entries(in: [.applied], limit: .max) {
            guard case .applied(_, let applied) = entry.state, applied <= revision else { continue }
            try removeEntry(entry.seq)
            changes.ids.insert(entry.id)
        }
    }
}

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
