import Annotations
import SyncProtocol

/// Where an edit goes: into the entry that still waits for the same record, or behind it.
extension WritableLayer {
    func enqueue(
        _ kind: ChangeKind, _ id: Record.ID, content: Content?, group: String?, at now: Timestamp, facts: LayerMetadata,
        leavingRoot: Bool = false
    ) throws -> EditReceipt {
        let overlay = try overlay(id, facts: facts)
        var entry = OutboxEntry(
            id: id, kind: kind, baseRevision: overlay.revision, group: group, content: content, base: overlay.record,
            madeAt: now)
        if kind == .delete {
            entry.threadRevision =
                leavingRoot ? Change.leavesRoot : try threadRevision(of: id, overlay, facts: facts)
        }
        if kind == .create, let why = try reasonRootIsParked(of: entry) { entry.state = .parked(why) }
        if kind == .restore { entry.baseRevision = try ownWrite(id)?.revision ?? overlay.revision }
        var receipt = EditReceipt(id: id, kind: kind, before: overlay.record, after: nil, seq: 0, previous: nil)
        if kind != .restore { receipt.dropsFollowUp = try expectsFollowUp(id) }
        // While a server that lost its way is looked through, what waits may have been taken long ago: nothing is
        // merged into it, and nothing cancels it out.
        let last = try entries(of: id).last {
            $0.stage != .applied && $0.stage != .sealed && !(facts.isRecovering && $0.isUnsealed)
        }
        if let last, let merged = last.merged(with: entry) {
            receipt.previous = last
            receipt.seq = last.seq
            switch merged {
            case .replaced(let entry): try replace(entry)
            case .nothing:
                try removeEntry(last.seq)
                if last.kind == .create { receipt.swallowed = try absorbThread(of: id, facts: facts) }
            }
        } else {
            receipt.seq = try append(entry).seq
        }
        let stored = try self.metadata().grant
        if stored != facts.grant { try parkDenied(receipt.seq, by: stored, facts: facts) }
        try refresh(id, facts: facts)
        receipt.after = try self.overlay(id, facts: facts).record
        return receipt
    }

    /// Whether a restore that is not answered yet carries a text that the server has never seen.
    func expectsFollowUp(_ id: Record.ID) throws -> Bool {
        try entries(of: id).contains { $0.kind == .restore && $0.isPending && $0.content != nil }
    }

    /// Of a root the newest revision in its thread that the person saw, of a comment that of its root.
    private func threadRevision(of id: Record.ID, _ shown: Overlay, facts: LayerMetadata) throws -> Revision? {
        if let content = shown.record?.content, content.contentType == .comments {
            return try content["rootId"]?.string.map { try overlay($0, facts: facts).revision }
        }
        return try thread(under: id).reduce(shown.revision) { newest, comment in
            max(newest, try record(comment)?.revision ?? 0)
        }
    }
}

extension OutboxEntry {
    enum Merged {
        case replaced(OutboxEntry)
        /// The two cancel each other out.
        case nothing
    }

    /// This entry and a later edit of the same record as one; nil when both have to be sent.
    func merged(with later: OutboxEntry) -> Merged? {
        var entry = self
        entry.content = later.content
        entry.group = later.group
        entry.madeAt = later.madeAt
        switch stage {
        case .sealed, .applied: return nil
        case .conflict:
            // A conflict is the person's to settle: later edits of the record join it.
            entry.kind = later.kind == .delete ? .delete : .update
            return .replaced(entry)
        case .waiting, .parked, .refused: break
        }
        entry.state = .waiting
        switch (kind, later.kind) {
        case (.create, .update): return .replaced(entry)
        case (.create, .delete), (.delete, .restore), (.restore, .delete): return .nothing
        case (.update, .update): return .replaced(entry)
        case (.update, .delete):
            entry.kind = .delete
            entry.threadRevision = later.threadRevision
            return .replaced(entry)
        case (.delete, .delete) where stage == .refused: return .replaced(entry)
        // A refused delete left the record where it was: what comes next starts from there.
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
