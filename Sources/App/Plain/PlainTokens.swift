import Annotations
import Screen

// Entering a token. The token is never printed.
extension PlainState {
    mutating func askForToken(_ purpose: TokenCard.Purpose) {
        let card = TokenCard(purpose)
        for line in app.lines(of: card, columns: Self.width) where line.role == .fact {
            say(line.text)
        }
        app.token = card
        question = .token
    }

    mutating func takeToken(_ line: String) -> [Effect] {
        question = nil
        guard !line.isEmpty else {
            app.token = nil
            say("No token entered.")
            return app.document == nil && !app.hasLibrary ? app.quit() : []
        }
        if line.begins(with: "@") {
            step = .tokenFile
            app.token?.insert(line, isPaste: true)
            return app.token?.takePath().map { [.readTokenFile($0)] } ?? []
        }
        app.token?.receive(TokenText(line))
        return useToken()
    }

    mutating func useTokenFile() -> [Effect] {
        if app.token?.received != nil { return useToken() }
        sayToken(.layer)
        return []
    }

    private mutating func useToken() -> [Effect] {
        guard let card = app.token else { return [] }
        let verdict = app.lines(of: card, columns: Self.width).filter {
            [.verdict, .warning, .problem].contains($0.role)
        }
        for line in verdict { say(line.text) }
        guard card.claims != nil else {
            app.token = nil
            return []
        }
        step = .token(card.purpose)
        return app.useToken()
    }

    /// Prints the result.
    mutating func sayToken(_ purpose: TokenCard.Purpose) {
        if let problem = app.token?.problem {
            say("\(problem.asSentence)")
        } else if app.token != nil, isOffline {
            say("The server cannot be reached. The token is checked on the next connection.")
        } else if purpose == .layer {
            say("The token is in use.")
        } else {
            // An added layer is described like an opened one.
            step = .opening
        }
        app.token = nil
    }
}
