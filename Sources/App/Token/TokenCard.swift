import Authorization

/// The card for entering a token. It is not modal: other keys reach the document. It never shows the token.
struct TokenCard: Equatable, Sendable {
    enum Purpose: Equatable, Sendable {
        /// For the open layer.
        case layer
        /// To add a layer from this server.
        case join(server: String)
    }

    var purpose: Purpose
    var received: TokenText?
    /// The claims of the received token; nil without one, or if it cannot be read.
    var claims: Claims?
    /// Why the received token is invalid or was refused.
    var problem: String?
    /// The server's verdict on a token that it refused.
    var check: TokenCheck?
    /// The name of the file that holds the token, while it is typed.
    var path: TextInput?
    /// Whether the token was submitted and no response has arrived.
    var isTrying = false

    init(_ purpose: Purpose) { self.purpose = purpose }

    mutating func receive(_ token: TokenText) {
        received = token
        path = nil
        isTrying = false
        check = nil
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
