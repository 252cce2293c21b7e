import EngineSupport

extension EngineProcess {
    /// A token signed with ES256.
    func token(_ change: (inout TokenMint.Claims) -> Void = { _ in }) throws -> String {
        var claims = Self.claims
        change(&claims)
        return try mint.token(claims)
    }

    func token(_ user: String, reading: Bool = false) throws -> String {
        try token {
            $0.user = user
            $0.creatorName = user.capitalized
            if reading { $0.permissions = ["read-document", "download"] }
        }
    }

    func tokenSignedWithPublicKey() throws -> String { try mint.tokenSignedWithPublicKey(Self.claims) }
    func unsignedToken() throws -> String { try mint.unsignedToken(Self.claims) }

    private static var claims: TokenMint.Claims {
        var claims = TokenMint.Claims(document: "paper", layer: "review", user: "ana")
        claims.creatorName = "Ana"
        return claims
    }
}
