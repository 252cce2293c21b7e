/// Detects that the process that leads is stopped or blocked, by the sign of life that it renews at every check of its
/// own. Counts checks, not time: after a pause of this process, nothing follows from the age of a sign.
package struct LeaderWatch: Hashable, Sendable {
    /// The number of checks without a new sign after which a leader counts as silent: at 400 ms each, a leader is
    /// replaced within 2 s.
    package static let limit = 3

    private var last: String?
    private var count = 0

    package init() {}

    /// - Parameter sign: The leader's sign of life; nil if no process leads.
    /// - Returns: Whether the leader is silent.
    package mutating func checked(_ sign: String?) -> Bool {
        guard let sign, sign == last else {
            (last, count) = (sign, 0)
            return false
        }
        count += 1
        return count >= Self.limit
    }
}
