package import Annotations
package import Authorization
package import EngineCore
import SyncProtocol
import Synchronization

/// Verifies tokens: form, algorithm, signature, claims, time. Revocation is checked in the store, by the transaction
/// that uses the token.
///
/// Only `alg` in the header counts; a key in it (`jwk`, `x5c`) or the address of one (`jku`, `x5u`) is ignored.
///
/// The keys can be replaced while the server runs. A token that was verified before is then verified again.
package final class TokenVerifier: Sendable {
    private struct Trust {
        let keys: [VerificationKey]
        let ids: Set<VerificationKey.ID>
        /// For these keys only: a verification that overlaps with a replacement does not reach the next cache.
        let known: KnownTokens

        init(_ keys: [VerificationKey], checksKnown: Bool) {
            self.keys = keys
            ids = Set(keys.map(\.id))
            known = KnownTokens(isChecked: checksKnown)
        }
    }

    /// How far in the future `iat` may be: the clocks of the issuer and of this server differ.
    package static let maxClockDifference: Int64 = 60_000

    private let trust: Mutex<Trust>
    private let policy: TokenPolicy
    private let checksKnown: Bool

    /// - Parameter checksKnown: whether cached tokens are also verified and fail if the claims differ; for tests.
    package init(keys: [VerificationKey], policy: TokenPolicy = TokenPolicy(), checksKnown: Bool = false) {
        trust = Mutex(Trust(keys, checksKnown: checksKnown))
        self.policy = policy
        self.checksKnown = checksKnown
    }

    /// The keys in use.
    package var keys: Set<VerificationKey.ID> { trust.withLock(\.ids) }

    /// From now on, tokens need one of these keys.
    func replaceKeys(_ keys: [VerificationKey]) {
        let new = Trust(keys, checksKnown: checksKnown)
        trust.withLock { $0 = new }
    }

    /// Whether a token that this key verified is still accepted.
    func trusts(_ key: VerificationKey.ID) -> Bool { trust.withLock { $0.ids.contains(key) } }

    /// - Throws: ``APIError`` with one of the reasons for a 401. Its text contains no part of the token.
    package func verify(_ token: String, now: Timestamp) throws(APIError) -> VerifiedToken {
        let (keys, known) = trust.withLock { ($0.keys, $0.known) }
        let verified: VerifiedToken
        do {
            try Claims.checkSize(of: token)
            verified = try known.verified(token) { token in
                let key = try Self.signer(of: token, among: keys)
                do throws(TokenError) {
                    return VerifiedToken(claims: try Claims(token: token), key: key)
                } catch { throw Self.malformed("\(error)") }
            }
        } catch let refusal as APIError { throw refusal } catch { throw APIError(.tokenMalformed, "\(error)") }
        if let refusal = refusal(of: verified.claims, now: now) { throw refusal }
        return verified
    }

    /// A token whose signature is valid, accepted or not.
    struct Inspection: Sendable {
        var key: VerificationKey.ID
        /// nil if the claims are invalid.
        var claims: Claims?
        /// nil if the token is accepted, as far as the verifier knows.
        var refusal: APIError?
    }

    /// Returns the result of ``verify(_:now:)`` for a token, and what the token contains.
    ///
    /// - Throws: ``APIError`` if no key verifies the signature. Nothing else is revealed about such a token.
    func inspect(_ token: String, now: Timestamp) throws(APIError) -> Inspection {
        let key: VerificationKey.ID
        do {
            try Claims.checkSize(of: token)
            key = try Self.signer(of: token, among: trust.withLock(\.keys))
        } catch let refusal as APIError { throw refusal } catch { throw APIError(.tokenMalformed, "\(error)") }
        do throws(TokenError) {
            let claims = try Claims(token: token)
            return Inspection(key: key, claims: claims, refusal: refusal(of: claims, now: now))
        } catch {
            return Inspection(key: key, refusal: Self.malformed("\(error)"))
        }
    }

    private func refusal(of claims: Claims, now: Timestamp) -> APIError? {
        guard claims.hasVisibleUser else { return Self.malformed(Claims.invisibleUser) }
        if let refusal = policy.refusal(of: claims) { return refusal }
        guard now < claims.grant.expiresAt else { return APIError(.tokenExpired, "the token has expired") }
        if let start = claims.notBefore, now < start {
            return APIError(.tokenNotYetValid, "the token is not valid yet")
        }
        if let issuedAt = claims.issuedAt, issuedAt > now + Self.maxClockDifference {
            return APIError(
                .tokenNotYetValid,
                #"the token's "iat" is in the future; the clock of its issuer or of this server is wrong"#)
        }
        return nil
    }

    /// The refusal of a token whose signature is valid, but not its claims.
    private static func malformed(_ why: String) -> APIError {
        var refusal = APIError(.tokenMalformed, why)
        refusal.isAboutSignedToken = true
        return refusal
    }

    /// Returns the key that verifies the signature.
    private static func signer(of token: String, among keys: [VerificationKey]) throws -> VerificationKey.ID {
        let parts = token.split(scalar: ".", omittingEmptySubsequences: false)
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
        let key = keys.first { $0.algorithm == algorithm && $0.verifies(signature, of: signed) }
        guard let key else {
            throw APIError(.signatureInvalid, "the token's signature matches no key of this server")
        }
        return key.id
    }
}

/// The claims of a token whose signature was verified, and the key that verified it: the key may be removed while the
/// token is in use.
package struct VerifiedToken: Hashable, Sendable {
    package let claims: Claims
    package let key: VerificationKey.ID

    package var grant: Grant { claims.grant }
    package var issuedAt: Timestamp? { claims.issuedAt }
    /// The `jti`; nil if the token cannot be revoked.
    package var id: String? { claims.tokenID }
    package var layerKey: LayerKey { LayerKey(document: grant.documentID, name: grant.layer) }
}
