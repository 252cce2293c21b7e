import Annotations
import InstantCore
import Screen

extension Canvas {
    mutating func drawOutbox(_ state: AppState, _ document: DocumentState, in area: Area) {
        let outbox = document.outbox
        rule(
            "Not yet at the server: \(outbox.items.count)", row: area.row, columns: area.columns,
            style: state.theme.rule, titleStyle: state.theme.title)
        let inside = area.split(top: 1).rest
        if outbox.items.isEmpty {
            write("Everything has arrived.", in: inside, row: 1, column: 2, style: state.theme.dimmed)
        }
        let top = max(0, min(outbox.cursor - inside.rows / 2, outbox.items.count - inside.rows))
        for (row, item) in outbox.items.dropFirst(top).prefix(inside.rows).enumerated() {
            let isCurrent = top + row == outbox.cursor
            let isSaving = document.pending.isSaving(item.id)
            let line = item.line(at: state.now, isCurrent: isCurrent, isSaving: isSaving)
                .truncated(to: area.columns).padded(to: area.columns)
            write(line, in: inside, row: row, style: isCurrent ? state.theme.selection : state.theme.text)
            if isCurrent { cursor = Position(row: inside.row + row, column: inside.column) }
        }
    }

    /// What a record was, what others made of it, and what this person did.
    mutating func drawConflict(_ card: ConflictCard, _ state: AppState, in area: Area) {
        let who = card.theirAuthor ?? "Someone"
        let place = card.pageIndex.map { " on page \($0 + 1)" } ?? ""
        rule(
            "\(who) changed the same \(card.kind.name)\(place)", row: area.row, column: area.column,
            columns: area.columns, style: state.theme.rule, titleStyle: state.theme.cardTitle)
        let inside = area.split(top: 1).rest.inset(columns: 1)
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

extension OutboxItem {
    /// What was done, for `note changed`.
    var done: String {
        switch action {
        case .create: "added"
        case .update: "changed"
        case .delete: "deleted"
        }
    }

    /// `> ^N  3  note changed  5m  waits  "text"`
    fileprivate func line(at now: Timestamp, isCurrent: Bool, isSaving: Bool) -> CleanText {
        let page = pageIndex.map { String($0 + 1) } ?? "-"
        let standing =
            switch delivery {
            case _ where isSaving: "saving"
            case .delivered, .unsent: "waits"
            case .parked: "kept"
            case .conflict: "conflict, Enter compares"
            case .refused: "refused"
            }
        let age = since.map { RelativeTime.age(of: $0, at: now) } ?? ""
        let head: CleanText = "\(isCurrent ? ">" : " ") \(String(delivery.sign ?? " "))\(String(kind.letter))"
        let middle: CleanText = "\(CleanText(cleaning: page).padded(to: 3, align: .right))  \(kind.name) \(done)"
        let reason: CleanText = reason.map { ": \($0)" } ?? ""
        let text: CleanText = ConflictCard.text(mine ?? base).map { "  \($0)" } ?? ""
        return head + middle.padded(to: 28) + CleanText(cleaning: age).padded(to: 5) + "\(standing)\(reason)" + text
    }
}
