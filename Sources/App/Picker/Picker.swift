/// A list to choose from by typing some letters: the palette, filter terms, colours, the outline.
struct Picker: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        /// Uncleaned, like all texts of the item.
        var name: String
        /// What the item does, or where it leads.
        var detail = ""
        /// The key that has the same effect.
        var key = ""
        var choice: Choice
        /// Why the item cannot be chosen now.
        var denial: String?
    }

    enum Choice: Equatable, Sendable {
        case command(Command)
        case typed(TypedCommand)
        /// `#rrggbb`
        case color(String)
        /// Counted from 0.
        case page(Int)
        /// A filter term.
        case term(String)
        case record(String)
    }

    let title: String
    /// The label before the input.
    let label: String
    private(set) var items: [Item]
    private(set) var input = TextInput()
    /// Indexes of the matching items, best match first.
    private(set) var matches: [Int]
    /// An index into `matches`.
    private(set) var cursor = 0
    private(set) var top = 0

    init(_ title: String, label: String, items: [Item]) {
        self.title = title
        self.label = label
        self.items = items
        matches = Array(items.indices)
    }

    var current: Item? { matches.indices.contains(cursor) ? items[matches[cursor]] : nil }

    mutating func insert(_ text: String) {
        input.insert(text)
        match()
    }

    /// Runs an editing or moving command; false for any other.
    mutating func run(_ command: Command, rows: Int) -> Bool {
        if let place = command.row(from: cursor, count: nil, screen: rows, last: max(0, matches.count - 1)) {
            cursor = place
            return true
        }
        let before = input.text
        guard input.run(command) else { return false }
        if input.text != before { match() }
        return true
    }

    /// Sets for each item whether it is on.
    mutating func mark(_ isOn: (Choice) -> Bool) {
        for index in items.indices { items[index].key = isOn(items[index].choice) ? "on" : "" }
    }

    /// Moves the cursor to an item, if it matches.
    mutating func move(to item: Int) { cursor = matches.firstIndex(of: item) ?? cursor }

    mutating func scroll(rows: Int) {
        top = Scrolling.top(top, cursor: cursor, rows: rows, count: matches.count)
    }

    private mutating func match() {
        let typed = FuzzyMatch(input.text)
        // The detail counts only if the name does not match, and only as a whole: scattered letters match almost any sentence.
        let words = input.text.lowercased()
        let found = items.enumerated().compactMap { index, item -> (index: Int, score: Int)? in
            if let score = typed.score(item.name) { return (index, score + 1_000_000) }
            guard item.detail.lowercased().contains(words) else { return nil }
            return typed.score(item.detail).map { (index, $0) }
        }
        matches = found.sorted { ($1.score, $0.index) < ($0.score, $1.index) }.map(\.index)
        (cursor, top) = (0, 0)
    }
}
