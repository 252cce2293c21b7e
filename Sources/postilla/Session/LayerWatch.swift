import Annotations
import Instant
import InstantCore
import SyncProtocol

/// Prints a layer's changes until the process ends.
///
/// Events only trigger a check: the output comes from comparing revisions with those printed last, so a missed or
/// duplicate event has no effect.
struct LayerWatch {
    private let session: LayerSession
    private var told: [ByteOrdered: Revision] = [:]
    private var isCutOff = false
    /// Whether the person was told so.
    private var isTold = false
    private var lastTold: ContinuousClock.Instant?
    /// How many edits of this machine were put aside when the person was told so.
    private var aside = 0
    /// A connection that breaks again and again is reported once in this time.
    private static let pause = Duration.seconds(60)

    private let since: Revision?

    /// - Parameter since: The revision after which changes are printed before the start.
    init(_ session: LayerSession, since: Revision? = nil) {
        self.session = session
        self.since = since
    }

    private var descriptor: InstantDocumentDescriptor { session.descriptor }

    /// - Throws: ``CommandFailure`` when the server is unreachable at the beginning, access is lost, or the source has
    ///   no other token.
    mutating func run() async throws {
        let events = descriptor.events
        descriptor.startListeningForServerChanges()
        try await session.synchronize()
        let revision = try descriptor.layer.store.read { store in
            try store.forEachRevision { told[$0] = $1 }
            return try store.metadata().cursor?.revision ?? 0
        }
        if let since { try await tellMissed(since, upTo: revision) }
        Output.json(ready(revision))
        tellAside()
        for await event in events { try await heard(event) }
    }

    /// Prints what changed between two revisions. Later changes are printed as they are heard of.
    private func tellMissed(_ since: Revision, upTo end: Revision) async throws {
        try await session.forEachChange(since: since) { item in
            guard item.revision <= end else { return }
            switch item {
            case .record(let record, let revision): Output.json(Self.line(StoredRecord(record, revision), isNew: false))
            case .removed(let id, let revision): Output.json(Self.line(deleted: id, revision: revision))
            }
        }
    }

    private mutating func heard(_ event: InstantEvent) async throws {
        switch event {
        case .didChangeRecords(let ids, _):
            try look(at: Set(ids.map(ByteOrdered.init)))
            tellAside()
        case .didMissEvents: try look(at: changed())
        case .didFailAuthentication(let need) where need != .noneYet:
            descriptor.reauthenticate(withJWT: try await session.anotherToken(for: need))
        case .willExpireToken:
            // Early renewal: a source without a new token is asked again when one is required.
            if let token = try? await session.tokens?.next() { descriptor.reauthenticate(withJWT: token) }
        case .didLoseAccess(let why): throw CommandFailure(why)
        case .didChangeConnection: tellConnection()
        default: break
        }
    }

    private mutating func tellConnection() {
        switch descriptor.status.connection {
        case .offline where !isCutOff:
            isCutOff = true
            guard lastTold.map({ .now - $0 > Self.pause }) ?? true else { return }
            (isTold, lastTold) = (true, .now)
            Output.message("\(descriptor.status.problem ?? "the server cannot be reached"); retrying")
        case .live where isCutOff:
            isCutOff = false
            guard isTold else { return }
            isTold = false
            Output.message("reconnected")
        default: break
        }
    }

    private mutating func tellAside() {
        let count = descriptor.status.aside
        defer { aside = count }
        guard count > aside else { return }
        Output.message(LayerSession.putAside(count))
    }

    /// Returns every record whose revision differs from the printed one.
    private func changed() throws -> Set<ByteOrdered> {
        try descriptor.layer.store.read { store in
            var changed: Set<ByteOrdered> = []
            var gone = told
            try store.forEachRevision { id, revision in
                if gone.removeValue(forKey: id) != revision { changed.insert(id) }
            }
            return changed.union(gone.keys)
        }
    }

    private mutating func look(at ids: Set<ByteOrdered>) throws {
        let (found, head) = try descriptor.layer.store.read { store in
            (try ids.map { (id: $0, stored: try store.record($0.text)) }, try store.metadata().cursor?.revision ?? 0)
        }
        var lines: [(revision: Revision, text: String)] = []
        for (id, stored) in found {
            switch (stored, told[id]) {
            case (let stored?, let before?) where stored.revision == before: continue
            case (let stored?, let before):
                told[id] = stored.revision
                lines.append((stored.revision, Self.line(stored, isNew: before == nil)))
            case (nil, _?):
                told[id] = nil
                lines.append((head, Self.line(deleted: id.text, revision: head)))
            case (nil, nil): continue
            }
        }
        for line in lines.sorted(by: { $0.revision < $1.revision }) { Output.json(line.text) }
    }

    private func ready(_ revision: Revision) -> String {
        JSONWriter.text {
            $0.member("event", "ready")
            $0.member("document", descriptor.identifier)
            $0.member("layer", descriptor.layerName)
            $0.member("user", orNull: descriptor.userID)
            $0.member("revision", revision)
            $0.member("records", told.count)
        }
    }

    private static func line(_ stored: StoredRecord, isNew: Bool) -> String {
        JSONWriter.text(capacity: stored.record.content.text.utf8.count + 256) {
            $0.member("event", isNew ? "created" : "updated")
            $0.member("id", stored.id)
            $0.member("revision", stored.revision)
            $0.member("author", orNull: stored.record.updatedBy)
            $0.member("record", source: stored.record.json)
        }
    }

    private static func line(deleted id: Record.ID, revision: Revision) -> String {
        JSONWriter.text {
            $0.member("event", "deleted")
            $0.member("id", id)
            $0.member("revision", revision)
        }
    }
}

extension StoredLayer {
    /// Visits all server records in one snapshot of the store, a thousand at a time.
    fileprivate func forEachRevision(_ body: (ByteOrdered, Revision) -> Void) throws {
        var last: Record.ID?
        while case let rows = try records(after: last, limit: 1000), !rows.isEmpty {
            for row in rows { body(ByteOrdered(row.id), row.revision) }
            last = rows.last?.id
        }
    }
}
