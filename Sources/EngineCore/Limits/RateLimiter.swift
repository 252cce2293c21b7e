/// Limits each key to a sustained rate and a burst. Stores one time per recent key: the time at which all its requests
/// are paid off (the generic cell rate algorithm, ITU-T I.371).
///
/// A key that is not in the table has no recent requests. When the table is full, the keys that owe the least are
/// evicted.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    package struct Rate: Hashable, Sendable {
        /// The sustained interval between two requests.
        package var interval: Duration
        /// The number of requests allowed at once after a pause; at least one.
        package var burst: Int

        package init(interval: Duration, burst: Int) {
            self.interval = interval
            self.burst = max(1, burst)
        }
    }

    package let pace: Rate
    private let capacity: Int
    private var paidAt: [Key: Duration] = [:]
    /// The debt up to which a request is granted, and the largest possible debt.
    private let (mayOwe, mostOwed): (Duration, Duration)

    /// - Parameter capacity: the maximum number of keys remembered.
    package init(_ pace: Rate, capacity: Int = 10_000) {
        self.pace = pace
        self.capacity = max(2, capacity)
        (mayOwe, mostOwed) = (pace.interval * (pace.burst - 1), pace.interval * pace.burst)
    }

    /// Returns how long `key` must wait; nil: it may proceed now. Does not count a request.
    ///
    /// - Parameter now: the time on any clock; setting the clock back causes no wait.
    package func wait(_ key: Key, at now: Duration) -> Duration? {
        let wait = owed(paidAt[key], at: now) - mayOwe
        return wait > .zero ? wait : nil
    }

    /// The remaining debt. It never exceeds one burst; a larger value means that the clock was set back.
    private func owed(_ paidAt: Duration?, at now: Duration) -> Duration {
        guard let owed = paidAt.map({ $0 - now }), owed > .zero, owed <= mostOwed else { return .zero }
        return owed
    }

    /// Makes one request. A refused request is not counted.
    ///
    /// - Returns: the time until a retry is useful; nil: granted.
    package mutating func take(_ key: Key, at now: Duration) -> Duration? {
        let last = paidAt[key]
        let owed = owed(last, at: now)
        guard owed <= mayOwe else { return owed - mayOwe }
        if last == nil, paidAt.count >= capacity { forget(at: now) }
        paidAt[key] = now + owed + pace.interval
        return nil
    }

    /// The number of keys remembered.
    package var count: Int { paidAt.count }

    private mutating func forget(at now: Duration) {
        paidAt = paidAt.filter { $0.value > now }
        guard paidAt.count >= capacity else { return }
        let middle = paidAt.values.sorted()[paidAt.count / 2]
        paidAt = paidAt.filter { $0.value > middle }
    }
}
