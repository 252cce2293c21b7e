package import Annotations
import Authorization
package import SyncProtocol

/// Writes records of one layer in one transaction: assigns revisions, records departures, and collects the changes for
/// listeners. Checks no permissions.
package struct LayerWriter {
    package let store: any StoreWriting
    package private(set) var layer: ServerLayer
    package let now: Timestamp
    private let before: Revision
    /// Every state written, in revision order.
    private var written: [ServerRecord] = []
    private var departures: [Departure] = []

    package init(_ layer: ServerLayer, in store: any StoreWriting, now: Timestamp) {
        self.layer = layer
        before = layer.head
        self.store = store
        self.now = now
    }

    /// The changes of this transaction so far.
    package var commit: Commit {
        // Most transactions write one record once.
        guard written.count > 1 else {
            return Commit(before: before, layer: layer, records: written, departures: departures)
        }
        var seen: Set<ByteOrdered> = []
        let last = written.reversed().filter { seen.insert(ByteOrdered($0.id)).inserted }
        return Commit(before: before, layer: layer, records: last.reversed(), departures: departures)
    }

    /// Writes a record's new state under the next revision.
    ///
    /// - Parameters:
    ///   - isCommentThreadRoot: of a new record, what its content says; of an existing one, what is stored.
    ///   - old: the stored state; nil if none.
    ///   - client: the writing client; nil for a backend, which ends every run.
    @discardableResult
    package mutating func write(
        _ record: Record, contentType: ContentType, rootID: Record.ID?, isCommentThreadRoot: Bool = false,
        over old: ServerRecord?, client: String?
    ) throws -> ServerRecord {
        // A record over a tombstone is another one.
        let run = run(of: client, over: old.flatMap { $0.isLive ? $0 : nil }, since: old?.revision ?? 0)
        let new = ServerRecord(
            record, revision: layer.head + 1, contentType: contentType, rootID: rootID,
            isCommentThreadRoot: isCommentThreadRoot, run: run)
        // To its views, an overwritten tombstone is equivalent to a departure.
        if let old, old.subject != new.subject {
            try depart(old, at: old.isLive ? new.revision : old.revision)
        }
        try put(new)
        return new
    }

    /// Removes records together. The last one is the record that the caller asked to remove; the others are its
    /// cascade.
    ///
    /// - Returns: the revision of the last record.
    package mutating func remove(_ records: [ServerRecord], by user: String?, client: String?) throws -> Revision {
        let last = layer.head + Revision(records.count)
        for (index, record) in records.enumerated() {
            var removed = record
            removed.revision = layer.head + 1
            removed.run = run(of: client, over: record, since: record.revision)
            removed.removal = ServerRecord.Removal(
                by: user, client: client, cascade: index == records.count - 1 ? nil : last, at: now)
            try put(removed)
        }
        return layer.head
    }

    /// Restores a removed record.
    package mutating func restore(_ removed: ServerRecord, by user: String?, client: String?) throws {
        var live = removed
        live.removal = nil
        live.revision = layer.head + 1
        live.record.updatedBy = user
        live.run = run(of: client, over: removed, since: removed.revision)
        try put(live)
    }

    /// Returns the run that a write by this client continues or begins. A client that removes and restores a record
    /// remains its only writer.
    private func run(of client: String?, over old: ServerRecord?, since revision: Revision) -> ServerRecord.Run {
        if let client, let old, old.run.client == client { return old.run }
        return ServerRecord.Run(client: client, start: revision)
    }

    private mutating func depart(_ old: ServerRecord, at revision: Revision) throws {
        let departure = Departure(id: old.id, revision: revision, subject: old.subject, at: now)
        try store.add(departure, in: layer)
        departures.append(departure)
    }

    private mutating func put(_ record: ServerRecord) throws {
        try store.put(record, in: layer)
        try store.setHead(record.revision, of: layer)
        layer.head = record.revision
        written.append(record)
    }

    /// A position to roll back to.
    struct Mark {
        fileprivate var layer: ServerLayer
        fileprivate var written: Int
        fileprivate var departures: Int
    }

    var mark: Mark { Mark(layer: layer, written: written.count, departures: departures.count) }

    /// Discards everything written since `mark`; the caller must also roll back the store.
    mutating func goBack(to mark: Mark) {
        layer = mark.layer
        written.removeSubrange(mark.written...)
        departures.removeSubrange(mark.departures...)
    }
}

/// The effect of one transaction on one layer: everything needed to notify its listeners once it is durable.
package struct Commit: Hashable, Sendable {
    /// The layer's head before the transaction.
    package var before: Revision
    /// The layer's state after the transaction.
    package var layer: ServerLayer
    /// Each touched record once, in its final state, in revision order.
    package var records: [ServerRecord] = []
    package var departures: [Departure] = []
    /// The clientID of the client that gets the whole commit in the answer to its push.
    package var answered: String?

    package var isEmpty: Bool { records.isEmpty }

    package init(
        before: Revision, layer: ServerLayer, records: [ServerRecord] = [], departures: [Departure] = []
    ) {
        self.before = before
        self.layer = layer
        self.records = records
        self.departures = departures
    }
}
