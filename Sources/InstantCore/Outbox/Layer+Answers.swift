import Annotations
package import SyncProtocol

/// The server's responses to pushes, one result for each change.
extension Layer {
    /// Applies the results and the delta that follows in one transaction. The transaction need not be synced to disk:
    /// the server stores each result until the next seal acknowledges it, and that seal is synced.
    ///
    /// - Parameter newClientID: The clientID to use if a restore from a backup, detected or not, made the server lose
    ///   track of the current one.
    package func take(
        _ answer: PushAnswer, to request: PushRequest, newClientID: String
    ) throws -> LayerChanges {
        try store.write(.recoverable) { store in
            var changes = LayerChanges()
            let metadata = try store.metadata()
            guard metadata.clientID == request.clientID else { return changes }
            // Each change is answered once, so a second result for the same n matches nothing.
            var sealed = Dictionary(
                try store.entries(in: [.sealed], limit: .max).map { ($0.n, $0) },
                uniquingKeysWith: { first, _ in first })
            for result in answer.results {
                guard let entry = sealed.removeValue(forKey: result.n) else { continue }
                try store.take(result, of: entry, metadata: metadata, into: &changes)
            }
            if changes.startedAnew {
                try store.beginRecovery(clientID: newClientID, into: &changes)
            }
            let intake = try answer.delta.map { try store.take($0, metadata: store.metadata(), into: &changes) }
            if answer.reset { changes.needsSnapshot = true }
            try store.show(changes, knowing: intake)
            return changes
        }
    }

    /// Continues under a new clientID; sealed entries are sealed again.
    package func startAnew(newClientID: String) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            try store.startAnew(clientID: newClientID, into: &changes)
            return changes
        }
    }

    /// Marks as refused a change that is too large even when sent alone. Its n was not consumed, so the entries after
    /// it continue under a new clientID.
    package func refuseTooLarge(n: Int64, newClientID: String) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            guard let entry = try store.entries(in: [.sealed], limit: .max).first(where: { $0.n == n }) else {
                return changes
            }
            try store.settle(
                entry, as: .refused("too large for the server"), isThere: entry.kind != .create,
                into: &changes)
            try store.startAnew(clientID: newClientID, into: &changes)
            try store.show(changes)
            return changes
        }
    }
}

extension WritableLayer {
    fileprivate func take(
        _ result: ChangeResult, of entry: OutboxEntry, metadata: LayerMetadata, into changes: inout LayerChanges
    ) throws {
        changes.touch(entry)
        switch result.status {
        case .applied:
            guard let revision = result.revision else {
                throw InvalidServerData("the server applied a change without a revision")
            }
            try applied(entry, revision: revision, cursor: metadata.cursor)
        case .conflict:
            if let item = result.item, item.id.isExactly(entry.id) {
                try item.check()
                // The cursor or the snapshot covers older revisions: a delayed response must not bring back a removed
                // record.
                if item.revision > metadata.cursor?.revision ?? metadata.loading?.at ?? .max {
                    var intake = ApplyContext(metadata: metadata)
                    try receive(item, &intake, into: &changes)
                }
                // The user made the same change elsewhere, or this store made it under another clientID.
                if entry.kind == .create || entry.kind == .update, case .record(let record, let revision) = item,
                    entry.isDone(in: record, by: metadata.identity.userID)
                {
                    try applied(entry, revision: revision, cursor: metadata.cursor)
                    break
                }
            }
            let isThere = if case .removed = result.item { false } else { true }
            try settle(
                entry, as: .conflict(result.reason ?? "someone else was first"), isThere: isThere, into: &changes)
        case .gone where entry.kind == .delete:
            try removeEntry(entry.seq)
        case .gone:
            let isRootRefused =
                try entry.root.map { try entries(of: $0).contains { $0.kind == .create && $0.stage == .refused } }
            let state: OutboxEntry.State =
                isRootRefused == true
                ? .refused(OutboxEntry.rootNotAccepted) : .conflict(result.reason ?? "it was deleted meanwhile")
            try settle(entry, as: state, isThere: false, into: &changes)
        case .denied:
            try settle(
                entry, as: .refused(result.reason ?? "the server denied it"),
                isThere: entry.kind == .create ? nil : true,
                into: &changes)
        case .invalid:
            // The server may have lost the file: upload it again if the user resends the edit.
            if let file = entry.content?.attachmentID { try changeMetadata { $0.uploads.insert(file) } }
            try settle(
                entry, as: .refused(result.reason ?? "the server found it invalid"),
                isThere: entry.kind == .create ? nil : true,
                into: &changes)
        case .gap, .mismatch: changes.startedAnew = true
        }
    }

