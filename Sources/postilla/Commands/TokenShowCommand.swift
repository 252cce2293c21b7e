import Annotations
import ArgumentParser
import Authorization

struct TokenShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the claims of a token. Nothing is verified.",
        discussion: """
            Reads the token from a file, or from standard input.

            Examples:
              postilla token show review.jwt
              postilla token issue --key key.pem --document report | postilla token show
            """)

    @Argument(
        help: ArgumentHelp("File with the token (default: standard input).", valueName: "file"), completion: .file())
    var file: String?

    func run() async throws {
        guard let line = try text(), !line.trimmed.isEmpty else {
            throw CommandFailure("no token in \(file ?? "standard input")", .authentication)
        }
        let claims: Claims
        do { claims = try Claims(token: line.trimmed) } catch { throw CommandFailure("\(error)", .authentication) }
        let facts = TokenFacts(claims)
        for line in facts.lines(now: .now) { Output.line(line) }
        Output.message("Decoded only: the signature is not verified. To ask a server: postilla token check")
    }

    private func text() throws -> String? {
        guard let file, file != "-" else { return try StandardInput.shared.line() }
        do { return try PrivateFile.read(file) } catch let failure as CommandFailure {
            throw CommandFailure(failure.message, .authentication)
        }
    }
}
