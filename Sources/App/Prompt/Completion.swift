/// What a word that is being typed could become, and which of it is shown.
struct Completion: Equatable, Sendable {
    /// Whole lines.
    let lines: [String]
    private(set) var index: Int?

    init(_ lines: [String]) { self.lines = lines }

    /// Steps on, around the end.
    mutating func step(forward: Bool) -> String? {
        guard !lines.isEmpty else { return nil }
        let next = index.map { $0 + (forward ? 1 : -1) } ?? (forward ? 0 : lines.count - 1)
        index = (next + lines.count) % lines.count
        return index.map { lines[$0] }
    }
}