    /// Handles an edit that the server has answered, while the answer can never arrive.
    ///
    /// - Parameter revision: The one at which the server says that it applied the edit; nil: it did not, or cannot say it.
    func lostAnswer(of entry: OutboxEntry, revision: Revision?, into changes: inout LayerChanges) throws {
        let (metadata, stored) = (try metadata(), try record(entry.id))
        changes.touch(entry)
        if let revision { return try applied(entry, revision: revision, cursor: metadata.cursor) }
        // While a view is being loaded, a record that is missing here may be there.
        let isKnown = stored != nil || metadata.cursor != nil
        guard isKnown, entry.isDone(in: stored?.record, by: metadata.identity.userID) else {
            // It is sent again, and the answer to that counts.
            return try replace(entry.unsealed)
        }
        guard let stored else { return try removeEntry(entry.seq) }
        try applied(entry, revision: stored.revision, cursor: metadata.cursor)
    }

    private func applied(_ entry: OutboxEntry, revision: Revision, cursor: Cursor?) throws {
        try note(OwnWrite(id: entry.id, seq: entry.seq, revision: revision))
        // Later edits were made on top of this change.
        for var later in try entries(of: entry.id) where later.seq > entry.seq && later.isUnsealed {
            if later.kind == .restore || later.baseRevision <= entry.baseRevision {
                later.baseRevision = revision
                // A comment's thread revision is that of its root, which this change did not touch.
                if let thread = later.threadRevision, later.base?.contentType != .comments {
                    later.threadRevision = max(thread, revision)
                }
                try replace(later)
            }
        }
        try followUp(entry, revision: revision)
        if let cursor, cursor.revision >= revision {
            try removeEntry(entry.seq)
        } else {
            try mark(entry.seq, .applied(n: entry.n, revision: revision))
        }
    }

    /// After a restore, appends the text that the server has never seen, unless a later edit is waiting.
    private func followUp(_ entry: OutboxEntry, revision: Revision) throws {
        guard entry.kind == .restore, let content = entry.content,
            try !entries(of: entry.id).contains(where: { $0.seq > entry.seq && $0.isUnsealed })
        else { return }
        _ = try append(
            OutboxEntry(
                id: entry.id, kind: .update, baseRevision: revision, group: entry.group, content: content,
                base: entry.base, madeAt: entry.madeAt))
    }

    /// Stores a rejected entry together with the edits made on top of it. The caller refreshes the row.
    ///
    /// - Parameter isThere: Whether the server has the record; nil if unknown, because an earlier response may have
    ///   been lost.
    func settle(
        _ entry: OutboxEntry, as state: OutboxEntry.State, isThere: Bool?, into changes: inout LayerChanges
    ) throws {
        changes.touch(entry)
        changes.hasRejections = true
        var kept = entry.rejected(as: state)
        let others = try entries(of: entry.id).filter { $0.seq != entry.seq }
        let later = others.filter { $0.seq > entry.seq && $0.isUnsealed }
        for edit in later { changes.touch(edit) }
        // If the user deleted the record in the end, nothing of it is lost. Unless the server is known not to have it,
        // the deletion is sent, and the server deletes the record or answers that it is gone.
        let deletion = isThere != true && later.last?.kind == .delete ? later.last : nil
        for edit in later where isThere == false || edit.seq != deletion?.seq { try removeEntry(edit.seq) }
        if deletion != nil {
            // Only if the root never existed. A backup may lack it, and then each comment waits for a decision.
            if entry.kind == .create, case .refused = state { try dropThread(of: entry.id, into: &changes) }
            return try removeEntry(kept.seq)
        }
        kept = later.reduce(kept) { $0.joined(by: $1) }
        // Another conflict of the record stays as it is: its text is not in this one.
        try replace(kept)
    }

    /// Switches to a new clientID; sealed entries wait again. One that the server has applied comes back as a conflict.
    func startAnew(clientID: String, into changes: inout LayerChanges) throws {
        try changeMetadata { ($0.clientID, $0.lastN) = (clientID, 0) }
        changes.startedAnew = true
        for entry in try entries(in: [.sealed], limit: .max) {
            try replace(entry.unsealed)
            changes.touch(entry.id)
        }
    }
}

extension OutboxEntry {
    func rejected(as state: State) -> OutboxEntry {
        var kept = self
        (kept.state, kept.wasSent, kept.isAside) = (state, false, false)
        if kept.kind == .restore, let base = kept.base {
            // Keep the content that the restore was meant to bring back.
            (kept.kind, kept.content, kept.group) = (.create, base.content, base.group)
        }
        return kept
    }

    /// Returns this rejected entry with the result of a later edit.
    func joined(by later: OutboxEntry) -> OutboxEntry {
        var joined = self
        joined.madeAt = later.madeAt
        joined.takenRoot = later.takenRoot
        if later.kind == .delete {
            (joined.kind, joined.content) = (.delete, nil)
        } else if let content = later.content ?? later.base?.content {
            // A restore after a delete brings the record back.
            if kind == .delete { joined.kind = base == nil ? .create : .update }
            (joined.content, joined.group) = (content, later.group)
        }
        return joined
    }
}
