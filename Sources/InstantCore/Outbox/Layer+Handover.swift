package import Annotations
package import Authorization
import SyncProtocol

/// The edits of a store that no process uses any more, on their way to another store of the same layer and user.
package struct Handover: Hashable, Sendable {
    /// Names this handover in both stores.
    package var id: String
    package var entries: [OutboxEntry]
    /// Local files that the server may lack.
    package var uploads: Set<AttachmentID>
}

/// Moving edits between stores. No transaction spans two stores, so the steps are: the giving store names the handover,
/// the receiving one stores the edits and that name together, the giving one forgets the edits. Repeated after a crash,
/// they move each edit once. The caller holds the giving store for itself.
extension Layer {
    /// Whether this grant allows sending everything that waits.
    package func isSendable(by grant: Grant) throws -> Bool {
        guard grant.mayWrite else { return false }
        return try store.read { store in
            var metadata = try store.metadata()
            metadata.grant = grant
            return try store.entries(in: [.waiting, .sealed, .parked], limit: .max).allSatisfy {
                try grant.decide(store.operation(of: $0, metadata: metadata)).isAllowed
            }
        }
    }

    /// The first step, in the giving store.
    ///
    /// - Parameter id: A new name; an unfinished handover keeps its own.
    /// - Returns: nil if there is nothing to hand over.
    package func beginHandover(_ id: String) throws -> Handover? {
        let kept: Set<OutboxEntry.Stage> = [.waiting, .sealed, .parked, .conflict, .refused]
        return try store.write { store in
            let entries = try store.entries(in: kept, limit: .max)
            guard !entries.isEmpty else { return nil }
            let metadata = try store.metadata()
            if metadata.handover == nil { try store.changeMetadata { $0.handover = id } }
            return Handover(id: metadata.handover ?? id, entries: entries, uploads: metadata.uploads)
        }
    }

    /// The second step, in the receiving store. Sealed edits wait again, because their numbers belong to the giving
    /// store; if the server applied one, its answer shows that. An edit of a record that was edited here meanwhile
    /// becomes a conflict: the server would take it for a later edit of the same client.
    package func receive(_ handover: Handover) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            guard try !store.metadata().received.contains(handover.id) else { return changes }
            try store.changeMetadata {
                $0.received.append(handover.id)
                $0.uploads.formUnion(handover.uploads)
            }
            var arrived = handover.entries.filter { !$0.isPending }
            for edits in Dictionary(grouping: handover.entries.filter(\.isPending), by: { ByteOrdered($0.id) }).values {
                arrived += try store.arrived(edits, into: &changes)
            }
            // In the order of the giving store: a root comes before its comments.
            for entry in arrived.sorted(by: { $0.seq < $1.seq }) { changes.touch(try store.append(entry)) }
            if let grant = try store.metadata().grant { try store.parkDenied(grant, into: &changes) }
            try store.show(changes)
            return changes
        }
    }

    /// The third step, in the giving store, unless it is removed instead.
    package func endHandover(_ id: String, newClientID: String) throws {
        try store.write { store in
            guard try store.metadata().handover == id else { return }
            var changes = LayerChanges()
            for entry in try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max) {
                try store.removeEntry(entry.seq)
                changes.touch(entry)
            }
            // The numbers of sealed edits are not used again.
            try store.changeMetadata {
                ($0.handover, $0.clientID, $0.lastN) = (nil, newClientID, 0)
            }
            try store.show(changes)
        }
    }

    /// Withdraws a handover that no store received.
    package func cancelHandover(_ id: String) throws {
        try store.write { store in
            if try store.metadata().handover == id { try store.changeMetadata { $0.handover = nil } }
        }
    }

    /// The last step, in the receiving store: the giving one no longer has the edits.
    package func forgetHandover(_ id: String) throws {
        try store.write { store in try store.changeMetadata { $0.received.removeAll { $0 == id } } }
    }

    /// Makes this the store of another view: removes the rows outside it; the others stay until a snapshot replaces
    /// them. The caller holds the store for itself.
    ///
    /// - Returns: The SHA-256 of the other view's PDF, which may show what this one does not; nil if there was none.
    @discardableResult
    package func changeView(to grant: Grant) throws -> String? {
        try store.write { store in
            var changes = LayerChanges()
            let pdf = try store.metadata().pdfSHA256
            try store.changeMetadata {
                ($0.grant, $0.cursor, $0.loading) = (grant, nil, nil)
                ($0.pdfSHA256, $0.pdfBytes) = ("", 0)
            }
            try store.clearStage()
            try store.hideInvisible(grant, into: &changes)
            try store.parkDenied(grant, into: &changes)
            let metadata = try store.metadata()
            for id in changes.ids { try store.refresh(id.text, metadata: metadata) }
            return pdf.isEmpty ? nil : pdf
        }
    }

    /// Whether the store has the view of this grant, or none yet.
    package func fits(_ grant: Grant) throws -> Bool {
        try store.read { try $0.metadata().grant.map { $0.viewScope == grant.viewScope } ?? true }
    }
}

extension WritableLayer {
    /// Returns the pending edits of one record as they continue here after a move from another store.
    fileprivate func arrived(_ edits: [OutboxEntry], into changes: inout LayerChanges) throws -> [OutboxEntry] {
        var edits = edits.map { edit in
            var edit = edit.stage == .sealed ? edit.unsealed : edit
            if edit.stage != .parked || !edit.isAside { edit.state = .waiting }
            return edit
        }
        guard let id = edits.first?.id else { return [] }
        let metadata = try metadata()
        let there = try entries(of: id)
        // Were this edit rejected, it would take the place of the open one.
        let isOpen = there.contains { $0.stage == .conflict || $0.stage == .refused }
        let own = try ownWrite(id)?.revision
        let stored = try record(id)
        var here = try overlay(id, metadata: metadata)
        // A creation whose answer is missing is older than the record that was received, and hides it.
        let hides = there.allSatisfy { $0.kind == .create && ($0.stage == .sealed || $0.wasSent && !$0.isAside) }
        if here.record != nil, let stored, hides { here.record = stored.record }
        while let first = edits.first, !there.isEmpty || own.map({ $0 > first.baseRevision }) ?? false {
            // An edit made here shows that this store had received the record, even if it has been deleted since.
            let isThere = first.kind == .create && (stored != nil || there.contains { $0.baseRevision > 0 })
            if isThere || first.isDone(in: here.record, by: metadata.identity.userID) {
                // It was received before, or made here too.
                edits.removeFirst()
                continue
            }
            guard first.kind == .update || first.kind == .delete else { break }
            if !isOpen, let base = first.base, let record = here.record, base.isEquivalent(as: record) {
                edits[0].baseRevision = max(first.baseRevision, here.revision)
                break
            }
            let kept = first.rejected(as: .conflict("it was changed after it was read"))
            changes.hasRejections = true
            return [edits.dropFirst().reduce(kept) { $0.joined(by: $1) }]
        }
        return edits
    }
}
