import Authorization
import InstantCore
import SyncProtocol

// Entering a token, and the result.
extension AppState {
    mutating func useToken() -> [Effect] {
        if token?.path != nil { return token?.takePath().map { [.readTokenFile($0)] } ?? [] }
        guard let received = token?.received else {
            return only(.warning("No token yet; type or paste one, or type @ and a file name"))
        }
        if token?.claims == nil { token?.readWhole() }
        guard let card = token, let grant = card.claims?.grant else {
            return only(.warning("This token cannot be used; Ctrl-U to clear it"))
        }
        token?.isTrying = true
        token?.problem = nil
        switch card.purpose {
        case .layer:
            // A token for another layer, or for this layer as another user, opens that layer in a new tab.
            guard let reference = document?.reference, !grant.isFor(reference) else { return [.supplyToken(received)] }
            return [.join(server: reference.server, token: received)]
        case .join(let server): return [.join(server: server, token: received)]
        }
    }

    /// Closes the card, because no status change does so if the connection stayed live.
    mutating func tokenAccepted() {
        if let card = token, card.isTrying, card.purpose == .layer { token = nil }
    }

    mutating func tokenRefused(_ why: String) {
        guard let card = token else {
            // A server that cannot be reached needs no other token.
            guard mayInterrupt, document?.need != nil else {
                notice = .error(why.asSentence)
                return
            }
            token = TokenCard(.layer)
            token?.problem = why
            return
        }
        // What has been typed since is not what was refused.
        if card.isReading {
            token?.fileWasNotRead()
        } else if card.isTrying || card.isEmpty {
            token = TokenCard(card.purpose)
        }
        token?.problem = why
    }

    /// Adds what the server knows about the refused token to the card, unless the user has moved on.
    mutating func tokenChecked(_ verdict: TokenVerdict) {
        guard let card = token, card.isEmpty, card.purpose == .layer else { return }
        token?.check = TokenCheck(verdict, at: now)
    }

    mutating func completePath() -> [Effect] {
        guard let path = token?.path?.text else { return [] }
        return [.completePath(path)]
    }

    /// Opens the card when a token is needed and nothing blocks it; a later need can open it again.
    mutating func reconcileCard() {
        // The engine gives itself tokens for one's own files.
        guard let document, !document.isLocal else { return }
        guard let need = document.need else {
            self.document?.refusedNeed = nil
            return
        }
        if token == nil, document.refusedNeed != need, mayInterrupt { token = TokenCard(.layer) }
    }
}
