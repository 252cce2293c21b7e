import ArgumentParser
import Authorization

struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Make a server reject a token from now on, as a backend would.",
        discussion: """
            Reads the token from standard input, or takes its id from --jti. Its connections are closed at once; \
            unsent edits stay on their machines. A token without an id cannot be revoked; it is valid until it \
            expires.

            Examples:
              postilla token revoke --server https://docs.example --api-token-file secret < review.jwt
              postilla token revoke --jti 01HV60ME365HS69FVQ1CE6PK2G --server https://docs.example \
                --api-token-file secret
            """)

    @Option(help: ArgumentHelp("Id of the token; without it the token is read from standard input.", valueName: "id"))
    var jti: String?

    @OptionGroup var options: BackendOptions

    func run() async throws {
        let id = try jti ?? idOfInput()
        try await options.backend().revoke([id])
        Output.message("revoked: \(id)")
    }

    /// Only the id is sent to the server, never the token.
    private func idOfInput() throws -> String {
        guard let token = try StandardInput.shared.line()?.trimmed, !token.isEmpty else {
            throw CommandFailure("no token on standard input; pipe one in or use --jti", .authentication)
        }
        let claims: Claims
        do { claims = try Claims(token: token) } catch { throw CommandFailure("\(error)", .authentication) }
        guard let id = claims.tokenID else {
            throw CommandFailure("this token has no id (jti) and cannot be revoked; it is valid until it expires")
        }
        return id
    }
}
