import Screen

/// Changes by other users since the last announcement.
struct PlainChanges: Sendable {
    private var counts: [(author: String, count: Int)] = []

    var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ author: String, _ count: Int) {
        if let index = counts.firstIndex(where: { $0.author == author }) {
            counts[index].count += count
        } else {
            counts.append((author, count))
        }
    }

    mutating func clear() { counts = [] }

    /// `2 changes by ana, 1 by ben`
    var sentence: CleanText {
        guard let first = counts.first else { return "" }
        let start: CleanText = "\(first.count) change\(first.count == 1 ? "" : "s") by \(first.author)"
        return counts.dropFirst().reduce(start) { $0 + ", \($1.count) by \($1.author)" }
    }
}
