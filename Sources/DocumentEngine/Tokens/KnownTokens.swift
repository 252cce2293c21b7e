import Authorization
import Crypto
import Synchronization

/// Tokens whose signature was found good: a client sends the same one with every request, and checking a signature
/// takes longer than the rest of a small request. Kept by their hash, so that no token is held in memory.
///
/// Time and revocation are not in here: they are asked each time.
final class KnownTokens: Sendable {
    private let known = Mutex<[SHA256Digest: Claims]>([:])
    /// Of that many, all are forgotten: each is then checked once more.
    private let maxCount: Int
    /// Each hit is compared with what the check says: for tests.
    private let isChecked: Bool

    init(maxCount: Int = 4096, isChecked: Bool = false) {
        self.maxCount = maxCount
        self.isChecked = isChecked
    }

    /// - Parameter check: makes the claims of a token that is not known, and throws when it is not good.
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
