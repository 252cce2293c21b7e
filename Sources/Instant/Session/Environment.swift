package import Annotations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a performer takes from the world beside the network and the disk.
package struct Environment: Sendable {
    package var now: @Sendable () -> Timestamp
    /// How often the lock and other processes' changes are looked at.
    package var pollMilliseconds: Int

    package init(now: @escaping @Sendable () -> Timestamp, pollMilliseconds: Int = 500) {
        self.now = now
        self.pollMilliseconds = pollMilliseconds
    }

    /// The clock of this machine.
    package static let system = Environment(now: {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    })
}
