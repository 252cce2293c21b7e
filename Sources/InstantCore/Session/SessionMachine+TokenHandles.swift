/// Which tokens are in question.
extension SessionMachine {
    /// The token that requests for records go by; nil while there is none that was accepted.
    package var dataTicket: TokenHandle? {
        if case .live(let ticket) = state {
            ticket
        } else if case .authenticating(_, let before) = state {
            before
        } else {
            nil
        }
    }

    /// The tokens that may still be needed; others can be forgotten.
    package var tickets: [TokenHandle] {
        switch state {
        case .authenticating(let ticket, let before): [ticket] + (before.map { [$0] } ?? [])
        default: ticket.map { [$0] } ?? []
        }
    }

    var ticket: TokenHandle? {
        switch state {
        case .authenticating(let ticket, _), .connecting(let ticket), .live(let ticket), .waiting(let ticket, _, _):
            ticket
        case .paused(let ticket, _): ticket
        case .needsToken, .lost: nil
        }
    }

    /// Whether an answer about this token is still waited for.
    package func isAsking(about ticket: TokenHandle) -> Bool {
        switch state {
        case .authenticating(ticket, _), .connecting(ticket): true
        default: false
        }
    }
}
