/// How often a process checks what others do to its store: all the time while another process may use it; once it has been
/// alone for a while, only now and then, because events in the store's folder show when another process arrives.
struct CheckPace: Hashable, Sendable {
    /// The number of checks, one after the other, without another process or work of its own. Commands often follow each
    /// other.
    static let settling = 5

    private var quiet = 0
    /// The number of the check that was planned last.
    private(set) var newest = 0

    /// Whether the next check is far off unless an event comes.
    var isCalm: Bool { quiet >= Self.settling }

    /// Plans the next check, which replaces any check planned earlier.
    ///
    /// - Parameter isQuiet: Whether this process is alone with the store and has nothing to do.
    /// - Returns: The number of the check.
    mutating func plan(isQuiet: Bool) -> Int {
        quiet = isQuiet ? min(quiet + 1, Self.settling) : 0
        newest += 1
        return newest
    }

    func isDue(_ number: Int) -> Bool { number == newest }
}
