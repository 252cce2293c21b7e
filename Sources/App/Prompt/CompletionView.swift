import Screen

extension Canvas {
    /// Draws the completions above the input line: as many as fit, starting with the screenful that contains the chosen
    /// one.
    mutating func drawCompletion(_ completion: Completion, _ theme: Theme, in area: Area) {
        fill(area, style: theme.footer)
        let words = completion.lines.map {
            CleanText(cleaning: completion.isWhole ? $0 : String($0.split(separator: " ").last ?? ""))
        }
        var first = 0
        var column = 1
        for (index, word) in words.enumerated() {
            if column + word.width + 1 > area.columns, index <= completion.index ?? 0 { (first, column) = (index, 1) }
            column += word.width + 2
        }
        column = 1
        for (index, word) in words.enumerated().dropFirst(first) {
            guard column + word.width < area.columns else { break }
            let style = index == completion.index ? theme.completion : theme.footer
            column += write(word, in: area, column: column, style: style) + 2
        }
    }
}

/// The completions of the word being typed, and the one shown.
struct Completion: Equatable, Sendable {
    /// Whole lines.
    let lines: [String]
    /// Whether the whole lines are shown, not only their last words.
    let isWhole: Bool
    private(set) var index: Int?

    init(_ lines: [String], isWhole: Bool = false) { (self.lines, self.isWhole) = (lines, isWhole) }

    /// Steps to the next completion, wrapping around at the ends.
    mutating func step(forward: Bool) -> String? {
        guard !lines.isEmpty else { return nil }
        let next = index.map { $0 + (forward ? 1 : -1) } ?? (forward ? 0 : lines.count - 1)
        index = (next + lines.count) % lines.count
        return index.map { lines[$0] }
    }
}
