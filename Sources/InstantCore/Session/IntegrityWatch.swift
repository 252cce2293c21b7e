import Annotations

/// The schedule for comparing the local records with the server's: after starting over, on request, and every six
/// hours.
struct IntegrityWatch: Hashable, Sendable {
    /// Milliseconds between two comparisons.
    static let interval: Int64 = 6 * 3_600_000
    /// The maximum number of consecutive attempts while the layer keeps changing.
    static let maxAttempts = 5

    private var isWanted = false
    /// When the next scheduled comparison is due; nil before the first answer.
    private(set) var due: Timestamp?
    private var misses = 0

    mutating func asked() { isWanted = true }

    mutating func startedOver() {
        isWanted = true
        misses = 0
    }

    /// Counts an attempt in which the revisions differed.
    ///
    /// - Returns: Whether the limit is reached.
    mutating func missed() -> Bool {
        misses += 1
        return misses >= Self.maxAttempts
    }

    mutating func compared(at now: Timestamp) {
        (isWanted, misses) = (false, 0)
        due = now + Self.interval
    }

    /// - Parameter lastCheck: When the records were last compared; nil if never. Loading the layer counts.
    mutating func isDue(lastCheck: Timestamp?, at now: Timestamp) -> Bool {
        due = (lastCheck ?? now) + Self.interval
        if isWanted { return true }
        guard let lastCheck else { return false }
        return now - lastCheck >= Self.interval || now < lastCheck
    }

    mutating func clockWentBack(by milliseconds: Int64) { due = due.map { $0 + -milliseconds } }
}
