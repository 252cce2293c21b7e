package import Annotations

/// A token without its secret, which only the performer holds.
package struct TokenHandle: Hashable, Sendable {
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

/// The state machine of a session: authentication and connection. It decides; the performer acts.
///
/// Methods are named after events and return the actions that follow. Late events for an outdated token have no effect.
package struct SessionMachine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Idle: no reconnects. The queue is kept, and the layer remains readable.
        case needsToken(TokenNeed)
        /// Trying a token for the first time; the previous one remains valid in the meantime.
        case authenticating(TokenHandle, before: TokenHandle?)
        /// The token was accepted; the connection is down.
        case connecting(TokenHandle)
        case live(TokenHandle)
        case waiting(TokenHandle, until: Timestamp, wasAccepted: Bool)
        /// Offline at the user's request.
        case paused(TokenHandle?, wasAccepted: Bool)
        /// The document or layer is gone, or read access was withdrawn.
        case lost(String)
    }

    package enum Action: Hashable, Sendable {
        /// Request the session of the token.
        case askSession(TokenHandle)
        case closeStream
        /// The server accepted the token for the first time; it may now be stored.
        case announceAuthenticated(TokenHandle)
        case announceNeed(TokenNeed)
        /// The server rejected a supplied token.
        case announceRefused(TokenHandle, TokenNeed)
        case announceLost(String)
    }

    package private(set) var state = State.needsToken(.noneYet)
    /// The last accepted token, while one that the server has not judged yet has taken its place without a connection. If
    /// that one is refused, this one is used again.
    package private(set) var fallback: TokenHandle?
    /// The number of consecutive failures since a stream delivered data or a cycle succeeded.
    package private(set) var failures = 0

    package init() {}

    package mutating func tokenSupplied(_ ticket: TokenHandle) -> [Action] {
        switch state {
        case .paused(let old, let wasAccepted):
            if wasAccepted { fallback = old }
            state = .paused(ticket, wasAccepted: false)
            return []
        case .connecting(let old), .waiting(let old, _, wasAccepted: true): fallback = old
        case .needsToken, .authenticating, .live, .waiting, .lost: break
        }
        failures = 0
        state = .authenticating(ticket, before: dataTicket)
        return [.askSession(ticket)]
    }

    package mutating func sessionAnswered(_ ticket: TokenHandle) -> [Action] {
        switch state {
        case .authenticating(ticket, _):
            state = .live(ticket)
            fallback = nil
            return [.announceAuthenticated(ticket)]
        case .connecting(ticket):
            state = .live(ticket)
            return []
        default: return []
        }
    }

    /// Handles a 401, or a stream that ended because its token is no longer valid.
    package mutating func refused(_ ticket: TokenHandle, _ need: TokenNeed) -> [Action] {
        if ticket == fallback { fallback = nil }
        if let fallback, let actions = replaceRefused(ticket, by: fallback, need) {
            self.fallback = nil
            return actions
        }
        switch state {
        case .authenticating(ticket, let before?):
            state = .live(before)
            return [.announceRefused(ticket, need)]
        case .authenticating(ticket, nil):
            state = .needsToken(need)
            return [.closeStream, .announceRefused(ticket, need), .announceNeed(need)]
        case .authenticating(let new, before: ticket?):
            state = .authenticating(new, before: nil)
            return [.closeStream]
        case .connecting(ticket), .live(ticket), .waiting(ticket, _, _):
            state = .needsToken(need)
            return [.closeStream, .announceNeed(need)]
        case .paused(ticket?, _):
            state = .paused(nil, wasAccepted: false)
            return [.announceNeed(need)]
        default: return []
        }
    }

    /// - Returns: nil if the refused token has not taken the place of another one.
    private mutating func replaceRefused(
        _ ticket: TokenHandle, by earlier: TokenHandle, _ need: TokenNeed
    ) -> [Action]? {
        switch state {
        case .authenticating(ticket, nil), .waiting(ticket, _, wasAccepted: false):
            state = .connecting(earlier)
            return [.closeStream, .announceRefused(ticket, need), .askSession(earlier)]
        case .paused(ticket, wasAccepted: false):
            state = .paused(earlier, wasAccepted: true)
            return [.announceRefused(ticket, need)]
        default: return nil
        }
    }

    /// Handles a 403 on reading: the token lost read access. For a token that is being tried, this is a rejection.
    package mutating func readingWithdrawn(_ ticket: TokenHandle, _ why: String) -> [Action] {
        switch state {
        case .authenticating(ticket, _): refused(ticket, .refused(why))
        case .connecting(ticket), .live(ticket): accessLost(why)
        default: []
        }
    }

    /// Handles a missing or invalid response, or a stream that ended. States that have no connection are unchanged.
    package mutating func failed(at now: Timestamp, delay: Int64) -> [Action] {
        guard let ticket else { return [] }
        switch state {
        case .authenticating(_, let before):
            fallback = before ?? fallback
            state = .waiting(ticket, until: now + delay, wasAccepted: false)
        case .connecting, .live:
            state = .waiting(ticket, until: now + delay, wasAccepted: true)
        case .needsToken, .waiting, .paused, .lost: return []
        }
        failures += 1
        return [.closeStream]
    }

    /// Requests the session again with the same token, because the layer changed in the meantime.
    package mutating func invalidated() -> [Action] {
        guard case .live(let ticket) = state else { return [] }
        state = .connecting(ticket)
        return [.closeStream, .askSession(ticket)]
    }

    /// Requests the session again, because another process leads now, or the program continues after a stop.
    package mutating func restarted() -> [Action] {
        switch state {
        case .live: return invalidated()
        case .connecting(let ticket), .authenticating(let ticket, _): return [.askSession(ticket)]
        case .needsToken, .waiting, .paused, .lost: return []
        }
    }

    /// Shifts the times after the local clock was set back.
    mutating func clockWentBack(by milliseconds: Int64) {
        guard case .waiting(let ticket, let until, let wasAccepted) = state else { return }
        state = .waiting(ticket, until: until + -milliseconds, wasAccepted: wasAccepted)
    }

    /// Resets the failure count, so that the next failure counts as the first.
    package mutating func succeeded() { failures = 0 }

    /// Ends the wait: its time is up, or a key press, a local edit or a restored network makes it pointless.
    package mutating func retryDue() -> [Action] {
        guard case .waiting(let ticket, _, let wasAccepted) = state else { return [] }
        state = wasAccepted ? .connecting(ticket) : .authenticating(ticket, before: nil)
        return [.askSession(ticket)]
    }

    package mutating func wentOffline() -> [Action] {
        switch state {
        case .paused, .lost: return []
        case .needsToken: state = .paused(nil, wasAccepted: false)
        case .authenticating(let ticket, let before):
            fallback = before ?? fallback
            state = .paused(ticket, wasAccepted: false)
        case .connecting(let ticket), .live(let ticket): state = .paused(ticket, wasAccepted: true)
        case .waiting(let ticket, _, let wasAccepted): state = .paused(ticket, wasAccepted: wasAccepted)
        }
        return [.closeStream]
    }

    package mutating func wentOnline() -> [Action] {
        guard case .paused(let ticket, let wasAccepted) = state else { return [] }
        guard let ticket else {
            state = .needsToken(.noneYet)
            return [.announceNeed(.noneYet)]
        }
        failures = 0
        state = wasAccepted ? .connecting(ticket) : .authenticating(ticket, before: nil)
        return [.askSession(ticket)]
    }

    package mutating func tokenForgotten() -> [Action] {
        if case .lost = state { return [] }
        state = .needsToken(.forgotten)
        fallback = nil
        return [.closeStream, .announceNeed(.forgotten)]
    }

    /// Why access is lost without the local copy.
    package static let storageWasRemoved = "the local storage was removed"

    /// Ends the session because this user removed the layer: nothing to announce.
    package mutating func storageRemoved() -> [Action] {
        state = .lost(Self.storageWasRemoved)
        fallback = nil
        return [.closeStream]
    }

    package mutating func accessLost(_ why: String) -> [Action] {
        if case .lost = state { return [] }
        state = .lost(why)
        fallback = nil
        return [.closeStream, .announceLost(why)]
    }
}
