import Annotations
import SyncProtocol

/// Which request comes next, and what its answer means.
extension Synchronizer {
    /// Sends the next request for records, if the cycle wants one and none is under way.
    mutating func pump(now: Timestamp) throws {
        guard underWay == nil, let ticket = session.dataTicket, let epoch else { return }
        while cycle.isSyncing {
            if cycle.state == .sendingChanges {
                if mayPush(), let request = try layer.seal(maximum: batchLimit) {
                    return send(.push(request), ticket)
                }
                perform(cycle.sent())
            } else if let page = try layer.nextPage(epoch: epoch) {
                return send(.page(page), ticket)
            } else if !isCaughtUp, let cursor = try layer.facts().cursor {
                return send(.pull(cursor), ticket)
            } else {
                try layer.noteSync(at: now)
                session.succeeded()
                isCaughtUp = false
                perform(cycle.received(hasUnsent: try mayPush() && layer.hasUnsent()))
            }
        }
    }

    /// Whether the server would take anything at all by the present token.
    func mayPush() -> Bool { session.dataTicket != nil && session.dataTicket != forbidden }

    private mutating func send(_ kind: SyncRequest.Kind, _ ticket: Ticket) {
        let request = SyncRequest(id: number(), ticket: ticket, kind: kind)
        underWay = request
        effects.append(.send(request))
    }

    mutating func take(
        _ answer: SyncAnswer, to id: Int, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        if case .session(let answer) = answer {
            guard let request = sessionRequest, request.id == id else { return }
            sessionRequest = nil
            return try take(answer, ticket: request.ticket, now: now, random: &random)
        }
        guard let request = underWay, request.id == id else { return }
        underWay = nil
        switch (answer, request.kind) {
        case (.push(let answer), .push(let pushed)): try take(answer, to: pushed, now: now, random: &random)
        case (.delta(let delta), .pull(let cursor)): try take(delta, since: cursor)
        case (.page(let page), .page(let asked)):
            guard page.epoch == epoch else { return try startOver(now: now, random: &random) }
            let changes = try layer.take(page, for: asked)
            announce(changes)
            if changes.needsSnapshot { try startOver(now: now, random: &random) }
        default: throw InvalidServerData("the answer does not fit the request")
        }
    }

    private mutating func take(
        _ answer: SessionAnswer, ticket: Ticket, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        let accepted = try layer.accept(answer, now: now, newClientID: newName(now, &random))
        epoch = answer.epoch
        if forbidden != ticket { forbidden = nil }
        problem = nil
        perform(session.sessionAnswered(ticket))
        announce(accepted.changes)
        if accepted.pdfReplaced { effects.append(.announce(.pdfReplaced)) }
        try beginCycle()
    }

    private mutating func take(
        _ answer: PushAnswer, to pushed: PushRequest, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        let changes = try layer.take(answer, to: pushed, newClientID: newName(now, &random))
        announce(changes)
        batchLimit = .max
        if changes.startedAnew {
            freshStarts += 1
            if freshStarts > 1 { throw InvalidServerData("the server keeps losing track of what was sent") }
        } else if let first = pushed.changes.first, try layer.isSealed(n: first.n) {
            throw InvalidServerData("the server did not answer a change")
        }
        if changes.needsSnapshot { return try startOver(now: now, random: &random) }
        isCaughtUp = answer.delta.map { !$0.more } ?? false
    }

    private mutating func take(_ delta: Delta, since cursor: Cursor) throws {
        guard !delta.more || delta.upTo > cursor.revision else {
            throw InvalidServerData("the server's changes go round in circles")
        }
        let changes = try layer.take(delta)
        announce(changes)
        if changes.needsSnapshot { try layer.restartSnapshot() }
        isCaughtUp = !delta.more
    }

