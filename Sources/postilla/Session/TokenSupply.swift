import InstantCore
import Synchronization

/// A layer's tokens for the duration of one command: the first, and others when the server requires them.
final class TokenSupply: Sendable {
    private let source: TokenSource
    private let document: String?
    private let layer: String?
    private let last = Mutex<String?>(nil)

    /// - Parameters:
    ///   - document: For `{document}` of a token URL, if known.
    init(_ source: TokenSource, document: String?, layer: String?) {
        self.source = source
        self.document = document
        self.layer = layer
    }

    var canBeAskedAgain: Bool { source.canBeAskedAgain }

    /// Returns the first token.
    ///
    /// - Throws: ``CommandFailure`` when the source has none.
    func first() async throws -> String {
        guard let token = try await next() else {
            throw CommandFailure(
                "no token; use --token-file, --token-command, --token-url or --token-stdin", .authentication)
        }
        return token
    }

    /// Returns a token other than the last; nil when the source has no other.
    func next() async throws -> String? {
        let refused = last.withLock { $0 }
        if refused != nil, !source.canBeAskedAgain { return nil }
        let token = try await source.token(refused: refused, document: document, layer: layer)
        if let token { last.withLock { $0 = token } }
        return token
    }
}

extension LayerSession {
    /// Returns a replacement for a token that the server no longer accepts. A source that can be asked again is polled
    /// for a minute, because renewal may be slightly late.
    ///
    /// - Throws: ``CommandFailure`` when the source has none.
    func anotherToken(for need: TokenNeed) async throws -> String {
        var problem = "\(need)"
        let attempts = tokens?.canBeAskedAgain == true ? 30 : 1
        for attempt in 1...attempts {
            do {
                if let token = try await tokens?.next() { return token }
            } catch let failure as CommandFailure { problem = failure.message }
            guard attempt < attempts else { break }
            if attempt == 1 { Output.message("\(problem); waiting for another token") }
            try await Task.sleep(for: .seconds(2))
        }
        throw CommandFailure(problem, .authentication)
    }
}
