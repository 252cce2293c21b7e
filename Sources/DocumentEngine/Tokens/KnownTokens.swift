import Authorization
import Crypto
import Synchronization

/// A cache of verified tokens: a client sends the same one with every request, and verifying a signature takes longer
/// than the rest of a small request. Keyed by hash, so that no token is held in memory.
///
/// Expiry and revocation are not cached but checked each time.
final class KnownTokens: Sendable {
    private let known = Mutex<[SHA256Digest: Claims]>([:])
    /// The number of tokens at which the cache is emptied.
    private let maxCount: Int
    /// Whether each hit is compared with a new verification; for tests.
    private let isChecked: Bool

    init(maxCount: Int = 4096, isChecked: Bool = false) {
        self.maxCount = maxCount
        self.isChecked = isChecked
    }

    /// - Parameter check: verifies a token that is not cached; throws if it is invalid.
    func claims(of token: String, check: (String) throws -> Claims) throws -> Claims {
        var hash = SHA256()
        var token = token
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hash.finalize()
        if let claims = known.withLock({ $0[digest] }) {
            if isChecked, case let checked = try check(token), claims != checked {
                throw CacheDifference("a token", cached: claims, stored: checked)
            }
            return claims
        }
        let claims = try check(token)
        known.withLock {
            if $0.count >= maxCount { $0 = [:] }
            $0[digest] = claims
        }
        return claims
    }
}
