import Authorization
import InstantCore
import SyncProtocol

// Entering a token, and the result.
extension AppState {
    /// Whether a card may open: never over something being typed or chosen.
    var canOpenCard: Bool {
        guard prompt == nil, picker == nil, help == nil else { return false }
        guard let document else { return true }
        return document.editor == nil && document.conflict == nil && document.page.selection == nil
    }

    mutating func useToken() -> [Effect] {
        guard let card = token else { return [] }
        if let path = card.path {
            let name = path.text.filter { !$0.isNewline }
            token?.path = nil
            return name.isEmpty ? [] : [.readTokenFile(name)]
        }
        guard let received = card.received else {
            return only(.warning("No token yet; paste one, or type @ and a file name"))
        }
        guard let grant = card.claims?.grant else { return only(.warning("Token cannot be used; Ctrl-U to clear it")) }
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
        let purpose = token?.purpose ?? .layer
        guard token != nil || canOpenCard else {
            notice = .error(why.asSentence)
            return
        }
        token = TokenCard(purpose)
        token?.problem = why
    }

    /// Adds what the server knows about the refused token to the card, unless the user has moved on.
    mutating func tokenChecked(_ verdict: TokenVerdict) {
        guard let card = token, card.received == nil, card.purpose == .layer else { return }
        token?.check = TokenCheck(verdict, at: now)
    }

    /// Opens the card when a token is needed and nothing blocks it; a later need can open it again.
    mutating func reconcileCard() {
        guard let document else { return }
        guard let need = document.need else {
            self.document?.refusedNeed = nil
            return
        }
        if token == nil, document.refusedNeed != need, canOpenCard { token = TokenCard(.layer) }
    }
}
