import Annotations
import InstantCore
import Screen

extension Canvas {
    mutating func drawOutbox(_ state: AppState, _ document: DocumentState, in area: Area) {
        let outbox = document.outbox
        rule(
            document.isLocal ? "Conflicts: \(outbox.items.count)" : "Unsent: \(outbox.items.count)", row: area.row,
            columns: area.columns,
            style: state.theme.rule, titleStyle: state.theme.title)
        let inside = area.split(top: 1).rest
        if outbox.items.isEmpty {
            write(
                document.isLocal ? "No conflicts." : "Everything is sent.", in: inside, row: 1, column: 2,
                style: state.theme.dimmed)
        }
        let top = max(0, min(outbox.cursor - inside.rows / 2, outbox.items.count - inside.rows))
        for (row, item) in outbox.items.dropFirst(top).prefix(inside.rows).enumerated() {
            let isCurrent = top + row == outbox.cursor
            let isSaving = document.pending.isSaving(item.id)
            let line = item.line(at: state.now, isCurrent: isCurrent, isSaving: isSaving, bar: art.bar)
                .truncated(to: area.columns).padded(to: area.columns)
            write(line, in: inside, row: row, style: isCurrent ? state.theme.selection : state.theme.text)
            if isCurrent { cursor = Position(row: inside.row + row, column: inside.column) }
        }
    }
}

extension OutboxItem {
    /// The past tense of the action, for `note changed`.
    var done: String {
        switch action {
        case .create: "added"
        case .update: "changed"
        case .delete: "deleted"
        }
    }

    /// `> ^N  3  note changed  5m  unsent  "text"`
    fileprivate func line(at now: Timestamp, isCurrent: Bool, isSaving: Bool, bar: Character) -> CleanText {
        let page = pageIndex.map { String($0 + 1) } ?? "-"
        let standing =
            switch delivery {
            case _ where isSaving: "saving"
            case .delivered, .unsent: "unsent"
            case .parked: "held"
            case .conflict: "conflict, Enter to compare"
            case .refused: "refused"
            }
        let age = since.map { RelativeTime.age(of: $0, at: now) } ?? ""
        let head: CleanText = "\(isCurrent ? String(bar) : " ") \(String(delivery.sign ?? " "))\(String(kind.letter))"
        let middle: CleanText = "\(CleanText(cleaning: page).padded(to: 3, align: .right))  \(kind.name) \(done)"
        let reason: CleanText = reason.map { ": \($0)" } ?? ""
        let text: CleanText = ConflictCard.text(mine ?? base).map { "  \($0)" } ?? ""
        return head + middle.padded(to: 28) + CleanText(cleaning: age).padded(to: 5) + "\(standing)\(reason)" + text
    }
}
