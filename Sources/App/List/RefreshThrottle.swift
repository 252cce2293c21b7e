import Annotations

/// Limits how often changes by others refresh the screen: at once after a pause, then once per interval, however many
/// changes arrive. This keeps the text readable and saves bandwidth on slow terminal lines.
struct RefreshThrottle: Equatable, Sendable {
    /// Milliseconds between two refreshes.
    static let interval: Int64 = 100

    /// Whether something changed since the last refresh.
    private var isOwed = false
    private var last: Timestamp?

    /// Records a change.
    ///
    /// - Returns: Whether to refresh now; otherwise ``timePassed(at:)`` reports when.
    mutating func changed(at now: Timestamp) -> Bool {
        isOwed = true
        return timePassed(at: now)
    }

    /// Lifts the limit after a user action, so that its result appears at once.
    mutating func expect() { last = nil }

    /// - Returns: Whether a refresh is due.
    mutating func timePassed(at now: Timestamp) -> Bool {
        // A clock that was set back must not block refreshes.
        guard isOwed, last.map({ now < $0 || now >= $0 + Self.interval }) ?? true else { return false }
        (isOwed, last) = (false, now)
        return true
    }

    /// Returns the milliseconds until the next refresh; nil if none is due.
    func wait(at now: Timestamp) -> Int64? {
        isOwed ? last.map { min(Self.interval, max(0, $0 + Self.interval - now)) } : nil
    }
}
