package import Annotations
import Authorization
import SyncProtocol

/// Undo. Undoing the receipt of an undo is redo.
extension Layer {
    /// Undoes an edit: removes an unsealed change; reverses an applied one by a new change if no other client has
    /// written to the record since; restores the record after a sent delete.
    ///
    /// - Throws: ``EditError/cannotUndo(_:)`` with the reason.
    @discardableResult
    package func undo(_ receipt: EditReceipt, at now: Timestamp) throws -> EditReceipt {
        try store.write { store in
            let metadata = try metadata(in: store)
            let shown = try store.overlay(receipt.id, metadata: metadata).record
            guard shown.isSame(as: receipt.after) else {
                throw EditError.cannotUndo("it has been changed since")
            }
            if let undone = try store.takeBack(receipt, metadata: metadata) { return undone }
            if let again = try store.neverArrived(before: receipt) {
                guard let grant = metadata.grant else { throw EditError.noGrant }
                try grant.require(store.creation(of: again.content, group: again.group, metadata: metadata))
                return try store.enqueue(
                    .create, receipt.id, content: again.content, group: again.group, at: now, metadata: metadata)
            }
            try store.requireNoOtherWriter(since: receipt)
            guard let grant = metadata.grant else { throw EditError.noGrant }
            switch (receipt.before, receipt.after) {
            case (nil, let after?):
                try grant.require(.delete(Subject(after)))
                // Nothing asks before an undo, so it deletes nobody else's comments.
                let others = try store.deletion(of: after, metadata: metadata).comments.contains {
                    !$0.createdBy.isExactly(metadata.identity.userID)
                }
                guard !others else { throw EditError.cannotUndo("others have commented on it; delete it instead") }
                return try store.enqueue(
                    .delete, receipt.id, content: nil, group: after.group, at: now, metadata: metadata,
                    // Undoing a comment leaves its root in place.
                    leavingRoot: after.contentType == .comments)
            case (let before?, nil):
                // The user who deleted it may restore it as long as the server remembers it.
                guard grant.mayWrite else { throw EditError.denied(.lacks(.write)) }
                var undone = try store.enqueue(
                    .restore, receipt.id, content: nil, group: before.group, at: now, metadata: metadata)
                let swallowed = try store.mayLackText(before: receipt) ? before.content : nil
                let root = before.content["rootId"]?.string.flatMap { receipt.along.containsExactly($0) ? $0 : nil }
                try store.complete(undone.seq, base: before, content: swallowed, takenRoot: root)
                try store.refresh(receipt.id, metadata: metadata)
                undone.after = try store.overlay(receipt.id, metadata: metadata).record
                return undone
            case (let before?, let after?):
                try grant.require(.editing(after))
                let content = before.content.changing { $0["updatedAt"] = .string(now.iso8601) }
                return try store.enqueue(
                    .update, receipt.id, content: content, group: before.group, at: now, metadata: metadata)
            case (nil, nil): throw EditError.cannotUndo("nothing to restore")
            }
        }
    }
}

extension WritableLayer {
    /// Undoes an unsealed edit; returns nil if it was sealed.
    fileprivate func takeBack(_ receipt: EditReceipt, metadata: LayerMetadata) throws -> EditReceipt? {
        // Whether the entry was sent is unknown until recovery ends.
        guard !metadata.isRecovering else { return nil }
        // A receipt may be older than the store, whose numbers then mean other edits.
        let present = try entry(receipt.seq).flatMap { $0.id.isExactly(receipt.id) ? $0 : nil }
        var undone = EditReceipt(
            id: receipt.id, kind: receipt.kind, before: receipt.after, after: nil, seq: receipt.seq, previous: present)
        switch (present, receipt.previous) {
        // The server may have applied one that was sent.
        case (let present?, _) where present.isUnsealed && present.wasSent: return nil
        case (let present?, let previous) where present.isUnsealed || present.stage == .conflict:
            if let previous {
                let again = try waitingBehindAsides(rebased(previous))
                try put(again, inPlaceOf: present, metadata: metadata)
            } else if present.isUnsealed {
                if let text = try unsentText(of: receipt, inPlaceOf: present) {
                    try put(waitingBehindAsides(text), inPlaceOf: present, metadata: metadata)
                    try parkDenied(text.seq, by: self.metadata().grant, metadata: metadata)
                } else {
                    try removeEntry(present.seq)
                }
                if present.kind == .create, let resolved = receipt.resolved {
                    try refuseThread(of: receipt.id, under: resolved.id, metadata: metadata)
                } else if try present.kind == .create || present.kind == .restore && record(receipt.id) == nil {
                    undone.swallowed = try absorbThread(of: receipt.id, metadata: metadata)
                }
            } else if receipt.before == receipt.after {
                // The edit became a conflict as it was made.
                try removeEntry(present.seq)
            } else {
                return nil
            }
        case (nil, let previous?) where previous.isUnsealed:
            // The edit cancelled out a waiting entry, which now waits again.
            guard try ownWrite(receipt.id)?.seq != receipt.seq else { return nil }
            // nil if the entry now belongs to a conflicting or refused edit, because the server has nothing that it
            // could change, or if undoing a later delete has already restored the entry under another number.
            let others = try entries(of: receipt.id).filter { $0.stage != .sealed && $0.stage != .applied }
            guard others.allSatisfy({ $0.seq == receipt.resolved?.seq }) else { return nil }
            // A record that exists or is being sent is not created again. A refused one is neither.
            if previous.kind == .create, receipt.after != nil {
                let isRefused = try entries(of: receipt.id).allSatisfy { $0.seq == receipt.resolved?.seq }
                guard try isRefused && record(receipt.id) == nil else { return nil }
            }
            undone.seq = try append(waitingBehindAsides(rebased(previous))).seq
            undone.previous = nil
            undone.dropsFollowUp =
                try previous.kind != .restore && expectsFollowUp(receipt.id, besides: undone.seq)
            try appendAgain(receipt.swallowed, metadata: metadata)
            if previous.kind == .create, let resolved = receipt.resolved {
                try appendThread(of: resolved.id, under: previous.id, metadata: metadata)
            }
        default: return nil
        }
        undone.resolved = try receipt.resolved.map { try reopenOrClose($0, metadata: metadata) }
        try refresh(receipt.id, metadata: metadata)
        // A root that went along is back although its comment may be gone.
        for root in [present?.takenRoot, receipt.previous?.takenRoot] {
            if let root { try refresh(root, metadata: metadata) }
        }
        // This may differ from the earlier state, because the entry underneath may have been discarded.
        undone.after = try overlay(receipt.id, metadata: metadata).record
        return undone
    }

