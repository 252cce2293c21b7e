import Annotations
package import SyncProtocol

/// The server's answers to what was pushed, each change for itself.
extension Layer {
    /// Takes the answers and the delta behind them in one transaction. The server keeps an answer until it was
    /// acknowledged, which the next seal does, and that one is synced.
    ///
    /// - Parameter newClientID: for the case that the server lost track of the present one: it was restored from a
    ///   backup, noticed or not.
    package func take(
        _ answer: PushAnswer, to request: PushRequest, newClientID: String
    ) throws -> LayerChanges {
        try store.write(.recoverable) { store in
            var changes = LayerChanges()
            let facts = try store.metadata()
            guard facts.clientID == request.clientID else { return changes }
            // Each is answered once: a second answer to the same n finds nothing.
            var sealed = Dictionary(
                try store.entries(in: [.sealed], limit: .max).map { ($0.n, $0) },
                uniquingKeysWith: { first, _ in first })
            for result in answer.results {
                guard let entry = sealed.removeValue(forKey: result.n) else { continue }
                try store.take(result, of: entry, facts: facts, into: &changes)
            }
            if changes.startedAnew {
                try store.beginRecovery(clientID: newClientID, into: &changes)
            }
            let intake = try answer.delta.map { try store.take($0, facts: store.metadata(), into: &changes) }
            if answer.reset { changes.needsSnapshot = true }
            try store.show(changes, knowing: intake)
            return changes
        }
    }

    /// Goes on under a new name; what was sealed is sealed anew.
    package func startAnew(newClientID: String) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            try store.startAnew(clientID: newClientID, into: &changes)
            return changes
        }
    }

    /// The server will not take this change at any price: it is too large for a request of its own. Its n was not
    /// consumed, so what waits behind it goes on under a new clientID.
    package func refuseTooLarge(n: Int64, newClientID: String) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            guard let entry = try store.entries(in: [.sealed], limit: .max).first(where: { $0.n == n }) else {
                return changes
            }
            try store.settle(
                entry, as: .refused("it is larger than the server takes"), isThere: entry.kind != .create,
                into: &changes)
            try store.startAnew(clientID: newClientID, into: &changes)
            try store.show(changes)
            return changes
        }
    }
}

extension WritableLayer {
    fileprivate func take(
        _ result: ChangeResult, of entry: OutboxEntry, facts: LayerMetadata, into changes: inout LayerChanges
    ) throws {
        changes.ids.insert(entry.id)
        switch result.status {
        case .applied:
            guard let revision = result.revision else {
                throw InvalidServerData("the server applied a change and named no revision")
            }
            try applied(entry, revision: revision, cursor: facts.cursor)
        case .conflict:
            if let item = result.item, item.id.isExactly(entry.id) {
                try item.check()
                // What the cursor or a snapshot has passed is known: an answer that was under way for long does not
                // bring back what is gone since.
                if item.revision > facts.cursor?.revision ?? facts.loading?.at ?? .max {
                    var intake = ApplyContext(facts: facts)
                    try receive(item, &intake, into: &changes)
                }
            }
            let isThere = if case .removed = result.item { false } else { true }
            try settle(
                entry, as: .conflict(result.reason ?? "someone else was first"), isThere: isThere, into: &changes)
        case .gone where entry.kind == .delete:
            try removeEntry(entry.seq)
        case .gone:
            try settle(
                entry, as: .conflict(result.reason ?? "it was deleted meanwhile"), isThere: false, into: &changes)
        case .denied:
            try settle(
                entry, as: .refused(result.reason ?? "the server denied it"),
                isThere: entry.kind == .create ? nil : true,
                into: &changes)
        case .invalid:
            // Perhaps the server lost the file: it is offered again, should the person send the edit once more.
            if let file = entry.content?.attachmentID { try changeMetadata { $0.uploads.insert(file) } }
            try settle(
                entry, as: .refused(result.reason ?? "the server found it invalid"),
                isThere: entry.kind == .create ? nil : true,
                into: &changes)
        case .gap, .mismatch: changes.startedAnew = true
        }
    }

    private func applied(_ entry: OutboxEntry, revision: Revision, cursor: Cursor?) throws {
        try note(OwnWrite(id: entry.id, seq: entry.seq, revision: revision))
        // What was edited meanwhile was edited on top of this change.
        for var later in try entries(of: entry.id) where later.seq > entry.seq && later.isUnsealed {
            if later.kind == .restore || later.baseRevision <= entry.baseRevision {
                later.baseRevision = revision
                // Of a comment it is its root's, which this change did not touch.
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

    /// A restore brings back what the server had; text that it never saw comes behind it, unless it was edited anew.
    private func followUp(_ entry: OutboxEntry, revision: Revision) throws {
        guard entry.kind == .restore, let content = entry.content,
            try !entries(of: entry.id).contains(where: { $0.seq > entry.seq && $0.isUnsealed })
        else { return }
        _ = try append(
            OutboxEntry(
                id: entry.id, kind: .update, baseRevision: revision, group: entry.group, content: content,
                base: entry.base, madeAt: entry.madeAt))
    }

    /// Keeps what the server did not take, with the edits that were made on top of it. The row is shown anew by the
    /// caller, with all others.
    ///
    /// - Parameter isThere: whether the server has the record; nil: an earlier answer may have been lost, and the record may
    ///   be there all the same.
    func settle(
        _ entry: OutboxEntry, as state: OutboxEntry.State, isThere: Bool?, into changes: inout LayerChanges
    ) throws {
        changes.ids.insert(entry.id)
        var kept = entry
        kept.state = state
        if kept.kind == .restore, let base = kept.base {
            // What it was to bring back is what is kept.
            (kept.kind, kept.content, kept.group) = (.create, base.content, base.group)
        }
        let others = try entries(of: entry.id).filter { $0.seq != entry.seq }
        for later in others where later.seq > entry.seq && later.isUnsealed {
            // The server deletes the record, or answers that it is gone.
            if later.kind == .delete, isThere == nil { return try removeEntry(kept.seq) }
            try removeEntry(later.seq)
            if later.kind == .delete, isThere == false {
                // The person had let go of what the server does not have.
                return try removeEntry(kept.seq)
            }
            kept = kept.joined(by: later)
        }
        if let open = others.first(where: { $0.seq < entry.seq && ($0.stage == .conflict || $0.stage == .refused) }) {
            try replace(open.joined(by: kept))
            try removeEntry(kept.seq)
        } else {
            try replace(kept)
        }
    }

    /// A new clientID: what was sealed is unsealed and will be sealed anew. Its fate at the server is unknown; what it
    /// had applied comes back as a conflict and is shown as one.
    func startAnew(clientID: String, into changes: inout LayerChanges) throws {
        try changeMetadata { ($0.clientID, $0.lastN) = (clientID, 0) }
        changes.startedAnew = true
        for var entry in try entries(in: [.sealed], limit: .max) {
            entry.state = .waiting
            try replace(entry)
            changes.ids.insert(entry.id)
        }
    }
}

extension OutboxEntry {
    /// This kept entry with what a later edit wanted in place of its own.
    fileprivate func joined(by later: OutboxEntry) -> OutboxEntry {
        var joined = self
        joined.madeAt = later.madeAt
        if later.kind == .delete {
            (joined.kind, joined.content) = (.delete, nil)
        } else if let content = later.content ?? later.base?.content {
            // What a restore is to bring back was deleted by an edit before it.
            if kind == .delete { joined.kind = base == nil ? .create : .update }
            (joined.content, joined.group) = (content, later.group)
        }
        return joined
    }
}
