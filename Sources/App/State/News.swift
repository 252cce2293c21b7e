/// Who changed how much since this person last looked: `ana +1`.
struct News: Equatable, Sendable {
    private(set) var authors: [String] = []
    private var counts: [String: Int] = [:]

    var isEmpty: Bool { authors.isEmpty }

    mutating func add(_ author: String, _ count: Int) {
        if counts[author] == nil { authors.append(author) }
        counts[author, default: 0] += count
    }

    mutating func clear() {
        authors = []
        counts = [:]
    }

    /// One entry an author, newest first; several as one where there is no room.
    var shown: [String] {
        authors.reversed().map { "\($0) +\(counts[$0] ?? 0)" }
    }

    var total: Int { counts.values.reduce(0, +) }
}
