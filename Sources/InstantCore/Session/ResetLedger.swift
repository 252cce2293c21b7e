import Annotations

/// The resets that the server has requested. A restored or replaced layer needs one per pair of view epochs; the same
/// pair again soon after indicates a loop.
struct ResetLedger: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var from: String
        var to: String
        var at: Timestamp
    }

    /// Milliseconds until the same pair is allowed again.
    static let memory: Int64 = 600_000
    /// The maximum number of resets within that time, whatever epochs the server sends.
    static let maxCount = 8

    private var entries: [Entry] = []

    /// - Returns: Whether to start over; if so, it is recorded.
    mutating func allows(from: String, to: String, at now: Timestamp) -> Bool {
        entries.removeAll { now - $0.at >= Self.memory }
        guard entries.count < Self.maxCount,
            !entries.contains(where: { $0.from.isExactly(from) && $0.to.isExactly(to) })
        else { return false }
        entries.append(Entry(from: from, to: to, at: now))
        return true
    }

    /// Clears the ledger: a different token has a different view.
    mutating func tokenChanged() { entries = [] }

    mutating func clockWentBack(by milliseconds: Int64) {
        for index in entries.indices { entries[index].at = entries[index].at + -milliseconds }
    }
}
