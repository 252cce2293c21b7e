import Annotations

/// Predicts, by the server's clock, when the active token expires, and warns five minutes and one minute before. Only a
/// response from the server ends the use of a token.
struct ExpiryWatch: Hashable, Sendable {
    /// The warning times, in milliseconds before expiry, longest first.
    static let warnings: [Int64] = [300_000, 60_000]

    let ticket: TokenHandle
    /// The expiry, by the server's clock.
    private(set) var end: Timestamp
    /// The server's clock minus the local one, in milliseconds.
    private(set) var offset: ClockOffset
    /// The last warning given.
    private var told = Int64.max

    init(_ ticket: TokenHandle, end: Timestamp, offset: Int64) {
        (self.ticket, self.end, self.offset) = (ticket, end, ClockOffset(offset))
    }

    /// Updates the expiry and the clock offset from a response; a new expiry restarts the warnings.
    mutating func answered(end: Timestamp, offset: Int64) {
        if end != self.end { told = .max }
        (self.end, self.offset) = (end, ClockOffset(offset))
    }

    /// - Returns: The expiry, if a warning is due.
    mutating func timePassed(at now: Timestamp) -> Timestamp? {
        guard let warning = Self.warnings.last(where: { end - (now + offset.milliseconds) <= $0 }), warning < told
        else {
            return nil
        }
        told = warning
        return end
    }

    /// Handles the server's own warning, which counts as the last one.
    mutating func serverExpiry() -> Timestamp? {
        guard let last = Self.warnings.last, last < told else { return nil }
        told = last
        return end
    }

    mutating func clockWentBack(by milliseconds: Int64) { offset.grow(by: milliseconds) }

    /// When the next warning is due, by the local clock.
    var due: Timestamp? { Self.warnings.first { $0 < told }.map { end + -$0 + -offset.milliseconds } }
}

/// A difference of two clocks, one of which belongs to a server: anything that it may claim can be added and negated.
struct ClockOffset: Hashable, Sendable {
    private(set) var milliseconds: Int64

    init(_ milliseconds: Int64) { self.milliseconds = max(milliseconds, -.max) }

    mutating func grow(by milliseconds: Int64) {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        self = ClockOffset(overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }
}
