import Annotations
import Authorization
import SyncProtocol

/// A server that lost what it had: restored from a backup, or out of step with what this store sent.
///
/// Its revisions begin anew, so nothing that names one may be sent before a fresh snapshot tells where each record
/// stands. Then every edit of this store is looked for in it: what is there is done, what still fits waits on, and what
/// may be lost becomes a conflict that can be sent again.
extension WritableLayer {
    /// Goes on under a new name; nothing is sent until ``recover(inPlace:facts:into:)``.
    func beginRecovery(clientID: String, into changes: inout LayerChanges) throws {
        try startAnew(clientID: clientID, into: &changes)
        try changeMetadata { ($0.isRecovering, $0.cursor, $0.loading) = (true, nil, nil) }
        try clearStage()
    }

    /// The snapshot is complete and not yet shown.
    ///
    /// - Parameter inPlace: it was loaded into the empty table; else it is staged beside the old rows.
    func recover(inPlace: Bool, facts: LayerMetadata, into changes: inout LayerChanges) throws {
        func present(_ id: Record.ID) throws -> StoredRecord? { try inPlace ? record(id) : stagedRecord(id) }
        let pending = try entries(in: [.applied, .waiting, .parked], limit: .max)
        var last: Record.ID?
        while case let batch = try ownWrites(after: last, limit: 500), !batch.isEmpty {
            for write in batch where try entries(of: write.id).isEmpty {
                try keepLost(
                    write, was: inPlace ? nil : record(write.id), now: present(write.id), facts: facts, into: &changes)
            }
            last = batch.last?.id
        }
        // They name revisions that mean something else now.
        try forgetOwnWrites()
        for entry in pending {
            try rebase(entry.id, onto: present(entry.id), facts: facts, into: &changes)
        }
    }

    /// A write that the server took and this store forgot: was it the last one to its record, and is it still there?
    private func keepLost(
        _ write: OwnWrite, was: StoredRecord?, now: StoredRecord?, facts: LayerMetadata,
        into changes: inout LayerChanges
    ) throws {
        var lost = OutboxEntry(
            id: write.id, kind: .delete, baseRevision: now?.revision ?? 0, base: now?.record,
            state: .conflict(lostReason), madeAt: facts.lastSync ?? Timestamp(milliseconds: 0))
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
        changes.ids.insert(write.id)
    }

    /// What waits for one record, looked at from the oldest edit to the newest. Doing it twice changes nothing.
    private func rebase(
        _ id: Record.ID, onto present: StoredRecord?, facts: LayerMetadata, into changes: inout LayerChanges
    ) throws {
        let pending = try entries(of: id).filter { $0.isPending || $0.stage == .applied }
        changes.ids.insert(id)
        for (index, entry) in pending.enumerated() {
            // What a snapshot does not list may only be out of sight.
            let isHidden = present == nil && entry.isHidden(from: facts.grant)
            if !isHidden, entry.isDone(in: present?.record, by: facts.identity.userID) {
                try removeEntry(entry.seq)
                continue
            }
            guard entry.stage != .applied, entry.fits(present?.record) else {
                // What was made on top of it goes along, also where the lost server had taken it.
                for var later in pending[(index + 1)...] where later.stage == .applied {
                    later.state = .waiting
                    try replace(later)
                }
                return try settle(
                    entry, as: .conflict(lostReason), isThere: present != nil || isHidden, into: &changes)
            }
            for var later in pending[index...] {
                later.baseRevision = present?.revision ?? 0
                if later.threadRevision != nil { later.threadRevision = later.baseRevision }
                try replace(later)
            }
            return
        }
    }

    private var lostReason: String { "the server was restored from a backup and may have lost this edit" }
}

extension OutboxEntry {
    /// The person may not see the record that they edited any more.
    fileprivate func isHidden(from grant: Grant?) -> Bool {
        guard let base, let grant else { return false }
        return !grant.canView(Subject(base))
    }

    /// The server has what the edit wanted.
    fileprivate func isDone(in present: Record?, by user: String?) -> Bool {
        switch kind {
        case .delete: return present == nil
        case .restore:
            guard let present else { return false }
            // A restore carries text that the server never saw, when there is such.
            return content?.isEquivalent(as: present.content) ?? true
        case .create, .update:
            guard let content, let present else { return false }
            return content.isEquivalent(as: present.content) && group.isExactly(present.group)
                && present.updatedBy.isExactly(user)
        }
    }

    /// The record is as the person saw it when they made the edit.
    fileprivate func fits(_ present: Record?) -> Bool {
        switch (kind, present) {
        case (.create, nil): true
        case (.update, let present?), (.delete, let present?): base?.isEquivalent(as: present) ?? false
        default: false
        }
    }
}

extension Record {
    fileprivate func isEquivalent(as other: Record) -> Bool {
        content.isEquivalent(as: other.content) && group.isExactly(other.group)
    }
}
