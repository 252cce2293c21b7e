package import Annotations
import Authorization
import SyncProtocol

/// Undo. Its receipt can be undone in turn, which is redo.
extension Layer {
    /// Takes an edit back: an unsealed change as if it had never been; an applied one by a new change, and only if
    /// nobody wrote to the record since; a sent delete by a restore.
    ///
    /// - Throws: ``EditProblem/cannotUndo(_:)`` with the reason.
    @discardableResult
    package func undo(_ receipt: EditReceipt, at now: Timestamp) throws -> EditReceipt {
        try store.write { store in
            let facts = try metadata(in: store)
            let shown = try store.overlay(receipt.id, facts: facts).record
            guard shown.isSame(as: receipt.after) else {
                throw EditError.cannotUndo("it was changed again since")
            }
            if let undone = try store.takeBack(receipt, facts: facts) { return undone }
            try store.requireNoOtherWriter(since: receipt)
            guard let grant = facts.grant else { throw EditError.noGrant }
            switch (receipt.before, receipt.after) {
            case (nil, let after?):
                try grant.require(.delete(Subject(after)))
                return try store.enqueue(
                    .delete, receipt.id, content: nil, group: after.group, at: now, facts: facts,
                    // Taking a comment back does not take what it was said about.
                    leavingRoot: after.contentType == .comments)
            case (let before?, nil):
                // Whoever deleted it may restore it, while the server remembers.
                guard grant.mayWrite else { throw EditError.denied(.lacks(.write)) }
                var undone = try store.enqueue(
                    .restore, receipt.id, content: nil, group: before.group, at: now, facts: facts)
                // What the delete swallowed before it was sent, the server has never seen.
                let isSwallowed = receipt.previous?.kind == .update || receipt.dropsFollowUp
                let swallowed = isSwallowed ? before.content : nil
                try store.complete(undone.seq, base: before, content: swallowed)
                try store.refresh(receipt.id, facts: facts)
                undone.after = try store.overlay(receipt.id, facts: facts).record
                return undone
            case (let before?, let after?):
                try grant.require(.edit(Subject(after)))
                let content = before.content.changing { $0["updatedAt"] = .string(now.iso8601) }
                return try store.enqueue(
                    .update, receipt.id, content: content, group: before.group, at: now, facts: facts)
            case (nil, nil): throw EditError.cannotUndo("there is nothing to bring back")
            }
        }
    }
}

extension WritableLayer {
    /// Undoes what was not sealed; nil when it was.
    fileprivate func takeBack(_ receipt: EditReceipt, facts: LayerMetadata) throws -> EditReceipt? {
        // Whether it was sent is known once the server was looked through.
        guard !facts.isRecovering else { return nil }
        let present = try entry(receipt.seq)
        var undone = EditReceipt(
            id: receipt.id, kind: receipt.kind, before: receipt.after, after: nil, seq: receipt.seq, previous: present)
        switch (present, receipt.previous) {
        case (let present?, let previous) where present.isUnsealed || present.stage == .conflict:
            if let previous {
                try replace(try rebased(previous))
            } else if present.isUnsealed {
                if let text = try unsentText(of: receipt, inPlaceOf: present) {
                    try replace(text)
                    try parkDenied(text.seq, by: self.metadata().grant, facts: facts)
                } else {
                    try removeEntry(present.seq)
                }
                if present.kind == .create { undone.swallowed = try absorbThread(of: receipt.id, facts: facts) }
            } else {
                return nil
            }
        case (nil, let previous?) where previous.isUnsealed:
            // The edit had cancelled out a waiting one: that one waits again.
            guard try ownWrite(receipt.id)?.seq != receipt.seq else { return nil }
            // Or it was kept with an edit that lost: there is nothing on the server that it could change. Or undoing a
            // later delete has put it back already, under another number.
            guard try entries(of: receipt.id).allSatisfy({ $0.stage == .sealed || $0.stage == .applied }) else {
                return nil
            }
            // A record that exists is not created again.
            guard previous.kind != .create || receipt.after == nil else { return nil }
            undone.seq = try append(try rebased(previous)).seq
            undone.previous = nil
            undone.dropsFollowUp = try previous.kind != .restore && expectsFollowUp(receipt.id)
            try appendAgain(receipt.swallowed, facts: facts)
        default: return nil
        }
        try refresh(receipt.id, facts: facts)
        // Not always as before: what lay under the edit may have been discarded meanwhile.
        undone.after = try overlay(receipt.id, facts: facts).record
        return undone
    }

    /// The unsent text that a restore carried, if the restore was applied without it because this edit waited behind it.
    private func unsentText(of receipt: EditReceipt, inPlaceOf edit: OutboxEntry) throws -> OutboxEntry? {
        guard receipt.dropsFollowUp, let before = receipt.before, try !expectsFollowUp(edit.id) else { return nil }
        // Its base is the restore, not what others wrote since: that is a conflict.
        return OutboxEntry(
            seq: edit.seq, id: edit.id, kind: .update, baseRevision: edit.baseRevision, group: before.group,
            content: before.content, base: before, madeAt: edit.madeAt)
    }

    /// An entry as it stood, on top of what was answered since.
    private func rebased(_ previous: OutboxEntry) throws -> OutboxEntry {
        var entry = previous
        guard entry.isUnsealed, let own = try ownWrite(entry.id)?.revision else { return entry }
        entry.baseRevision = max(entry.baseRevision, own)
        entry.threadRevision = entry.threadRevision.map { max($0, own) }
        return entry
    }

    fileprivate func requireNoOtherWriter(since receipt: EditReceipt) throws {
        if try entries(of: receipt.id).contains(where: { $0.stage == .sealed || $0.stage == .waiting }) { return }
        let own = try ownWrite(receipt.id)
        let newest = try record(receipt.id)?.revision
        let wasOurs =
            switch (own, newest) {
            case (let own?, let newest?): newest <= own.revision
            // What is gone can only be restored by whoever removed it.
            case (let own?, nil): receipt.after != nil || own.seq == receipt.seq
            case (nil, _): false
            }
        guard wasOurs else { throw EditError.cannotUndo("someone else wrote to it since") }
    }

    fileprivate func complete(_ seq: Int64, base: Record, content: Content?) throws {
        guard var entry = try entry(seq), entry.kind == .restore else { return }
        entry.base = base
        entry.content = content
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
