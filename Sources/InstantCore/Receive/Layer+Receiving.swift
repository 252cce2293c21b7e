import Annotations
package import SyncProtocol

/// Remote changes. Rows and cursor change in one transaction; an older row never replaces a newer one, and the cursor
/// never moves back.
extension Layer {
    /// Applies the response to a pull.
    package func take(_ delta: Delta) throws -> LayerChanges {
        try store.write(.recoverable) { store in
            var changes = LayerChanges()
            let intake = try store.take(delta, metadata: store.metadata(), into: &changes)
            try store.show(changes, knowing: intake)
            return changes
        }
    }

    /// The changes of a live event, and the backlog after it.
    package struct Heard: Hashable, Sendable {
        package var changes = LayerChanges()
        /// The local backlog; nil if the event changed nothing.
        package var backlog: Backlog?
    }

    /// Applies one live event: ignores a known one, applies the next one, and requests a pull after a gap.
    package func take(_ event: ChangeEvent) throws -> Heard {
        try store.write(.recoverable) { store in
            var heard = Heard()
            let metadata = try store.metadata()
            guard let cursor = metadata.cursor else { return heard }
            guard event.epoch == cursor.epoch else {
                heard.changes.needsPull = true
                return heard
            }
            guard event.revision > cursor.revision else { return heard }
            guard !event.isGap(after: cursor.revision) else {
                heard.changes.needsPull = true
                return heard
            }
            let intake = try store.take(
                Delta(epoch: event.epoch, changes: event.changes, upTo: event.revision, more: false),
                metadata: metadata,
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
    /// Writes rows and cursor; ``show(_:knowing:)`` then updates all shown rows at once.
    func take(_ delta: Delta, metadata: LayerMetadata, into changes: inout LayerChanges) throws -> ApplyContext {
        var intake = ApplyContext(metadata: metadata)
        guard let cursor = intake.metadata.cursor, cursor.epoch == delta.epoch else {
            if intake.metadata.cursor != nil { changes.needsSnapshot = true }
            return intake
        }
        for item in delta.changes { try item.check() }
        intake.nothingWaits = try !hasEntries()
        if !intake.nothingWaits { intake.along = ChangedAlong(try entries(in: [.sealed, .applied], limit: .max)) }
        // The cursor covers older revisions: a delayed response must not bring back a removed record.
        for item in delta.changes where item.revision > cursor.revision {
            try receive(item, &intake, into: &changes)
        }
        if delta.upTo > cursor.revision {
            intake.metadata.cursor?.revision = delta.upTo
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
            // Another client removed it. For a missing record, only a local delete is remembered.
            if let own, own.revision < item.revision { try forgetOwnWrite(id) }
        }
        for entry in intake.nothingWaits ? [] : try entries(of: item.id) {
            if case .applied(_, let revision) = entry.state, revision <= item.revision {
                try removeEntry(entry.seq)
                changes.touch(entry)
            }
        }
        let isOurs =
            isOurs(item, own, user: intake.metadata.identity.userID)
            || !intake.nothingWaits && intake.along.has(item, stored: stored?.record)
        changes.touch(item.id, byOthers: !isOurs)
    }

    /// Updates every changed row from the record and the outbox, and marks changes by others as unread.
    func show(_ changes: LayerChanges, knowing intake: ApplyContext? = nil) throws {
        let intake = try intake ?? ApplyContext(metadata: metadata())
        for id in changes.ids.lazy.map(\.text) {
            try refresh(
                id, as: intake.overlay(id, in: self), metadata: intake.metadata, nothingWaits: intake.nothingWaits)
        }
        try setUnread(changes.byOthers.lazy.map(\.text), true)
        // A comment has no row in the list: whoever is named in it finds its annotation there.
        guard !changes.byOthers.isEmpty, let user = intake.metadata.identity.userID else { return }
        let named = try mentions(of: user).filter { changes.byOthers.contains(ByteOrdered($0.id)) }
        try setUnread(named.map(\.root), true)
    }

    /// Forgets a local write to a record that another client removed. For a missing record, only a local delete is
    /// remembered.
    func forgetOwnWrite(_ id: Record.ID, upTo revision: Revision) throws {
        if let own = try ownWrite(id), own.revision <= revision { try forgetOwnWrite(id) }
    }

    /// Whether this store, or the same user elsewhere, wrote the item.
    private func isOurs(_ item: SyncItem, _ own: OwnWrite?, user: String?) -> Bool {
        if own?.revision == item.revision { return true }
        guard case .record(let record, _) = item, let user else { return false }
        return record.updatedBy.isExactly(user)
    }

    /// Removes the applied entries that the received rows have caught up with.
    func forgetApplied(upTo revision: Revision, into changes: inout LayerChanges) throws {
        for entry in try entries(in: [.applied], limit: .max) {
            guard case .applied(_, let applied) = entry.state, applied <= revision else { continue }
            try removeEntry(entry.seq)
            changes.touch(entry)
        }
    }
}

/// What the user's own deletes and restores change along with their record: the comments of a root, and the root of a
/// last comment. The server names other people as their authors, but for this user they are not unread.
struct ChangedAlong {
    /// Roots that are being deleted or restored, with the time of the edit.
    private var roots: [ByteOrdered: Timestamp] = [:]
    /// Roots that go or come back with their last comment.
    private var takenRoots: Set<ByteOrdered> = []

    init(_ entries: [OutboxEntry] = []) {
        for entry in entries where entry.kind == .delete || entry.kind == .restore {
            roots[ByteOrdered(entry.id)] = entry.madeAt
            if let root = entry.takenRoot { takenRoots.insert(ByteOrdered(root)) }
        }
    }

    /// - Parameter stored: The record before the change.
    func has(_ item: SyncItem, stored: Record?) -> Bool {
        guard !roots.isEmpty else { return false }
        if takenRoots.contains(ByteOrdered(item.id)) { return true }
        switch item {
        case .removed: return stored?.content["rootId"]?.string.map { roots[ByteOrdered($0)] != nil } ?? false
        case .record(let record, _):
            // A comment made since the edit is news.
            guard let root = record.content["rootId"]?.string, let madeAt = roots[ByteOrdered(root)] else {
                return false
            }
            return stored == nil && Annotation(record).createdAt.map { $0 < madeAt } ?? true
        }
    }
}

/// The state that a transaction of remote changes has already read, so that it reads nothing twice.
struct ApplyContext {
    /// The metadata, including this transaction's changes.
    var metadata: LayerMetadata
    /// Whether the outbox is empty. This holds until the end of the transaction, because remote changes append nothing.
    /// False if not checked.
    var nothingWaits = false
    /// Empty if nothing waits.
    var along = ChangedAlong()
    /// The applied records; nil for a removed one.
    private var received: [ByteOrdered: StoredRecord?] = [:]

    init(metadata: LayerMetadata) { self.metadata = metadata }

    mutating func note(_ id: Record.ID, became record: StoredRecord?) { received[ByteOrdered(id)] = .some(record) }

    /// Returns the row of a record as it is to be shown. Reads only what is not yet known.
    func overlay(_ id: Record.ID, in store: some StoredLayer) throws -> Overlay {
        let stored = if let known = received[ByteOrdered(id)] { known } else { try store.record(id) }
        return try nothingWaits
            ? Overlay(stored, under: [], metadata: metadata) : store.overlay(stored, of: id, metadata: metadata)
    }
}
