/// The tokens in use.
extension SessionMachine {
    /// The token for record requests; nil unless one is live.
    package var dataTicket: TokenHandle? {
        if case .live(let ticket) = state {
            ticket
        } else if case .authenticating(_, let before) = state {
            before
        } else {
            nil
        }
    }

    /// The tokens that may still be needed; others can be discarded.
    package var tickets: [TokenHandle] {
        var tickets = [ticket, fallback].compactMap(\.self)
        if case .authenticating(_, let before?) = state { tickets.append(before) }
        return tickets
    }

    var ticket: TokenHandle? {
        switch state {
        case .authenticating(let ticket, _), .connecting(let ticket), .live(let ticket), .waiting(let ticket, _, _):
            ticket
        case .paused(let ticket, _): ticket
        case .needsToken, .lost: nil
        }
    }

    /// Whether a response about this token is pending.
    package func isAsking(about ticket: TokenHandle) -> Bool {
        switch state {
        case .authenticating(ticket, _), .connecting(ticket): true
        default: false
        }
    }
}
