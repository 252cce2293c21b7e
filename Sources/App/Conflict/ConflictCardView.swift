import Annotations
import Screen

extension Canvas {
    /// Draws the base version, their version and the user's version of a record.
    mutating func drawConflict(_ card: ConflictCard, _ state: AppState) {
        let who = card.theirAuthor ?? "Someone"
        let place = card.pageIndex.map { " on page \($0 + 1)" } ?? ""
        let box = OverlayBox(state.size, rows: max(9, state.size.rows / 2), columns: OverlayBox.maxColumns)
        draw(box, "\(who) changed the same \(card.kind.name)\(place)", state)
        let inside = box.inside
        let sides: [(CleanText, Content?, CleanText)] = [
            ("was:   ", card.base, "(did not exist)"), ("theirs:", card.theirs, "(deleted)"),
            ("yours: ", card.mine, "(deleted)"),
        ]
        let shown = sides.suffix(max(1, min(sides.count, inside.rows)))
        let room = max(1, inside.rows / shown.count)
        for (index, side) in shown.enumerated() {
            let text = ConflictCard.text(side.1)
            let lines =
                text.map { CleanText.lines(cleaning: $0).flatMap { $0.wrapped(to: inside.columns - 8) } } ?? [side.2]
            write(side.0, in: inside, row: index * room, style: state.theme.prompt)
            for (row, line) in lines.prefix(room).enumerated() {
                let isCut = row == room - 1 && lines.count > room
                write(
                    isCut ? line.prefix(columns: inside.columns - 12) + " ..." : line, in: inside,
                    row: index * room + row, column: 8)
            }
        }
    }
}
