package import Annotations
package import Authorization
package import SyncProtocol

/// What a token that the server accepted means for what is kept here.
extension Layer {
    package struct Accepted: Hashable, Sendable {
        package var changes = LayerChanges()
        /// The server holds another PDF than before.
        package var pdfReplaced = false
        /// There was a cursor and it is good for nothing any more: the layer is loaded anew.
        package var isCursorLost = false
    }

    /// - Throws: ``InvalidServerData`` when the server answered for another layer or user.
    package func check(_ grant: Grant) throws { try metadata().identity.check(grant) }

    /// - Parameter seen: the cursor when the session was asked for. A head that lies before it is of a server that lost
    ///   something; one that lies before the present cursor may only have been long under way.
    /// - Throws: ``InvalidServerData`` when the server answered for another layer or user.
    package func accept(
        _ answer: SessionAnswer, seen: Revision?, now: Timestamp, newClientID: String
    ) throws -> Accepted {
        try store.write { store in
            var facts = try store.metadata()
            try facts.identity.check(answer.grant)
            var accepted = Accepted()
            let oldScope = facts.grant?.viewScope
            let wasRestored = facts.isBehind(answer, seen: seen)
            let hadCursor = facts.cursor != nil
            accepted.pdfReplaced = !facts.pdfSHA256.isEmpty && facts.pdfSHA256 != answer.pdfSHA256
            facts.grant = answer.grant
            facts.generation = answer.generation
            facts.title = answer.title
            facts.pdfSHA256 = answer.pdfSHA256
            facts.pdfBytes = answer.pdfBytes
            facts.limits = answer.limits
            facts.clockOffset = answer.now - now
            if facts.cursor?.epoch != answer.epoch { facts.cursor = nil }
            if facts.loading?.epoch != answer.epoch { facts.loading = nil }
            try store.set(facts)
            if wasRestored { try store.beginRecovery(clientID: newClientID, into: &accepted.changes) }
            if accepted.pdfReplaced { try store.markUnsentUncertain(into: &accepted.changes) }
            if let oldScope, oldScope != answer.grant.viewScope {
                try store.hideInvisible(answer.grant, into: &accepted.changes)
            }
            try store.parkDenied(answer.grant, into: &accepted.changes)
            facts = try store.metadata()
            accepted.isCursorLost = hadCursor && facts.cursor == nil
            for id in accepted.changes.ids { try store.refresh(id, facts: facts) }
            return accepted
        }
    }
}

extension LayerMetadata {
    /// The server was restored from a backup: it noticed and drew a new generation, or its head fell behind what was
    /// seen here.
    fileprivate func isBehind(_ answer: SessionAnswer, seen: Revision?) -> Bool {
        guard let generation else { return false }
        return !generation.isExactly(answer.generation) || seen.map { $0 > answer.head } ?? false
    }
}

extension LayerIdentity {
    /// - Throws: ``InvalidServerData`` for the grant of another layer or user.
    fileprivate func check(_ grant: Grant) throws {
        guard documentID.isExactly(grant.documentID), layer.isExactly(grant.layer), userID.isExactly(grant.userID)
        else { throw InvalidServerData("the server answered for another layer or user") }
    }
}

extension StoredLayer {
    /// Whether something is parked that this grant allows to send.
    func hasParked(allowedBy grant: Grant, facts: LayerMetadata) throws -> Bool {
        try entries(in: [.parked], limit: .max).contains { entry in
            guard try reasonRootIsParked(of: entry) == nil else { return false }
            return grant.decide(try operation(of: entry, facts: facts)).isAllowed
        }
    }

    fileprivate func operation(of entry: OutboxEntry, facts: LayerMetadata) throws -> Operation {
        let record = try record(entry.id)?.record ?? entry.base
        let subject = record.map { Subject($0) } ?? Subject(.annotations, createdBy: facts.identity.userID, group: nil)
        switch entry.kind {
        case .create:
            // A root that is gone is the server's to judge: the reply is kept as a conflict then.
            guard let content = entry.content,
                let operation = try? creation(of: content, group: entry.group, facts: facts, waiting: entry)
            else { return .createAnnotation(group: entry.group) }
            return operation
        case .update: return .edit(subject)
        case .delete: return .delete(subject)
        // The person who deleted a record may restore it: only the general `write` permission is checked.
        case .restore: return .createAnnotation(group: facts.grant?.defaultGroup)
        }
    }
}

extension WritableLayer {
    /// Parks an edit of this process that the process that syncs may not send: it would be refused, by its token.
    func parkDenied(_ seq: Int64, by grant: Grant?, facts: LayerMetadata) throws {
        guard var entry = try entry(seq), entry.stage == .waiting, let grant, grant.mayWrite,
            case .denied(let why) = grant.decide(try operation(of: entry, facts: facts))
        else { return }
        entry.state = .parked(why.description)
        try replace(entry)
    }

    /// Parks what the present grant denies and lets the rest wait again.
    fileprivate func parkDenied(_ grant: Grant, into changes: inout LayerChanges) throws {
        let facts = try metadata()
        for var entry in try entries(in: [.waiting, .parked], limit: .max) {
            let state: OutboxEntry.State
            switch grant.decide(try operation(of: entry, facts: facts)) {
            case .allowed: state = try reasonRootIsParked(of: entry).map { .parked($0) } ?? .waiting
            case .denied(let why): state = .parked(why.description)
            }
            if state != entry.state {
                entry.state = state
                try replace(entry)
                changes.ids.insert(entry.id)
            }
        }
        // Sealed entries look different when nothing may be sent at all.
        changes.ids.formUnion(try entries(in: [.sealed], limit: .max).map(\.id))
    }

    /// Removes the rows that a new view scope no longer shows. Edits of them stay.
    fileprivate func hideInvisible(_ grant: Grant, into changes: inout LayerChanges) throws {
        var last: Record.ID?
        while case let batch = try records(after: last, limit: 500), !batch.isEmpty {
            for row in batch where !grant.canView(Subject(row.record)) {
                try removeRecord(row.id)
                try forgetOwnWrite(row.id, upTo: row.revision)
                changes.ids.insert(row.id)
            }
            last = batch.last?.id
        }
    }

    /// What was drawn on another PDF is for the person to look at again.
    fileprivate func markUnsentUncertain(into changes: inout LayerChanges) throws {
        for var entry in try entries(in: [.waiting, .parked], limit: .max) {
            entry.state = .conflict("the PDF was replaced before this edit was sent")
            try replace(entry)
            changes.ids.insert(entry.id)
        }
    }
}
