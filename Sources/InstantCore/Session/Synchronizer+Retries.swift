import Annotations
import SyncProtocol

/// Handles failed requests and streams.
extension Synchronizer {
    mutating func requestFailed(
        _ id: Int, _ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        if let request = sessionRequest, request.id == id {
            sessionRequest = nil
            return judge(failure, ticket: request.ticket, now: now, random: &random)
        }
        if presenceFailed(id, failure, now: now) { return }
        guard let request = [underWay, uploadUnderWay].compactMap(\.self).first(where: { $0.id == id }) else { return }
        if request.id == underWay?.id { underWay = nil } else { uploadEnded() }
        switch (request.kind, failure) {
        case (_, .epochChanged): startOver()
        // The connection is the reason already, or the token is not used any more.
        case (.upload, .unreachable) where session.dataTicket == nil,
            (.upload, .stalled) where session.dataTicket == nil,
            (.upload, .forbidden) where session.dataTicket != request.ticket:
            break
        case (.push, .forbidden), (.upload, .forbidden):
            // The server consumed no number, so the change waits for a token with write permission.
            forbidden = request.ticket
            end(failure)
        case (.push(let pushed), .tooLarge): try split(pushed, now: now, random: &random)
        case (.push, .clientIDTaken):
            try countFreshStart("the server keeps rejecting the id of this client")
            announce(try layer.startAnew(newClientID: newName(now, &random)))
        case (.upload(let id), .tooLarge), (.upload(let id), .attachment):
            let reason = failure == .tooLarge ? "its attachment is too large for the server" : failure.description
            announce(try layer.refuseUpload(id, because: reason))
        case (.push(let pushed), .stalled) where pushed.changes.count > 1:
            // Less may get through. One edit that never does is searched for like a refused one.
            pushSize.stalled(pushed)
            fallthrough
        case (.push, .notSent), (.upload, .unreachable(_, nil)), (.upload, .notSent), (.upload, .stalled):
            pauseSending(failure, now: now, random: &random)
        case (.push(let pushed), .unreachable(_, nil)), (.push(let pushed), .invalidServer),
            (.push(let pushed), .stalled):
            try pushFailed(pushed, failure, now: now, random: &random)
        case (.upload(let file), .invalidServer): try uploadFailed(file, failure, now: now, random: &random)
        case (.digest, .invalidServer):
            // The server does not support the request.
            try noteCheck(nil, now: now)
        default: judge(failure, ticket: request.ticket, now: now, random: &random)
        }
    }

    /// Applies a failure to the session.
    mutating func judge(
        _ failure: SyncFailure, ticket: TokenHandle, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        switch failure {
        case .token(let need): perform(session.refused(ticket, need))
        case .forbidden(let why): perform(session.readingWithdrawn(ticket, why))
        case .lost(let why): perform(session.accessLost(why))
        case .epochChanged, .tooLarge, .clientIDTaken, .unreachable, .invalidServer, .oldClient, .oldServer, .store,
            .attachment, .notSent, .stalled:
            return fail(failure, now: now, random: &random)
        }
        if session.dataTicket == nil {
            giveUp()
            end(failure)
        }
    }

    /// Handles a 413: halves the batch for the rest of the cycle; a single change that is too large is refused with the
    /// reason.
    private mutating func split(
        _ pushed: PushRequest, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        if pushed.changes.count > 1 {
            batchLimit = pushed.changes.count / 2
        } else if let n = pushed.changes.first?.n {
            announce(try layer.refuseTooLarge(n: n, newClientID: newName(now, &random)))
        }
    }

    /// Ends the cycle and backs off.
    mutating func fail(_ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator) {
        var delay = Backoff.delay(failures: session.failures + 1, using: &random)
        switch failure {
        case .unreachable(_, let retryAfter?), .notSent(_, let retryAfter?):
            delay = max(delay, min(retryAfter, Self.maxWait))
            notBefore = now + delay
        default: break
        }
        // An upload that still moves need not begin again.
        giveUpRecords()
        if case .authenticating(let ticket, _) = session.state, problem?.description != failure.description {
            // Announce once, not on each attempt.
            effects.append(.announce(.failedReauthentication(ticket, failure)))
        }
        problem = failure
        dropPause()
        perform(session.failed(at: now, delay: delay))
        end(failure)
    }

    /// Abandons the requests in flight.
    mutating func giveUp() {
        giveUpRecords()
        if let uploadUnderWay { effects.append(.cancel(uploadUnderWay.id)) }
        uploadEnded()
    }

    /// Abandons the record request in flight. A push may still have been applied, so it is sent again.
    private mutating func giveUpRecords() {
        if let underWay { effects.append(.cancel(underWay.id)) }
        underWay = nil
    }

    mutating func giveUpAll() {
        giveUp()
        if let sessionRequest { effects.append(.cancel(sessionRequest.id)) }
        sessionRequest = nil
    }

    /// Ends the cycle, or the wait for the one that was asked for unless another token is being tried.
    mutating func end(_ failure: SyncFailure?) {
        guard cycle.isSyncing else {
            switch session.state {
            case .connecting, .authenticating(_, nil): break
            default: if isSyncWanted { perform([.announceFailure], failure: failure) }
            }
            return
        }
        perform(cycle.failed(backlog: (try? layer.backlog()) ?? .kept), failure: failure)
    }

    /// The maximum wait that a server can request, in milliseconds.
    static let maxWait: Int64 = 600_000
}

/// The delay after consecutive failures: exponential with full jitter, so that clients disconnected at the same time do
/// not reconnect at the same time.
package enum Backoff {
    /// Returns milliseconds, from 500 to 60,000.
    package static func delay(failures: Int, using random: inout some RandomNumberGenerator) -> Int64 {
        let ceiling = min(60_000, Int64(500) << Int64(min(max(failures, 1), 8)))
        return Int64.random(in: 500...ceiling, using: &random)
    }
}
