package import Annotations
package import Authorization
package import SyncProtocol

/// Updates the stored layer when a token is accepted.
extension Layer {
    package struct Accepted: Hashable, Sendable {
        package var changes = LayerChanges()
        /// The document was overwritten with another PDF.
        package var pdfReplaced = false
        /// The SHA-256 of the previous file, if the server has a different file of the same document for this token,
        /// which may see more or less.
        package var otherPDF: String?
        /// The cursor became invalid: the layer is loaded again.
        package var isCursorLost = false
    }

    /// - Throws: ``InvalidServerData`` if the server answered for another layer or user.
    package func check(_ grant: Grant) throws { try metadata().identity.check(grant) }

    /// - Parameter seen: The cursor when the session was requested. A head before it means that the server lost data. A
    ///   head before the current cursor may merely mean that the response was delayed.
    /// - Throws: ``InvalidServerData`` if the server answered for another layer or user.
    package func accept(
        _ answer: SessionAnswer, seen: Revision?, now: Timestamp, newClientID: String
    ) throws -> Accepted {
        try store.write { store in
            var metadata = try store.metadata()
            try metadata.identity.check(answer.grant)
            var accepted = Accepted()
            let oldScope = metadata.grant?.viewScope
            let wasRestored = metadata.isBehind(answer, seen: seen)
            let hadCursor = metadata.cursor != nil
            accepted.pdfReplaced = metadata.isReplaced(by: answer)
            if !accepted.pdfReplaced, !metadata.pdfSHA256.isEmpty, metadata.pdfSHA256 != answer.pdfSHA256 {
                accepted.otherPDF = metadata.pdfSHA256
            }
            metadata.documentVersion = answer.documentVersion
            metadata.grant = answer.grant
            metadata.generation = answer.generation
            metadata.lineage = answer.lineage
            metadata.title = answer.title
            metadata.pdfSHA256 = answer.pdfSHA256
            metadata.pdfBytes = answer.pdfBytes
            metadata.pageCount = answer.pageCount
            metadata.pageRuns = answer.pageRuns
            metadata.limits = answer.limits
            metadata.clockOffset = answer.now - now
            if metadata.cursor?.epoch != answer.epoch { metadata.cursor = nil }
            if metadata.loading?.epoch != answer.epoch { metadata.loading = nil }
            try store.set(metadata)
            if wasRestored { try store.beginRecovery(clientID: newClientID, into: &accepted.changes) }
            if accepted.pdfReplaced { try store.markUnsentUncertain(into: &accepted.changes) }
            if let oldScope, oldScope != answer.grant.viewScope {
                try store.hideInvisible(answer.grant, into: &accepted.changes)
            }
            try store.parkDenied(answer.grant, into: &accepted.changes)
            metadata = try store.metadata()
            accepted.isCursorLost = hadCursor && metadata.cursor == nil
            for id in accepted.changes.ids { try store.refresh(id.text, metadata: metadata) }
            return accepted
        }
    }
}

extension LayerMetadata {
    /// Whether the document was overwritten since the last session. If either side lacks a version, a different file
    /// counts as a replacement; but a server that was updated to report versions gives a different file for the same
    /// epoch to tokens that may not see all of the document.
    fileprivate func isReplaced(by answer: SessionAnswer) -> Bool {
        if let documentVersion, let version = answer.documentVersion { return !documentVersion.isExactly(version) }
        guard !pdfSHA256.isEmpty else { return false }
        return pdfSHA256 != answer.pdfSHA256 && (answer.documentVersion == nil || cursor?.epoch != answer.epoch)
    }

    /// Whether the server was restored from a backup: its generation changed, or its head is behind the revision seen
    /// here.
    fileprivate func isBehind(_ answer: SessionAnswer, seen: Revision?) -> Bool {
        guard let generation else { return false }
        return !generation.isExactly(answer.generation) || seen.map { $0 > answer.head } ?? false
    }
}

extension LayerIdentity {
    /// - Throws: ``InvalidServerData`` for the grant of another layer or user.
    fileprivate func check(_ grant: Grant) throws {
        guard documentID.isExactly(grant.documentID), layer.isExactly(grant.layer), userID.isExactly(grant.userID)
        else { throw InvalidServerData("the server responded for a different layer or user") }
    }
}

