/// How often each may ask: so many times a second in the long run, and so many at once. Of each who asked lately one
/// moment is kept, the one at which all that was asked is paid for (the generic cell rate algorithm, ITU-T I.371).
///
/// Who is not in the table has asked nothing lately. When it is full, those who owe least are forgotten first.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    package struct Pace: Hashable, Sendable {
        /// Between two times, in the long run.
        package var interval: Duration
        /// How many at once after a rest; at least one.
        package var burst: Int

        package init(interval: Duration, burst: Int) {
            self.interval = interval
            self.burst = max(1, burst)
        }
    }

    package let pace: Pace
    private let capacity: Int
    private var paidAt: [Key: Duration] = [:]

    /// - Parameter capacity: how many are remembered at once.
    package init(_ pace: Pace, capacity: Int = 10_000) {
        self.pace = pace
        self.capacity = max(2, capacity)
    }

    /// How long until this one may ask again; nil: it may now. Counts nothing.
    ///
    /// - Parameter now: on any clock; one that is set back makes nobody wait for it.
    package func wait(_ key: Key, at now: Duration) -> Duration? {
        let wait = owed(by: key, at: now) - pace.interval * (pace.burst - 1)
        return wait > .zero ? wait : nil
    }

    /// What is not paid for yet. Nobody is let go further than a burst: who seems to have is seen by another clock.
    private func owed(by key: Key, at now: Duration) -> Duration {
        let owed = (paidAt[key] ?? now) - now
        return owed > .zero && owed <= pace.interval * pace.burst ? owed : .zero
    }

    /// Asks once. What is refused is not counted.
    ///
    /// - Returns: how long until it is worth asking again; nil: granted.
    package mutating func take(_ key: Key, at now: Duration) -> Duration? {
        if let wait = wait(key, at: now) { return wait }
        if paidAt[key] == nil, paidAt.count >= capacity { forget(at: now) }
        paidAt[key] = now + owed(by: key, at: now) + pace.interval
        return nil
    }

    /// How many are remembered.
    package var count: Int { paidAt.count }

    private mutating func forget(at now: Duration) {
        paidAt = paidAt.filter { $0.value > now }
        guard paidAt.count >= capacity else { return }
        let middle = paidAt.values.sorted()[paidAt.count / 2]
        paidAt = paidAt.filter { $0.value > middle }
    }
}
