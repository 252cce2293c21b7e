package import Annotations
import Glibc
import InstantCore

/// What a performer takes from the world beside the network and the disk.
package struct Environment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// How often the lock and other processes' changes are looked at.
    package var pollMilliseconds = 500

    /// Calls back when the network may have come back, for as long as what it returns is kept.
    package var watchNetwork: @Sendable (@escaping @Sendable () -> Void) -> any Sendable = {
        NetworkWatch(returned: $0)
    }

    /// Milliseconds before a download that broke off so many times in a row goes on.
    package var downloadPause: @Sendable (Int) -> Int64 = { failures in
        var random = SystemRandomNumberGenerator()
        return Backoff.delay(failures: failures, using: &random)
    }

    /// The tables of a layer.
    var schema = LocalSchema.current

    /// The clock of this machine.
    package static let system = Environment(now: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    })
}