extension StoredLayer {
    /// Whether this grant allows sending a parked entry.
    func hasParked(allowedBy grant: Grant, metadata: LayerMetadata) throws -> Bool {
        try entries(in: [.parked], limit: .max).contains { entry in
            guard !entry.isAside, try reasonRootIsParked(of: entry) == nil else { return false }
            return grant.decide(try operation(of: entry, metadata: metadata)).isAllowed
        }
    }

    func operation(of entry: OutboxEntry, metadata: LayerMetadata) throws -> Operation {
        let record = try record(entry.id)?.record ?? entry.base
        let subject =
            record.map { Subject($0) } ?? Subject(.annotations, createdBy: metadata.identity.userID, group: nil)
        switch entry.kind {
        case .create:
            // If the root is gone, the server decides; the reply then becomes a conflict.
            guard let content = entry.content,
                let operation = try? creation(of: content, group: entry.group, metadata: metadata, waiting: entry)
            else { return .createAnnotation(group: entry.group) }
            return operation
        case .update: return record.map { .editing($0) } ?? .edit(subject)
        case .delete: return .delete(subject)
        // The user who deleted a record may restore it, so only the general `write` permission is checked.
        case .restore: return .createAnnotation(group: metadata.grant?.defaultGroup)
        }
    }
}

extension WritableLayer {
    /// Parks an edit of this process that the token of the syncing process does not allow; the server would refuse it.
    func parkDenied(_ seq: Int64, by grant: Grant?, metadata: LayerMetadata) throws {
        guard var entry = try entry(seq), entry.stage == .waiting, let grant, grant.mayWrite,
            case .denied(let why) = grant.decide(try operation(of: entry, metadata: metadata))
        else { return }
        entry.state = .parked(why.description)
        try replace(entry)
    }

    /// Parks the entries that the current grant denies; the others wait again.
    ///
    /// - Parameter retriesAside: Whether those that were put aside wait again, too.
    func parkDenied(_ grant: Grant, retriesAside: Bool = false, into changes: inout LayerChanges) throws {
        let metadata = try metadata()
        for var entry in try entries(in: [.waiting, .parked], limit: .max) {
            if entry.isAside, entry.stage == .parked, !retriesAside { continue }
            let state: OutboxEntry.State
            switch grant.decide(try operation(of: entry, metadata: metadata)) {
            case .allowed: state = try reasonRootIsParked(of: entry).map { .parked($0) } ?? .waiting
            case .denied(let why): state = .parked(why.description)
            }
            if state != entry.state {
                entry.state = state
                try replace(entry)
                changes.touch(entry)
            }
        }
        // Sealed entries look different when the grant allows no writes.
        for entry in try entries(in: [.sealed], limit: .max) { changes.touch(entry.id) }
    }

    /// Removes the rows outside the new view scope. Keeps the edits of those rows.
    func hideInvisible(_ grant: Grant, into changes: inout LayerChanges) throws {
        var last: Record.ID?
        while case let batch = try records(after: last, limit: 500), !batch.isEmpty {
            for row in batch where !grant.canView(Subject(row.record)) {
                try removeRecord(row.id)
                try forgetOwnWrite(row.id, upTo: row.revision)
                changes.touch(row.id)
            }
            last = batch.last?.id
        }
    }

    /// Turns unsent edits into conflicts, one for each record, because the user has to review edits that were made on
    /// another PDF.
    fileprivate func markUnsentUncertain(into changes: inout LayerChanges) throws {
        let reason = OutboxEntry.pdfReplaced
        var deleted: Set<ByteOrdered> = []
        for unsent in try entries(in: [.waiting, .parked], limit: .max) {
            // An earlier one of the record may have taken it up.
            guard let entry = try entry(unsent.seq), entry.isUnsealed else { continue }
            // Nothing of a record that was deleted before it was sent is to be reviewed.
            if entry.kind == .create { deleted.insert(ByteOrdered(entry.id)) }
            if entry.kind == .delete, deleted.contains(ByteOrdered(entry.id)) { continue }
            try settle(entry, as: .conflict(reason), isThere: entry.kind == .create ? nil : true, into: &changes)
        }
    }
}
