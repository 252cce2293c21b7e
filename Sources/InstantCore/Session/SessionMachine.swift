package import Annotations

/// Names a token without holding it: the machine decides, the performer keeps the secret.
package struct TokenHandle: Hashable, Sendable {
    package var number: Int

    package init(_ number: Int) { self.number = number }
}

/// Decides what a session does next: authentication and connection. It never does it.
///
/// Methods are named by what happened and return the actions that follow. What comes late, for a token that is no
/// longer the one in question, changes nothing.
package struct SessionMachine: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Rests: no reconnects, the queue is kept, reading goes on.
        case needsToken(TokenNeed)
        /// A token is being tried for the first time. While it is, the one before it stays good.
        case authenticating(TokenHandle, before: TokenHandle?)
        /// An accepted token, a broken connection.
        case connecting(TokenHandle)
        case live(TokenHandle)
        case waiting(TokenHandle, until: Timestamp, wasAccepted: Bool)
        /// Offline because the person said so.
        case paused(TokenHandle?, wasAccepted: Bool)
        /// The document or layer is gone, or reading was withdrawn.
        case lost(String)
    }

    package enum Action: Hashable, Sendable {
        /// Ask the server what it reads in the token.
        case askSession(TokenHandle)
        case closeStream
        /// The server accepted it for the first time: safe to keep now.
        case announceAuthenticated(TokenHandle)
        case announceNeed(TokenNeed)
        /// A token that was supplied did not do.
        case announceRefused(TokenHandle, TokenNeed)
        case announceLost(String)
    }

    package private(set) var state = State.needsToken(.noneYet)
    /// Failures in a row since something was heard on a stream or a cycle ended well.
    package private(set) var failures = 0

    package init() {}

    package mutating func tokenSupplied(_ ticket: TokenHandle) -> [Action] {
        if case .paused(_, _) = state {
            state = .paused(ticket, wasAccepted: false)
            return []
        }
        failures = 0
        state = .authenticating(ticket, before: dataTicket)
        return [.askSession(ticket)]
    }

    package mutating func sessionAnswered(_ ticket: TokenHandle) -> [Action] {
        switch state {
        case .authenticating(ticket, _):
            state = .live(ticket)
            return [.announceAuthenticated(ticket)]
        case .connecting(ticket):
            state = .live(ticket)
            return []
        default: return []
        }
    }

    /// 401, or a stream that ended because its token did.
    package mutating func refused(_ ticket: TokenHandle, _ need: TokenNeed) -> [Action] {
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

    /// 403 for reading: what a token could read it can read no more. Of a token that is being tried, a refusal.
    package mutating func readingWithdrawn(_ ticket: TokenHandle, _ why: String) -> [Action] {
        switch state {
        case .authenticating(ticket, _): refused(ticket, .refused(why))
        case .connecting(ticket), .live(ticket): accessLost(why)
        default: []
        }
    }

    /// No answer, an answer that makes no sense, or a stream that ended. A state without a connection stays as it is.
    package mutating func failed(at now: Timestamp, delay: Int64) -> [Action] {
        guard let ticket else { return [] }
        switch state {
        case .authenticating:
            state = .waiting(ticket, until: now + delay, wasAccepted: false)
        case .connecting, .live:
            state = .waiting(ticket, until: now + delay, wasAccepted: true)
        case .needsToken, .waiting, .paused, .lost: return []
        }
        failures += 1
        return [.closeStream]
    }

    /// The layer moved under the session: ask again with the same token.
    package mutating func invalidated() -> [Action] {
        guard case .live(let ticket) = state else { return [] }
        state = .connecting(ticket)
        return [.closeStream, .askSession(ticket)]
    }

    /// The clock of this machine was set back by so many milliseconds.
    mutating func clockWentBack(by milliseconds: Int64) {
        guard case .waiting(let ticket, let until, let wasAccepted) = state else { return }
        state = .waiting(ticket, until: until + -milliseconds, wasAccepted: wasAccepted)
    }

    /// It works: the next failure is the first one again.
    package mutating func succeeded() { failures = 0 }

    /// The time to wait is over, or something made waiting pointless: a key, a local edit, the network coming back.
    package mutating func retryDue() -> [Action] {
        guard case .waiting(let ticket, _, let wasAccepted) = state else { return [] }
        state = wasAccepted ? .connecting(ticket) : .authenticating(ticket, before: nil)
        return [.askSession(ticket)]
    }

    package mutating func wentOffline() -> [Action] {
        switch state {
        case .paused, .lost: return []
        case .needsToken: state = .paused(nil, wasAccepted: false)
        case .authenticating(let ticket, _): state = .paused(ticket, wasAccepted: false)
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
        return [.closeStream, .announceNeed(.forgotten)]
    }

    package mutating func accessLost(_ why: String) -> [Action] {
        if case .lost = state { return [] }
        state = .lost(why)
        return [.closeStream, .announceLost(why)]
    }
}