    /// The cursor is no good: the queue is kept, the session asked again, a snapshot loaded beside the old rows. Twice
    /// in one cycle is a server that goes round in circles: back off, visibly.
    private mutating func startOver(now: Timestamp, random: inout some RandomNumberGenerator) throws {
        snapshots += 1
        try layer.restartSnapshot()
        guard snapshots <= 1 else { throw InvalidServerData("the server keeps asking to start over") }
        perform(session.doubted())
    }

    mutating func requestFailed(
        _ id: Int, _ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        if let request = sessionRequest, request.id == id {
            sessionRequest = nil
            return judge(failure, ticket: request.ticket, now: now, random: &random)
        }
        guard let request = underWay, request.id == id else { return }
        underWay = nil
        if case .push(let pushed) = request.kind {
            switch failure {
            case .forbidden:
                // Nothing was consumed: it waits for a token that may write.
                forbidden = request.ticket
                return end(failure)
            case .tooLarge: return split(pushed, now: now, random: &random)
            case .clientIDTaken: return startAnew(now: now, random: &random)
            default: break
            }
        }
        if case .epochChanged = failure {
            do { return try startOver(now: now, random: &random) } catch {
                return fail(.invalidServer("\(error)"), now: now, random: &random)
            }
        }
        judge(failure, ticket: request.ticket, now: now, random: &random)
    }

    /// What a failure means for the session.
    mutating func judge(
        _ failure: SyncFailure, ticket: Ticket, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        switch failure {
        case .token(let need): perform(session.refused(ticket, need))
        case .forbidden(let why): perform(session.refused(ticket, .refused(why)))
        case .lost(let why): perform(session.accessLost(why))
        case .epochChanged, .tooLarge, .clientIDTaken, .unreachable, .invalidServer, .oldClient, .oldServer, .store:
            return fail(failure, now: now, random: &random)
        }
        if session.dataTicket == nil { end(failure) }
    }

    private mutating func startAnew(now: Timestamp, random: inout some RandomNumberGenerator) {
        freshStarts += 1
        guard freshStarts <= 1 else {
            return fail(.invalidServer("the server takes no name of this store"), now: now, random: &random)
        }
        do { announce(try layer.startAnew(newClientID: newName(now, &random))) } catch {
            fail(.store("\(error)"), now: now, random: &random)
        }
    }

    /// 413: half as many next time; what is too large alone is refused with the reason.
    private mutating func split(
        _ pushed: PushRequest, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        guard pushed.changes.count <= 1 else {
            batchLimit = pushed.changes.count / 2
            return
        }
        batchLimit = .max
        do {
            if let n = pushed.changes.first?.n {
                announce(
                    try layer.refuseTooLarge(n: n, newClientID: newName(now, &random)))
            }
        } catch { fail(.store("\(error)"), now: now, random: &random) }
    }

    /// Ends the cycle and leaves the server alone for a while.
    mutating func fail(_ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator) {
        var delay = Backoff.delay(failures: session.failures + 1, using: &random)
        if case .unreachable(_, let retryAfter?) = failure { delay = max(delay, min(retryAfter, 600_000)) }
        underWay = nil
        if case .authenticating(let ticket, _) = session.state, problem?.description != failure.description {
            // Told once, not at each attempt.
            effects.append(.announce(.failedReauthentication(ticket, failure)))
        }
        problem = failure
        perform(session.failed(at: now, delay: delay))
        end(failure)
    }

    /// Ends the cycle, if there is one. What is under way may still be answered, and is not waited for.
    mutating func end(_ failure: SyncFailure?) {
        guard cycle.isSyncing else { return }
        let hasUnsent = (try? layer.hasUnsent()) ?? true
        perform(cycle.failed(hasUnsent: hasUnsent), failure: failure)
    }

    mutating func announce(_ changes: LayerChanges) {
        if !changes.ids.isEmpty || changes.startedAnew { effects.append(.announce(.changed(changes))) }
    }

    private func newName(_ now: Timestamp, _ random: inout some RandomNumberGenerator) -> String {
        ULID.make(at: now, using: &random)
    }
}
