import Annotations

/// Foresees the end of the token in force, by the server's clock: told once when five minutes are left and once at the
/// last minute. It never ends a token: only an answer of the server does.
struct ExpiryWatch: Hashable, Sendable {
    /// Milliseconds before the end, the earlier one first.
    static let warnings: [Int64] = [300_000, 60_000]

    let ticket: TokenHandle
    /// By the server's clock.
    private(set) var end: Timestamp
    /// Server's clock minus the local one, in milliseconds.
    private(set) var offset: Int64
    /// The warning that was given last.
    private var told = Int64.max

    init(_ ticket: TokenHandle, end: Timestamp, offset: Int64) {
        (self.ticket, self.end, self.offset) = (ticket, end, offset)
    }

    /// The server told its time again.
    mutating func answered(end: Timestamp, offset: Int64) {
        if end != self.end { told = .max }
        (self.end, self.offset) = (end, offset)
    }

    /// - Returns: the end, when it is time to tell it.
    mutating func timePassed(at now: Timestamp) -> Timestamp? {
        guard let warning = Self.warnings.last(where: { end - (now + offset) <= $0 }), warning < told else {
            return nil
        }
        told = warning
        return end
    }

    /// The server says itself that the last minute has begun.
    mutating func serverExpiry() -> Timestamp? {
        guard let last = Self.warnings.last, last < told else { return nil }
        told = last
        return end
    }

    mutating func clockWentBack(by milliseconds: Int64) { offset += milliseconds }

    /// When the next warning is due, by the local clock.
    var due: Timestamp? { Self.warnings.first { $0 < told }.map { end + -$0 + -offset } }
}
