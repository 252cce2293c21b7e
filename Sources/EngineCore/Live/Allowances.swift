import Annotations

/// How often each of many may do something: now and then a few times in a row, and no faster than a pace in the long
/// run.
struct Allowances<Key: Hashable & Sendable>: Sendable {
    /// Milliseconds that one costs, and that may be spent ahead.
    private let pace: Int64
    private let ahead: Int64
    /// Until when each has spent their time.
    private var spent: [Key: Timestamp] = [:]

    init(pace: Int64 = 50, ahead: Int64 = 2_000) {
        self.pace = pace
        self.ahead = ahead
    }

    /// - Returns: whether it may be done; then it counts.
    mutating func take(_ key: Key, at now: Timestamp) -> Bool {
        let until = spent[key].map { max($0, now) } ?? now
        guard until - now < ahead else { return false }
        spent[key] = until + pace
        return true
    }

    /// Forgets whoever may do everything again. After a clock was set back nobody waits for it.
    mutating func timePassed(at now: Timestamp) {
        spent = spent.filter { $0.value > now && $0.value - now <= ahead + pace }
    }
}
