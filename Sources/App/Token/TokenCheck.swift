import Annotations
import Screen
import SyncProtocol

/// A server's verdict on a token that it refused, in addition to the reason of the refusal.
struct TokenCheck: Equatable, Sendable {
    var verdict: TokenVerdict
    /// The server's clock minus this machine's, in milliseconds; nil if the server did not send its time.
    var clockDifference: Int64?

    init(_ verdict: TokenVerdict, at now: Timestamp) {
        self.verdict = verdict
        clockDifference = verdict.now.map { $0 - now }
    }

    /// `Signed with a key of the server (ES256 3f2a91c0). The server's clock is 3m ahead of this one.`
    var sentence: CleanText {
        guard let key = verdict.key else { return "No key of the server verifies its signature." }
        let signed: CleanText =
            "Signed with a key of the server (\(key.algorithm) \(String(key.sha256.prefix(scalars: 8))))."
        // Less than a minute hardly matters for a token, and may be the time that the request took.
        guard let clockDifference, clockDifference.magnitude >= 60_000 else { return signed }
        let life = RelativeTime.life(milliseconds: Int64(clamping: clockDifference.magnitude))
        return signed + " The server's clock is \(life) \(clockDifference > 0 ? "ahead of" : "behind") this one."
    }
}
