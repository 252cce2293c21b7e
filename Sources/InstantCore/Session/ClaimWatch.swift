/// Decides how often the leader acts on the claim of one waiting process: at once, then after longer and longer pauses. A
/// process that was stopped while it waits keeps its claim, and must not cause requests without end. Counts checks, not
/// time, like ``LeaderWatch``.
package struct ClaimWatch: Hashable, Sendable {
    private static let longestPause = 128

    private var sign: String?
    private var pause = 1
    private var left = 0

    package init() {}

    /// Call whenever there would be something to do for the claim.
    ///
    /// - Parameter sign: Names the claim: the newest one, if several processes wait.
    /// - Returns: Whether to do it now.
    package mutating func isDue(_ sign: String) -> Bool {
        if sign != self.sign { (self.sign, pause, left) = (sign, 1, 0) }
        guard left == 0 else {
            left -= 1
            return false
        }
        left = pause
        pause = min(2 * pause, Self.longestPause)
        return true
    }
}
