import Annotations

/// Remembers which fresh starts a server asked for. One for each pair of view epochs is what a restored or replaced
/// layer needs; a second one soon after is a server that goes round in circles.
struct ResetLedger: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var from: String
        var to: String
        var at: Timestamp
    }

    /// Milliseconds after which the same pair may come again.
    static let memory: Int64 = 600_000
    /// Fresh starts within that time, whatever epochs the server invents.
    static let maxCount = 8

    private var entries: [Entry] = []

    /// - Returns: whether to start over once more; then it is remembered.
    mutating func allows(from: String, to: String, at now: Timestamp) -> Bool {
        entries.removeAll { now - $0.at >= Self.memory }
        guard entries.count < Self.maxCount,
            !entries.contains(where: { $0.from.isExactly(from) && $0.to.isExactly(to) })
        else { return false }
        entries.append(Entry(from: from, to: to, at: now))
        return true
    }

    /// Another token: what it sees is another matter.
    mutating func tokenChanged() { entries = [] }

    mutating func clockWentBack(by milliseconds: Int64) {
        for index in entries.indices { entries[index].at = entries[index].at + -milliseconds }
    }
}
