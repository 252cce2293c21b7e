/// How often each may ask: so many times a second in the long run, and so many at once. Of each who asked lately one
/// moment is kept, the one at which all that was asked is paid for (the generic cell rate algorithm, ITU-T I.371).
///
/// Who is not in the table has asked nothing lately. When it is full, those who owe least are forgotten first.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    package struct Rate: Hashable, Sendable {
        /// Between two times, in the long run.
        package var interval: Duration
        /// How many at once after a rest; at least one.
        package var burst: Int

        package init(interval: Duration, burst: Int) {
            self.interval = interval
            self.burst = max(1, burst)
        }
    }

    package let pace: Rate
    private let capacity: Int
    private var paidAt: [Key: Duration] = [:]
    /// What may be owed by who asks once more, and by who has asked as often as is allowed.
    private let (mayOwe, mostOwed): (Duration, Duration)

    /// - Parameter capacity: how many are remembered at once.
    package init(_ pace: Rate, capacity: Int = 10_000) {
        self.pace = pace
        self.capacity = max(2, capacity)
        (mayOwe, mostOwed) = (pace.interval * (pace.burst - 1), pace.interval * pace.burst)
    }

    /// How long until this one may ask again; nil: it may now. Counts nothing.
    ///
    /// - Parameter now: on any clock; one that is set back makes nobody wait for it.
    package func wait(_ key: Key, at now: Duration) -> Duration? {
        let wait = owed(paidAt[key], at: now) - mayOwe
        return wait > .zero ? wait : nil
    }

    /// What is not paid for yet. Nobody is let go further than a burst: who seems to have is seen by another clock.
    private func owed(_ paidAt: Duration?, at now: Duration) -> Duration {
        guard let owed = paidAt.map({ $0 - now }), owed > .zero, owed <= mostOwed else { return .zero }
        return owed
    }

    /// Asks once. What is refused is not counted.
    ///
    /// - Returns: how long until it is worth asking again; nil: granted.
    package mutating func take(_ key: Key, at now: Duration) -> Duration? {
        let last = paidAt[key]
        let owed = owed(last, at: now)
        guard owed <= mayOwe else { return owed - mayOwe }
        if last == nil, paidAt.count >= capacity { forget(at: now) }
        paidAt[key] = now + owed + pace.interval
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
