import Annotations
import Synchronization

/// A clock that stands still until it is told.
final class TestClock: Sendable {
    static let start = Timestamp(seconds: 1_800_000_000)
    private let time = Mutex(start)

    var now: Timestamp { time.withLock { $0 } }

    /// Of a clock that never goes back.
    var uptime: Duration { .milliseconds(now - Self.start) }

    func advance(seconds: Int64) { time.withLock { $0 = $0 + seconds * 1000 } }
}
