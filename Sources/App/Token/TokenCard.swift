import Authorization

/// Where a token is given. A card, not a mode: other keys reach the document. It never shows what it received.
struct TokenCard: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        /// For the layer that is open.
        case layer
        /// For a layer to be added from this server.
        case join(server: String)
    }

    var purpose: Purpose
    var received: TokenText?
    /// What the received token says of itself; nil while there is none or it cannot be read.
    var claims: Claims?
    /// What is wrong with what was received, or why it was not taken.
    var problem: String?
    /// The name of a file that holds the token, while it is typed.
    var path: TextInput?
    /// Handed over, not yet answered.
    var isTrying = false

    init(_ purpose: Purpose) { self.purpose = purpose }

    mutating func receive(_ token: TokenText) {
        received = token
        path = nil
        isTrying = false
        do {
            claims = try Claims(token: token.secret)
            problem = nil
        } catch {
            claims = nil
            problem = "\(error)"
        }
    }

    mutating func clear() {
        self = TokenCard(purpose)
    }

    var isEmpty: Bool { received == nil && path == nil }
}
