package import Annotations
package import Authorization
package import EngineCore
import SyncProtocol

/// Verifies tokens: form, algorithm, signature, claims, time. Revocation is checked in the store, by the transaction
/// that uses the token.
///
/// Only `alg` in the header counts; a key in it (`jwk`, `x5c`) or the address of one (`jku`, `x5u`) is ignored.
package struct TokenVerifier: Sendable {
    package let keys: [VerificationKey]
    private let known: KnownTokens

    /// - Parameter checksKnown: whether cached tokens are also verified and fail if the claims differ; for tests.
    package init(keys: [VerificationKey], checksKnown: Bool = false) {
        self.keys = keys
        known = KnownTokens(isChecked: checksKnown)
    }

    /// - Throws: ``APIError`` with one of the reasons for a 401. Its text contains no part of the token.
    package func verify(_ token: String, now: Timestamp) throws(APIError) -> Claims {
        let claims: Claims
        do {
            guard token.utf8.count <= Claims.maximumTokenBytes else {
                throw TokenError.tooLarge(limit: Claims.maximumTokenBytes)
            }
            claims = try known.claims(of: token) { token in
                try checkSignature(token)
                return try Claims(token: token)
            }
        } catch let refusal as APIError { throw refusal } catch { throw APIError(.tokenMalformed, "\(error)") }
        guard now < claims.grant.expiresAt else { throw APIError(.tokenExpired, "the token has expired") }
        if let start = claims.notBefore, now < start {
            throw APIError(.tokenNotYetValid, "the token is not valid yet")
        }
        return claims
    }

    private func checkSignature(_ token: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw TokenError.segments(parts.count) }
        guard let bytes = Base64URL.decode(parts[0]), let header = try? JSONReader.parse(bytes).object else {
            throw TokenError.notBase64JSON(part: "header")
        }
        guard header["crit"] == nil, header["b64"] == nil else {
            throw APIError(.tokenMalformed, "the token's header requires extensions that are not supported")
        }
        guard let algorithm = header["alg"]?.string.flatMap(VerificationKey.Algorithm.init(rawValue:)),
            keys.contains(where: { $0.algorithm == algorithm })
        else {
            throw APIError(.algorithmRefused, "this server has no key for the token's algorithm")
        }
        guard let signature = Base64URL.decode(parts[2]), !signature.isEmpty else {
            throw TokenError.notBase64JSON(part: "signature")
        }
        let signed = token.utf8[..<parts[1].endIndex]
        let fits = keys.contains { $0.algorithm == algorithm && $0.verifies(signature, of: signed) }
        guard fits else { throw APIError(.signatureInvalid, "the token's signature matches no key of this server") }
    }
}
