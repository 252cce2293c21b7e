import Annotations

/// Decides when what is here is compared with what the server holds: after starting over, when somebody asks, and
/// every six hours.
struct IntegrityWatch: Hashable, Sendable {
    /// Milliseconds between two comparisons.
    static let interval: Int64 = 6 * 3_600_000
    /// How often a layer that moves on may be asked about in a row.
    static let maxAttempts = 5

    private var isWanted = false
    /// When the next comparison is due by itself; nil before the first answer.
    private(set) var due: Timestamp?
    private var misses = 0

    mutating func asked() { isWanted = true }

    mutating func startedOver() {
        isWanted = true
        misses = 0
    }

    /// The layer stood at another revision there than here.
    ///
    /// - Returns: whether that is enough.
    mutating func missed() -> Bool {
        misses += 1
        return misses >= Self.maxAttempts
    }

    mutating func compared(at now: Timestamp) {
        (isWanted, misses) = (false, 0)
        due = now + Self.interval
    }

    /// - Parameter lastCheck: nil: never; loading the layer was as good.
    mutating func isDue(lastCheck: Timestamp?, at now: Timestamp) -> Bool {
        due = (lastCheck ?? now) + Self.interval
        if isWanted { return true }
        guard let lastCheck else { return false }
        return now - lastCheck >= Self.interval || now < lastCheck
    }

    mutating func clockWentBack(by milliseconds: Int64) { due = due.map { $0 + -milliseconds } }
}
