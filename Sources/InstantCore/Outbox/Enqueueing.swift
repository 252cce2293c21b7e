import Annotations
import SyncProtocol

/// Enqueueing. An edit is merged into the waiting entry of its record or appended.
extension WritableLayer {
    /// - Parameter joinsRejected: Whether an open conflict or refusal of the record takes the edit up. Neither the resolution of
    ///   another one, since each has a text of its own, nor an edit that the user did not make.
    func enqueue(
        _ kind: ChangeKind, _ id: Record.ID, content: Content?, group: String?, at now: Timestamp,
        metadata: LayerMetadata,
        leavingRoot: Bool = false, joinsRejected: Bool = true
    ) throws -> EditReceipt {
        let overlay = try overlay(id, metadata: metadata)
        // For undo and the resolution of conflicts: a content from elsewhere does not say who created the record.
        let content = content?.asEdit(kind, of: overlay.record)
        var entry = OutboxEntry(
            id: id, kind: kind, baseRevision: overlay.revision, group: group, content: content, base: overlay.record,
            madeAt: now)
        var along: [Record.ID] = []
        if kind == .delete, let record = overlay.record {
            var planned = try deletion(of: record, metadata: metadata)
            if leavingRoot { planned.root = nil }
            entry.takenRoot = planned.root?.id
            entry.threadRevision = try threadRevision(of: planned, overlay, metadata: metadata)
            along = planned.records.dropFirst().map(\.id)
        }
        if kind == .create, let why = try reasonRootIsParked(of: entry) { entry.state = .parked(why) }
        if kind == .restore { entry.baseRevision = try ownWrite(id)?.revision ?? overlay.revision }
        var receipt = EditReceipt(id: id, kind: kind, before: overlay.record, after: nil, seq: 0, previous: nil)
        receipt.along = along
        if kind != .restore { receipt.dropsFollowUp = try expectsFollowUp(id) }
        receipt.unanswered = try unanswered(id)
        // During recovery the server may already have applied waiting entries: do not merge into them or cancel them
        // out.
        let last = try entries(of: id).last {
            $0.stage != .applied && $0.stage != .sealed && !(metadata.isRecovering && $0.isUnsealed)
                && (joinsRejected || $0.isUnsealed)
        }
        // An edit that is put aside can be mended, even if it was sent before.
        if let last, !last.wasSent || last.isAside && kind == .update, try !mustFollow(entry, last),
            let merged = last.merged(with: entry, isStored: try record(id) != nil)
        {
            receipt.previous = last
            receipt.seq = last.seq
            switch merged {
            case .replaced(var entry):
                if entry.kind == .create, let why = try reasonRootIsParked(of: entry) { entry.state = .parked(why) }
                try put(waitingBehindAsides(entry), inPlaceOf: last, metadata: metadata)
            case .nothing:
                try removeEntry(last.seq)
                if last.bringsRecord { receipt.swallowed = try absorbThread(of: id, metadata: metadata) }
            }
        } else {
            receipt.seq = try append(waitingBehindAsides(entry)).seq
        }
        let stored = try self.metadata().grant
        if stored != metadata.grant { try parkDenied(receipt.seq, by: stored, metadata: metadata) }
        try refresh(id, metadata: metadata)
        receipt.after = try self.overlay(id, metadata: metadata).record
        return receipt
    }

    /// Whether a deletion cannot take the place of an earlier update of its record, because a comment on the record was deleted
    /// in between. Sent first, it would take that comment along, and a restore would bring it back.
    func mustFollow(_ deletion: OutboxEntry, _ update: OutboxEntry) throws -> Bool {
        guard deletion.kind == .delete, update.kind == .update else { return false }
        return try entries(in: [.waiting, .parked], limit: .max).contains {
            $0.kind == .delete && $0.seq > update.seq
                && $0.base?.content["rootId"]?.string?.isExactly(deletion.id) ?? false
        }
    }

