/// Who else changed something since this person last looked, oldest first: `2 new by ana`.
struct RecentAuthors: Equatable, Sendable {
    private(set) var authors: [String] = []

    mutating func add(_ author: String) {
        authors.removeAll { $0 == author }
        authors.append(author)
        // A row has room for a few.
        if authors.count > 3 { authors.removeFirst() }
    }

    mutating func clear() { authors = [] }
}
