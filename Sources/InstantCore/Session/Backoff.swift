/// How long to leave a server alone after failures in a row: exponential with full jitter, so that clients that were cut
/// off together do not come back together.
package enum Backoff {
    /// Milliseconds, from 500 to 60,000.
    package static func delay(failures: Int, using random: inout some RandomNumberGenerator) -> Int64 {
        let ceiling = min(60_000, Int64(500) << Int64(min(max(failures, 1), 8)))
        return Int64.random(in: 500...ceiling, using: &random)
    }
}