    /// Appends an update as a conflict, because the record has changed since the author of the update read it. Nothing is
    /// merged into it: what waits was written without knowing it.
    func keepAside(
        _ content: Content, of present: Record, over base: Record, at now: Timestamp, metadata: LayerMetadata
    ) throws -> EditReceipt {
        let entry = OutboxEntry(
            id: present.id, kind: .update, baseRevision: try overlay(present.id, metadata: metadata).revision,
            group: present.group, content: content, base: base,
            state: .conflict("it was changed after it was read"), madeAt: now)
        var receipt = EditReceipt(id: present.id, kind: .update, before: present, after: nil, seq: 0, previous: nil)
        receipt.seq = try append(entry).seq
        try refresh(present.id, metadata: metadata)
        receipt.after = try overlay(present.id, metadata: metadata).record
        return receipt
    }

    private func unanswered(_ id: Record.ID) throws -> ChangeKind? {
        let kinds = Set(try entries(of: id).lazy.filter(\.isPending).map(\.kind))
        return kinds.contains(.create) ? .create : kinds.contains(.update) ? .update : nil
    }

    /// Whether an unanswered restore carries text that the server has never seen.
    func expectsFollowUp(_ id: Record.ID, besides seq: Int64 = 0) throws -> Bool {
        try entries(of: id).contains { $0.kind == .restore && $0.isPending && $0.content != nil && $0.seq != seq }
    }

    /// Returns, for a root, the newest revision of its thread that the user saw. For a comment, the revision of the
    /// root deleted with it: the server must not delete a root that the user was not told about.
    private func threadRevision(
        of planned: PlannedDeletion, _ shown: Overlay, metadata: LayerMetadata
    ) throws -> Revision? {
        if let root = planned.root { return try overlay(root.id, metadata: metadata).revision }
        if planned.record.contentType == .comments { return Change.leavesRoot }
        return try planned.comments.reduce(shown.revision) { newest, comment in
            max(newest, try record(comment.id)?.revision ?? 0)
        }
    }
}

extension OutboxEntry {
    enum Merged {
        case replaced(OutboxEntry)
        /// The two entries cancel out.
        case nothing
    }

    /// Merges this entry with a later edit of the same record; returns nil if both must be sent.
    ///
    /// - Parameter isStored: Whether the server has the record.
    func merged(with later: OutboxEntry, isStored: Bool) -> Merged? {
        var entry = self
        entry.content = later.content
        entry.group = later.group
        entry.takenRoot = later.takenRoot
        entry.madeAt = later.madeAt
        switch stage {
        case .sealed, .applied: return nil
        case .conflict:
            // The user resolves a conflict; later edits of the record are merged into it.
            entry.kind = later.kind == .delete ? .delete : .update
            return .replaced(entry)
        case .waiting, .parked, .refused: break
        }
        (entry.state, entry.isAside) = (.waiting, false)
        switch (kind, later.kind) {
        case (.create, .update): return .replaced(entry)
        // Someone else or a backup restored the record, so the deletion must still be sent. A restore that is put aside has not
        // reached the server, so the deletion replaces it.
        case (.restore, .delete) where isStored && isAside: return .replaced(later.inPlace(of: self))
        case (.restore, .delete) where isStored: return nil
        // The server accepted the record, but the answer was lost.
        case (.create, .delete) where isStored: return .replaced(later.inPlace(of: self))
        case (.delete, .restore):
            // Either may carry a text that the server has never seen.
            guard let text = later.content ?? content else { return .nothing }
            (entry.kind, entry.content, entry.takenRoot, entry.threadRevision) = (.update, text, nil, nil)
            return .replaced(entry)
        case (.create, .delete), (.restore, .delete): return .nothing
        case (.update, .update): return .replaced(entry)
        case (.update, .delete):
            entry.kind = .delete
            entry.threadRevision = later.threadRevision
            return .replaced(entry)
        case (.delete, .delete) where stage == .refused:
            entry.threadRevision = later.threadRevision
            return .replaced(entry)
        // A refused delete left the record in place, so the next edit replaces the delete.
        case (.delete, .update) where stage == .refused: return .replaced(later.inPlace(of: self))
        default: return nil
        }
    }

    func inPlace(of entry: OutboxEntry) -> OutboxEntry {
        var moved = self
        moved.seq = entry.seq
        return moved
    }
}
