package import Annotations
package import Authorization
package import SyncProtocol

/// Applies the changes of one request and returns an answer for each, in order. Answers are stored at least until they
/// are acknowledged.
package struct PushProcessor {
    package let grant: Grant
    package let limits: ServerLimits
    /// The number of changes returned with the answers: more than a full batch, so that a writer's own changes are
    /// included.
    package static let deltaLimit = 1500

    /// The batch size for deleting acknowledged answers: a lookup on each push would cost more than storing the rows.
    /// Until they are deleted, a repeated change gets the same answer.
    private let forgottenAtOnce: Int64

    package init(grant: Grant, limits: ServerLimits = ServerLimits(), forgottenAtOnce: Int64 = 8) {
        self.grant = grant
        self.limits = limits
        self.forgottenAtOnce = forgottenAtOnce
    }

    /// - Returns: the answer, and the commit to publish once the transaction is durable.
    /// - Throws: ``APIError`` if the whole request is refused; no change is consumed then.
    package func perform(
        _ request: PushRequest, on layer: ServerLayer, in store: any StoreWriting, now: Timestamp
    ) throws -> (answer: PushAnswer, commit: Commit) {
        guard grant.mayWrite else {
            throw APIError(.insufficientScope, #"read-only: this token lacks "write""#)
        }
        guard PushRequest.isValidClientID(request.clientID) else {
            throw APIError(.badRequest, PushRequest.clientIDRule)
        }
        guard request.changes.count <= limits.batchChanges else {
            throw APIError(.payloadTooLarge, "too many changes; a request may have at most \(limits.batchChanges)")
        }
        if let epoch = request.cursor?.epoch, !layer.isGeneration(ofEpoch: epoch) {
            throw APIError(.epochChanged, "the changes refer to revisions that the layer no longer has")
        }
        var client = StoredClient(id: request.clientID, userID: grant.userID)
        do { client = try store.client(request.clientID, in: layer) ?? client } catch is DamagedRow {
            // A new clientID sends everything again.
            throw APIError(.clientIDTaken, "the server's state of this clientID is damaged; generate a new one")
        }
        guard client.userID.isExactly(grant.userID) else {
            throw APIError(.clientIDTaken, "this clientID belongs to another user; generate a new one")
        }
        try forget(upTo: request.acked, &client, layer, store)
        var writer = LayerWriter(layer, in: store, now: now)
        let decider = ChangeDecider(grant: grant, clientID: client.id, limits: limits)
        var results: [ChangeResult] = []
        var bytes = 0
        for change in request.changes {
            var result = try take(change, decider, &client, &writer)
            // A client that conflicts with many large records pulls the rest of them.
            if let item = result.item { bytes += item.size }
            if bytes > LayerView.pageBytes { result.item = nil }
            results.append(result)
        }
        try store.put(client, in: layer)
        var (answer, commit) = (PushAnswer(results: results, delta: nil), writer.commit)
        if let cursor = request.cursor {
            let view = LayerView(writer.layer, scope: decider.scope, in: store)
            let sent = request.omitsSent ? SentContents(request.changes) : nil
            do {
                let delta = try view.delta(since: cursor, limit: Self.deltaLimit, omitting: sent)
                if delta.upTo >= commit.layer.head { commit.answered = client.id }
                answer.delta = delta
            } catch let refusal as APIError where refusal.reason == .epochChanged { answer.reset = true }
        }
        return (answer, commit)
    }

    private func forget(
        upTo acked: Int64, _ client: inout StoredClient, _ layer: ServerLayer, _ store: any StoreWriting
    ) throws {
        let acked = min(acked, client.lastN)
        guard acked >= client.acked + forgottenAtOnce else { return }
        client.acked = acked
        try store.removeAnswers(upTo: acked, to: client.id, in: layer)
    }

    private func take(
        _ change: Change, _ decider: ChangeDecider, _ client: inout StoredClient, _ writer: inout LayerWriter
    ) throws -> ChangeResult {
        let hash = Fingerprint.of(change.canonicalBytes)
        if change.n <= client.lastN {
            return try replay(change, hash, decider, client, writer)
        }
        guard change.n == client.lastN + 1 else {
            return ChangeResult(
                n: change.n, status: .gap, reason: "the next change of this clientID is \(client.lastN + 1)")
        }
        // No savepoint: a decision other than `applied` has written nothing, and a store error fails the request.
        let decision: ChangeDecision
        do { decision = try decider.decide(change, &writer) } catch let damage as DamagedRow {
            // Refused for good: the client keeps the text, and the changes behind it are not held up.
            decision = .invalid("\(damage)")
        }
        let result = decision.result(for: change.n)
        let answer = StoredAnswer(
            n: change.n, bodyHash: hash, recordID: change.id, status: result.status, revision: result.revision,
            reason: result.reason)
        try writer.store.put(answer, to: client.id, in: writer.layer)
        client.lastN = change.n
        return result
    }

    /// Returns the stored answer. The winner of a conflict is looked up in its current state.
    private func replay(
        _ change: Change, _ hash: String, _ decider: ChangeDecider, _ client: StoredClient, _ writer: LayerWriter
    ) throws -> ChangeResult {
        let stored: StoredAnswer?
        do { stored = try writer.store.answer(change.n, to: client.id, in: writer.layer) } catch is DamagedRow {
            return ChangeResult(n: change.n, status: .mismatch, reason: "the answer to this change is damaged")
        }
        guard let answer = stored else {
            return ChangeResult(
                n: change.n, status: .mismatch, reason: "this change was already answered and acknowledged")
        }
        guard answer.bodyHash == hash else {
            return ChangeResult(
                n: change.n, status: .mismatch, revision: answer.status == .applied ? answer.revision : nil,
                reason: "this number was used for a different change")
        }
        var result = ChangeResult(
            n: change.n, status: answer.status, revision: answer.revision, reason: answer.reason)
        if answer.status == .conflict {
            do { result.item = try decider.find(answer.recordID, writer)?.item } catch is DamagedRow {}
        }
        return result
    }
}
