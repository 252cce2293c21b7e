import ArgumentParser
import Authorization

struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Make a server refuse a token from now on, as a backend does.",
        discussion: """
            The token comes from standard input, or --jti names it. Whoever works with it is cut off at once; what they \
            have not sent stays with them. A token without an id of its own cannot be revoked: let it expire.

            Examples:
              postilla token revoke --server https://docs.example --api-token-file secret < review.jwt
              postilla token revoke --jti 01HV60ME365HS69FVQ1CE6PK2G --server https://docs.example \
                --api-token-file secret
            """)

    @Option(help: ArgumentHelp("The token's own id; without it the token is read.", valueName: "id"))
    var jti: String?

    @OptionGroup var options: BackendOptions

    func run() async throws {
        let id = try jti ?? idOfInput()
        try await options.backend().revoke([id])
        Output.message("revoked: \(id)")
    }

    /// What goes to the server is the id alone: the token is nobody's business.
    private func idOfInput() throws -> String {
        guard let token = try StandardInput.shared.line()?.trimmed, !token.isEmpty else {
            throw CommandFailure("no token on standard input: pipe one in, or give --jti", .authentication)
        }
        let claims: Claims
        do { claims = try Claims(token: token) } catch { throw CommandFailure("\(error)", .authentication) }
        guard let id = claims.tokenID else {
            throw CommandFailure("this token has no id (jti), so nothing can revoke it: it ends by itself")
        }
        return id
    }
}
