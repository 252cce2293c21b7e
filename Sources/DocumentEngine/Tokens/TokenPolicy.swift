package import Annotations
package import Authorization
package import EngineCore

/// What a server requires of a token besides its signature and its times. Each requirement is optional.
package struct TokenPolicy: Hashable, Sendable {
    /// The values of `aud` of which a token must have one (RFC 8725 section 3.9); empty: `aud` is ignored.
    package var audiences: [String] = []
    /// The values of `iss` of which a token must have one (RFC 8725 section 3.8); empty: `iss` is ignored.
    package var issuers: [String] = []
    /// The longest time from `iat` to `exp`; nil: unlimited, and `iat` is optional.
    package var maxLifetime: Duration?
    /// Tokens issued before this time, or without `iat`, are refused, as if each had been revoked; nil: none.
    package var oldestIssue: Timestamp?

    package init() {}

    /// Returns why a token with these claims is refused; nil if it is not.
    package func refusal(of claims: Claims) -> APIError? {
        if !audiences.isEmpty, !claims.audience.contains(where: { Self.is($0, oneOf: audiences) }) {
            return APIError(
                .audienceRefused,
                claims.audience.isEmpty
                    ? #"the token lacks the claim "aud", which this server requires"#
                    : #"the token is for another server: its "aud" does not name this one"#)
        }
        if !issuers.isEmpty, claims.issuer.map({ Self.is($0, oneOf: issuers) }) != true {
            return APIError(
                .issuerRefused,
                claims.issuer == nil
                    ? #"the token lacks the claim "iss", which this server requires"#
                    : #"this server does not accept tokens from this issuer ("iss")"#)
        }
        if let oldestIssue {
            guard let issuedAt = claims.issuedAt else {
                return APIError(.tokenRevoked, #"the token lacks the claim "iat", which this server requires"#)
            }
            guard issuedAt >= oldestIssue else {
                return APIError(
                    .tokenRevoked, "this server refuses tokens that were issued before \(oldestIssue.iso8601)")
            }
        }
        guard let maxLifetime else { return nil }
        guard let issuedAt = claims.issuedAt else {
            return APIError(.lifetimeRefused, #"the token lacks the claim "iat", which this server requires"#)
        }
        guard .milliseconds(claims.grant.expiresAt - issuedAt) <= maxLifetime else {
            let limit = maxLifetime.components.seconds
            return APIError(
                .lifetimeRefused, "the token is valid for longer than the \(limit) s that this server accepts")
        }
        return nil
    }

    /// Compares bytes (RFC 7519 section 7.3).
    private static func `is`(_ name: String, oneOf accepted: [String]) -> Bool {
        accepted.contains { $0.isExactly(name) }
    }
}
