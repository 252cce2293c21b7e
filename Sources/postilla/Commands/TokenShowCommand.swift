import Annotations
import ArgumentParser
import Authorization

struct TokenShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the claims of a token from standard input. Nothing is verified.")

    func run() async throws {
        guard let line = try StandardInput.shared.line(), !line.trimmed.isEmpty else {
            throw CommandFailure("no token on standard input; pipe one in", .authentication)
        }
        let claims: Claims
        do { claims = try Claims(token: line.trimmed) } catch { throw CommandFailure("\(error)", .authentication) }
        let facts = TokenFacts(claims)
        for line in facts.lines(now: .now) { Output.line(line) }
        Output.message("Decoded only: the signature is not verified. To ask a server: postilla token check")
    }
}
