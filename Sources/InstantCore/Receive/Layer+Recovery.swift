import Annotations
import Authorization
import SyncProtocol

/// Recovery from a server that lost data: restored from a backup, or out of step with what this store sent.
///
/// Its revisions restart, so nothing that refers to one may be sent before a new snapshot gives the revision of each
/// record. Then every edit of this store is looked up in the snapshot: an edit found there is done, one that still fits
/// keeps waiting, and one that may be lost becomes a conflict that can be sent again.
extension WritableLayer {
    /// Switches to a new clientID; nothing is sent until ``recover(inPlace:metadata:into:)``.
    func beginRecovery(clientID: String, into changes: inout LayerChanges) throws {
        try startAnew(clientID: clientID, into: &changes)
        try changeMetadata { ($0.isRecovering, $0.cursor, $0.loading) = (true, nil, nil) }
        try clearStage()
    }

    /// Checks the local edits against a complete snapshot before it is shown.
    ///
    /// - Parameter inPlace: Whether the snapshot was loaded into the empty table, rather than staged alongside the old
    ///   rows.
    func recover(inPlace: Bool, metadata: LayerMetadata, into changes: inout LayerChanges) throws {
        func present(_ id: Record.ID) throws -> StoredRecord? { try inPlace ? record(id) : stagedRecord(id) }
        let pending = try entries(in: [.applied, .waiting, .parked], limit: .max)
        var last: Record.ID?
        while case let batch = try ownWrites(after: last, limit: 500), !batch.isEmpty {
            for write in batch where try entries(of: write.id).isEmpty {
                try keepLost(
                    write, was: inPlace ? nil : record(write.id), now: present(write.id), metadata: metadata,
                    into: &changes)
            }
            last = batch.last?.id
        }
        // Their revisions are no longer valid.
        try forgetOwnWrites()
        for entry in pending {
            try rebase(entry.id, onto: present, metadata: metadata, into: &changes)
        }
    }

    /// Adds a conflict for a write that the server had accepted, if it was the last write to its record and is now
    /// lost.
    private func keepLost(
        _ write: OwnWrite, was: StoredRecord?, now: StoredRecord?, metadata: LayerMetadata,
        into changes: inout LayerChanges
    ) throws {
        var lost = OutboxEntry(
            id: write.id, kind: .delete, baseRevision: now?.revision ?? 0, base: now?.record,
            state: .conflict(lostReason), madeAt: metadata.lastSync ?? Timestamp(milliseconds: 0))
        if let was {
            guard was.revision == write.revision, now.map({ !$0.record.isEquivalent(as: was.record) }) ?? true else {
                return
            }
            lost.kind = now == nil ? .create : .update
            lost.content = was.record.content
            lost.group = was.record.group
        } else if now == nil {
            return
        }
        _ = try append(lost)
        changes.touch(write.id)
    }

    /// Checks the pending edits of one record, oldest first. Idempotent.
    private func rebase(
        _ id: Record.ID, onto records: (Record.ID) throws -> StoredRecord?, metadata: LayerMetadata,
        into changes: inout LayerChanges
    ) throws {
        let present = try records(id)
        let pending = try entries(of: id).filter { $0.isPending || $0.stage == .applied }
        changes.touch(id)
        for (index, entry) in pending.enumerated() {
            // A record missing from the snapshot may merely be invisible to this user.
            let isHidden = present == nil && entry.isHidden(from: metadata.grant)
            if !isHidden, entry.isDone(in: present?.record, by: metadata.identity.userID) {
                try removeEntry(entry.seq)
                changes.touch(entry)
                continue
            }
            guard entry.stage != .applied, entry.fits(present?.record) else {
                // Later edits are based on this one and move with it, even if the server had applied them before it
                // lost data.
                for var later in pending[(index + 1)...] where later.stage == .applied {
                    later.state = .waiting
                    try replace(later)
                }
                return try settle(
                    entry, as: .conflict(lostReason), isThere: present != nil || isHidden, into: &changes)
            }
            for var later in pending[index...] {
                later.baseRevision = present?.revision ?? 0
                if let root = later.takenRoot {
                    later.threadRevision = try records(root)?.revision ?? 0
                } else if later.threadRevision != nil, later.threadRevision != Change.leavesRoot {
                    later.threadRevision = later.baseRevision
                }
                try replace(later)
            }
            return
        }
    }

    private var lostReason: String { "the server was restored from a backup and may have lost this edit" }
}

extension OutboxEntry {
    /// Whether the user may no longer see the edited record.
    fileprivate func isHidden(from grant: Grant?) -> Bool {
        guard let base, let grant else { return false }
        return !grant.canView(Subject(base))
    }

    /// Whether the server has the result of the edit.
    func isDone(in present: Record?, by user: String?) -> Bool {
        switch kind {
        case .delete: return present == nil
        case .restore:
            guard let present else { return false }
            // A restore may carry text that the server never saw.
            return content?.isEquivalent(as: present.content) ?? true
        case .create, .update:
            guard let content, let present else { return false }
            return content.asEdit(kind, of: present).isEquivalent(as: present.content) && group.isExactly(present.group)
                && present.updatedBy.isExactly(user)
        }
    }

    /// Whether the record is as the user saw it when editing.
    fileprivate func fits(_ present: Record?) -> Bool {
        switch (kind, present) {
        case (.create, nil): true
        case (.update, let present?), (.delete, let present?): base?.isEquivalent(as: present) ?? false
        default: false
        }
    }
}

extension Record {
    /// Whether the records are equal apart from what every write stamps, and what no edit changes.
    func isEquivalent(as other: Record) -> Bool {
        content.isEquivalent(as: other.content) && group.isExactly(other.group)
    }
}