    /// Adds the conflict again whose resolution is undone; removes it if that is undone in turn.
    private func reopenOrClose(_ conflict: OutboxEntry, metadata: LayerMetadata) throws -> OutboxEntry {
        var conflict = conflict
        if let there = try entry(conflict.seq), there.id.isExactly(conflict.id), there.stage == conflict.stage,
            there.madeAt == conflict.madeAt, there.content == conflict.content
        {
            try removeEntry(conflict.seq)
        } else {
            conflict = try append(conflict)
        }
        try refresh(conflict.id, metadata: metadata)
        if let root = conflict.takenRoot { try refresh(root, metadata: metadata) }
        return conflict
    }

    /// Returns the text that the server lacks: that of a restore that was applied without it because this edit waited behind it, or
    /// of an edit that never arrived and that this deletion has taken up.
    private func unsentText(of receipt: EditReceipt, inPlaceOf edit: OutboxEntry) throws -> OutboxEntry? {
        guard let before = receipt.before else { return nil }
        if edit.kind == .delete, edit.content != nil {
            return OutboxEntry(
                seq: edit.seq, id: edit.id, kind: .update, baseRevision: edit.baseRevision, group: edit.group,
                content: edit.content, base: edit.base, madeAt: edit.madeAt)
        }
        guard receipt.dropsFollowUp, try !expectsFollowUp(edit.id, besides: edit.seq) else { return nil }
        // The base is the restore, so a later change by others is a conflict.
        return OutboxEntry(
            seq: edit.seq, id: edit.id, kind: .update, baseRevision: edit.baseRevision, group: before.group,
            content: before.content, base: before, madeAt: edit.madeAt)
    }

    /// Returns an earlier entry, rebased on the revisions received since.
    private func rebased(_ previous: OutboxEntry) throws -> OutboxEntry {
        var entry = previous
        guard entry.isUnsealed, let own = try ownWrite(entry.id)?.revision else { return entry }
        entry.baseRevision = max(entry.baseRevision, own)
        // For a comment, it is the revision of its root.
        if entry.base?.contentType != .comments { entry.threadRevision = entry.threadRevision.map { max($0, own) } }
        return entry
    }

    /// Whether the server may not have had the text that a sent deletion removed.
    fileprivate func mayLackText(before deletion: EditReceipt) throws -> Bool {
        // The deletion absorbed the text before it was sent.
        if deletion.previous?.kind == .update || deletion.dropsFollowUp { return true }
        guard deletion.unanswered == .update, let entry = try entry(deletion.seq), entry.id.isExactly(deletion.id),
            entry.stage == .sealed || entry.stage == .applied
        else { return deletion.unanswered == .update }
        // It took up the text of an edit that never arrived.
        return entry.content != nil
    }

    /// Returns the record that a deletion removed before it ever reached the server: something on the way refused it, and
    /// the two cancelled each other out.
    fileprivate func neverArrived(before deletion: EditReceipt) throws -> Record? {
        guard deletion.kind == .delete, deletion.unanswered == .create, try record(deletion.id) == nil,
            try ownWrite(deletion.id) == nil, try entries(of: deletion.id).isEmpty
        else { return nil }
        return deletion.before
    }

    fileprivate func requireNoOtherWriter(since receipt: EditReceipt) throws {
        let isOurs: (OutboxEntry) -> Bool = { $0.stage == .sealed || $0.stage == .waiting || $0.isAside }
        if try entries(of: receipt.id).contains(where: isOurs) { return }
        let own = try ownWrite(receipt.id)
        let newest = try record(receipt.id)?.revision
        let wasOurs =
            switch (own, newest) {
            case (let own?, let newest?): newest <= own.revision
            // Only the user who removed a record can restore it.
            case (let own?, nil): receipt.after != nil || own.seq == receipt.seq
            case (nil, _): false
            }
        guard wasOurs else { throw EditError.cannotUndo("someone else has changed it since") }
    }

    fileprivate func complete(_ seq: Int64, base: Record, content: Content?, takenRoot: Record.ID?) throws {
        guard var entry = try entry(seq), entry.kind == .restore else { return }
        entry.base = base
        entry.content = content
        entry.takenRoot = takenRoot
        try replace(entry)
    }
}

extension Record? {
    fileprivate func isSame(as other: Record?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let other?): one.content.isEquivalent(as: other.content)
        default: false
        }
    }
}
