import Annotations
import Screen

/// The three versions of a record as lines: side by side where it is wide, else one below the other.
private struct ConflictText {
    /// Words with their style.
    typealias Line = [(text: CleanText, isChanged: Bool)]
    struct Side {
        var title: CleanText
        var lines: [Line] = []
    }

    let sides: [Side]
    let isBeside: Bool
    /// Columns of one side.
    let columns: Int
    static let gap = 3

    init(_ card: ConflictCard, columns all: Int, art: LineArt) {
        isBeside = all >= 84
        columns = isBeside ? (all - 2 * Self.gap) / 3 : all - 2
        let versions: [(title: CleanText, content: Content?, nothing: CleanText)] = [
            ("was", card.base, "(did not exist)"),
            ("theirs" + art.dot + CleanText(cleaning: card.theirAuthor ?? "someone"), card.theirs, "(deleted)"),
            ("yours", card.mine, "(deleted)"),
        ]
        let width = max(1, columns)
        let wrapped = versions.map { version in
            ConflictCard.text(version.content).map { text in
                CleanText.lines(cleaning: text).flatMap { $0.wrapped(to: width) }
            }
        }
        let words = wrapped.map { $0?.flatMap { $0.string.split(separator: " ") } ?? [] }
        sides = versions.indices.map { (index: Int) -> Side in
            guard let lines = wrapped[index] else {
                return Side(title: versions[index].title, lines: [[(versions[index].nothing, false)]])
            }
            let known = index == 0 ? nil : Self.unchanged(words[index], since: words[0])
            var word = 0
            return Side(
                title: versions[index].title,
                lines: lines.map { (line: CleanText) -> Line in
                    line.string.split(separator: " ", omittingEmptySubsequences: false).map {
                        (part: Substring) -> (text: CleanText, isChanged: Bool) in
                        let text = CleanText(cleaning: String(part))
                        guard !part.isEmpty else { return (text, false) }
                        defer { word += 1 }
                        return (text, known.map { !$0.contains(word) } ?? false)
                    }
                })
        }
    }

    /// Returns the indexes of the words that the base has too; nil for texts too long to compare on every frame.
    private static func unchanged(_ words: [Substring], since base: [Substring]) -> Set<Int>? {
        guard !base.isEmpty, words.count * base.count <= 250_000 else { return nil }
        return Matches(base, words).values
    }

    var rows: Int {
        isBeside
            ? 2 + (sides.map(\.lines.count).max() ?? 0)
            : sides.reduce(sides.count - 1) { $0 + 1 + $1.lines.count }
    }
}

extension AppState {
    fileprivate func conflictText(_ card: ConflictCard) -> ConflictText {
        ConflictText(card, columns: OverlayBox.columns(size), art: art)
    }

    /// - Parameter rows: Rows of the text, which takes longer to wrap than everything else here.
    fileprivate func conflictBox(rows: Int) -> OverlayBox {
        OverlayBox(size, rows: rows, columns: OverlayBox.maxColumns)
    }

    /// Scrolls the card.
    mutating func moveInConflict(_ command: Command, _ count: Int?) -> [Effect] {
        guard let card = document?.conflict else { return [] }
        let all = conflictText(card).rows
        let rows = conflictBox(rows: all).inside.rows
        let last = max(0, all - max(1, rows))
        if let top = command.row(from: min(card.top, last), count: count, screen: rows, last: last) {
            document?.conflict?.top = top
        }
        return []
    }
}

extension Canvas {
    /// Draws the base version, their version and the user's version of a record, with the changed words marked.
    mutating func drawConflict(_ card: ConflictCard, _ state: AppState) {
        let who = card.theirAuthor ?? "Someone"
        let place = card.pageIndex.map { " on page \($0 + 1)" } ?? ""
        let text = state.conflictText(card)
        let box = state.conflictBox(rows: text.rows)
        draw(box, "\(who) changed the same \(card.kind.name)\(place)", state)
        let inside = box.inside
        let top = max(0, min(card.top, text.rows - inside.rows))
        if text.isBeside {
            for (index, side) in text.sides.enumerated() {
                let column = index * (text.columns + ConflictText.gap)
                write(side.title, in: inside, column: column, style: state.theme.prompt)
                fill(
                    Area(row: inside.row + 1, column: inside.column + column, rows: 1, columns: text.columns),
                    with: art.horizontal, style: state.theme.rule)
                for (row, line) in side.lines.dropFirst(top).prefix(max(0, inside.rows - 2)).enumerated() {
                    draw(line, state, in: inside, row: row + 2, column: column)
                }
            }
        } else {
            var row = -top
            for side in text.sides {
                write(side.title, in: inside, row: row, style: state.theme.prompt)
                for line in side.lines {
                    row += 1
                    draw(line, state, in: inside, row: row, column: 2)
                }
                row += 2
            }
        }
        guard text.rows > inside.rows else { return }
        let edge = Area(
            row: box.frame.row + 1, column: box.frame.endColumn - 1, rows: box.frame.rows - (box.hasFrame ? 2 : 1),
            columns: 1)
        drawScrollBar(top: top, total: text.rows, shown: inside.rows, state.theme, in: edge)
    }

    private mutating func draw(_ line: ConflictText.Line, _ state: AppState, in area: Area, row: Int, column: Int) {
        var column = column
        for word in line {
            let style = word.isChanged ? state.theme.unsent.adding(.underline) : state.theme.text
            column += write(word.text, in: area, row: row, column: column, style: style) + 1
        }
    }
}
