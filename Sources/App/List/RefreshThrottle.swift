import Annotations

/// When what others changed is looked at: at once after a quiet moment, and then a few times a second, however many
/// changes come. Whoever reads is not to be shaken by whoever writes, and no line is filled with what nobody can read.
struct RefreshThrottle: Equatable, Sendable {
    /// Milliseconds between two looks.
    static let interval: Int64 = 100

    /// Something came since the last look.
    private var isOwed = false
    private var last: Timestamp?

    /// Something changed.
    ///
    /// - Returns: whether it is looked at now; else ``timePassed(at:)`` says when.
    mutating func changed(at now: Timestamp) -> Bool {
        isOwed = true
        return timePassed(at: now)
    }

    /// The person did something: what comes of it is looked at when it comes.
    mutating func expect() { last = nil }

    /// - Returns: whether it is time to look.
    mutating func timePassed(at now: Timestamp) -> Bool {
        // A clock that was set back keeps nobody waiting.
        guard isOwed, last.map({ now < $0 || now >= $0 + Self.interval }) ?? true else { return false }
        (isOwed, last) = (false, now)
        return true
    }

    /// nil: nothing is owed.
    func wait(at now: Timestamp) -> Int64? {
        isOwed ? last.map { min(Self.interval, max(0, $0 + Self.interval - now)) } : nil
    }
}
