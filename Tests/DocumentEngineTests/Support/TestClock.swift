import Annotations
import Synchronization

/// A clock that advances only on request.
final class TestClock: Sendable {
    static let start = Timestamp(seconds: 1_800_000_000)
    private let time = Mutex(start)

    var now: Timestamp { time.withLock { $0 } }

    /// The time of a monotonic clock.
    var uptime: Duration { .milliseconds(now - Self.start) }

    func advance(seconds: Int64) { time.withLock { $0 = $0 + seconds * 1000 } }
}
