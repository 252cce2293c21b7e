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
    /// The layer's generation, to which these revisions belong.
    private var generation: String?
    /// The highest revision that was printed in this generation.
    private var position: Revision = 0
    private var isCutOff = false
    /// Whether the person was told so.
    private var isTold = false
    private var lastTold: ContinuousClock.Instant?
    /// How many edits of this machine were put aside when the person was told so.
    private var aside = 0
    /// A connection that breaks again and again is reported once in this time.
    private static let pause = Duration.seconds(60)

    private let since: WatchStart?

    /// - Parameter since: After it, changes are printed before the start.
    init(_ session: LayerSession, since: WatchStart? = nil) {
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
        var metadata = try begin()
        // A restore that was noticed just now: the records are still those of the earlier generation.
        for _ in 0..<3 where metadata.cursor == nil {
            try await session.synchronize()
            metadata = try begin()
        }
        guard let revision = metadata.cursor?.revision else {
            throw CommandFailure("the server is being restored again and again; try again later", .unreachable)
        }
        (generation, position) = (metadata.generation, revision)
        if let since {
            try await tellMissed(since.revision(in: generation, metadata.lineage), upTo: revision)
        }
        Output.json(ready(revision))
        tellAside()
        for await event in events { try await heard(event) }
    }

    private mutating func begin() throws -> LayerMetadata {
        told = [:]
        return try descriptor.layer.store.read { store in
            try store.forEachRevision { told[$0] = $1 }
            return try store.metadata()
        }
    }

    /// Prints what changed between two revisions. Later changes are printed as they are heard of.
    private func tellMissed(_ since: Revision, upTo end: Revision) async throws {
        try await session.forEachChange(since: since) { item in
            guard item.revision <= end else { return }
            switch item {
            case .record(let record, let revision): Output.json(line(StoredRecord(record, revision), isNew: false))
            case .removed(let id, let revision): Output.json(line("deleted", id, revision: revision))
            }
        }
    }

    private mutating func heard(_ event: InstantEvent) async throws {
        switch event {
        case .didChangeRecords(let ids, _):
            try look(at: Set(ids.map(ByteOrdered.init)))
            tellAside()
        case .didMissEvents: try look(at: nil)
        case .didFinishSync: try lookAtGeneration()
        case .didFailAuthentication(let need) where need != .noneYet:
            descriptor.reauthenticate(withJWT: try await session.anotherToken(for: need))
        case .willExpireToken:
            // Early renewal: a source without a new token is asked again when one is required.
            if let token = try? await session.tokens?.next() { descriptor.reauthenticate(withJWT: token) }
        case .didLoseAccess(let why): throw CommandFailure(why)
        // Lost access, or another program has removed the storage.
        case .didChangeSyncState(.invalid):
            if case .lost(let why) = descriptor.status.connection { throw CommandFailure(why) }
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

    /// A restored server may have the same records, so that none of them tells of its generation.
    private mutating func lookAtGeneration() throws {
        let now = try descriptor.layer.store.read { try $0.metadata().generation }
        if !now.isExactly(generation) { try look(at: nil) }
    }

    /// What is found when the layer is looked at.
    private struct Found {
        var records: [(id: ByteOrdered, stored: StoredRecord?)]
        var head: Revision
        var count: Int
        /// nil: the generation is the one before.
        var renewal: Renewal?
    }

    /// Another generation of the layer.
    private struct Renewal {
        var generation: String?
        /// The last revision that both generations have; nil if they have none.
        var fork: Revision?
        /// The name of the event.
        var event: String

        init(_ metadata: LayerMetadata, after earlier: String?) {
            generation = metadata.generation
            let entry = metadata.lineage?.last { $0.generation.isExactly(earlier) }
            fork = entry?.head
            let isRecreated = entry == nil && metadata.lineage?.last?.ending == .recreated
            event = isRecreated ? "recreated" : "rolled-back"
        }
    }

    /// - Parameter ids: nil for all records.
    private func find(_ ids: Set<ByteOrdered>?) throws -> Found? {
        try descriptor.layer.store.read { store in
            let metadata = try store.metadata()
            var found = Found(records: [], head: metadata.cursor?.revision ?? 0, count: 0)
            if !metadata.generation.isExactly(generation) {
                // Until all of it has arrived, the records are those of the earlier generation.
                guard metadata.cursor != nil else { return nil }
                found.renewal = Renewal(metadata, after: generation)
            }
            var ids = ids
            if ids == nil || found.renewal != nil { ids = try changed(in: store, found.renewal, &found.count) }
            found.records = try (ids ?? []).map { (id: $0, stored: try store.record($0.text)) }
            return found
        }
    }

    /// Returns every record that differs from the printed one. Above the fork, equal revisions of two generations are
    /// different changes.
    private func changed(in store: any StoredLayer, _ renewal: Renewal?, _ count: inout Int) throws -> Set<ByteOrdered>
    {
        var changed: Set<ByteOrdered> = []
        var gone = told
        try store.forEachRevision { id, revision in
            count += 1
            let isKnown = gone.removeValue(forKey: id) == revision
            if !isKnown || renewal.map({ revision > $0.fork ?? 0 }) == true { changed.insert(id) }
        }
        return changed.union(gone.keys)
    }

    private mutating func look(at ids: Set<ByteOrdered>?) throws {
        guard let found = try find(ids) else { return }
        let gone = found.renewal?.event == "rolled-back" ? "rolled-back" : "deleted"
        // Until the last line of a renewal, a script that stops has to begin again where it was before.
        let place = found.renewal == nil ? nil : position
        var lines: [(revision: Revision, text: String)] = []
        for (id, stored) in found.records {
            switch (stored, told[id]) {
            case (let stored?, let before?) where stored.revision == before && found.renewal == nil: continue
            case (let stored?, let before):
                told[id] = stored.revision
                lines.append((stored.revision, line(stored, isNew: before == nil, revision: place)))
            case (nil, _?):
                told[id] = nil
                lines.append((found.head, line(gone, id.text, revision: place ?? found.head)))
            case (nil, nil): continue
            }
        }
        for line in lines.sorted(by: { $0.revision < $1.revision }) { Output.json(line.text) }
        if let renewal = found.renewal {
            (generation, position) = (renewal.generation, found.head)
            Output.json(line(of: renewal, found))
        }
        position = max(position, lines.map(\.revision).max() ?? 0)
    }

    // MARK: Lines

    private func ready(_ revision: Revision) -> String {
        JSONWriter.text {
            $0.member("event", "ready")
            $0.member("document", descriptor.identifier)
            $0.member("layer", descriptor.layerName)
            $0.member("user", orNull: descriptor.userID)
            $0.member("generation", orNull: generation)
            $0.member("revision", revision)
            $0.member("records", told.count)
        }
    }

    private func line(of renewal: Renewal, _ found: Found) -> String {
        JSONWriter.text {
            $0.member("event", renewal.event)
            $0.member("generation", orNull: generation)
            $0.member("revision", found.head)
            $0.member("records", found.count)
        }
    }

    /// - Parameter revision: The place of the event, if it is not that of the record.
    private func line(_ stored: StoredRecord, isNew: Bool, revision: Revision? = nil) -> String {
        JSONWriter.text(capacity: stored.record.content.text.utf8.count + 256) {
            $0.member("event", isNew ? "created" : "updated")
            $0.member("id", stored.id)
            $0.member("generation", orNull: generation)
            $0.member("revision", revision ?? stored.revision)
            $0.member("author", orNull: stored.record.updatedBy)
            $0.member("record", source: stored.record.json)
        }
    }

    /// - Parameter event: Why the record is gone.
    private func line(_ event: String, _ id: Record.ID, revision: Revision) -> String {
        JSONWriter.text {
            $0.member("event", event)
            $0.member("id", id)
            $0.member("generation", orNull: generation)
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
