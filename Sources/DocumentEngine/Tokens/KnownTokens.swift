import Crypto
import Synchronization

/// A cache of verified tokens: a client sends the same one with every request, and verifying a signature takes longer
/// than the rest of a small request. Keyed by hash, so that no token is held in memory.
///
/// Expiry and revocation are not cached but checked each time. A new set of keys needs a new cache.
final class KnownTokens: Sendable {
    private struct State {
        var tokens: [SHA256Digest: VerifiedToken] = [:]
        /// The bytes of these tokens, to which the memory of their claims is proportional.
        var bytes = 0
    }

    private let known = Mutex(State())
    /// The number and the bytes of tokens at which the cache is emptied.
    private let (maxCount, maxBytes): (Int, Int)
    /// Whether each hit is compared with a new verification; for tests.
    private let isChecked: Bool

    init(maxCount: Int = 4096, maxBytes: Int = 8 << 20, isChecked: Bool = false) {
        (self.maxCount, self.maxBytes) = (maxCount, maxBytes)
        self.isChecked = isChecked
    }

    /// - Parameter check: verifies a token that is not cached; throws if it is invalid.
    func verified(_ token: String, check: (String) throws -> VerifiedToken) throws -> VerifiedToken {
        var hash = SHA256()
        var token = token
        token.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hash.finalize()
        if let verified = known.withLock({ $0.tokens[digest] }) {
            if isChecked, case let checked = try check(token), verified != checked {
                throw CacheDifference("a token", cached: verified, stored: checked)
            }
            return verified
        }
        let verified = try check(token)
        let bytes = token.utf8.count
        known.withLock { state in
            if state.tokens.count >= maxCount || state.bytes + bytes > maxBytes { state = State() }
            if state.tokens.updateValue(verified, forKey: digest) == nil { state.bytes += bytes }
        }
        return verified
    }
}
