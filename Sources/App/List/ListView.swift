import Annotations
import Authorization
import InstantCore
import Screen

extension Canvas {
    mutating func drawList(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let list = document.list
        if list.total == 0 {
            write(document.emptyList.truncated(to: area.columns - 2), in: area, column: 2, style: state.theme.dimmed)
            return
        }
        let hasBar = list.total > area.rows
        let rows = hasBar ? area.split(right: 2).rest : area
        if hasBar { drawScrollBar(top: list.top, total: list.total, state.theme, in: area.split(right: 1).right) }
        let shown = list.shownRows(rows: area.rows)
        let format = RowFormat(
            columns: rows.columns - 1, rows: shown.compactMap(list.row), document, hasMarks: !list.marks.isEmpty,
            utcOffset: state.utcOffset, at: state.now, art: art)
        // A list that leaves room shows two lines of a text that needs them.
        var spare = area.rows - shown.count - shown.count { list.heading(of: $0) != nil }
        var line = 0
        for index in shown {
            if let heading = list.heading(of: index) {
                write(CleanText(cleaning: heading), in: rows, row: line, column: 1, style: state.theme.heading)
                line += 1
            }
            guard let row = list.row(index) else {
                write("  ...", in: rows, row: line, style: state.theme.dimmed)
                line += 1
                continue
            }
            let lines = format.lines(row, isMarked: list.isMarked(index), document, max: spare > 0 ? 2 : 1)
            spare -= lines.count - 1
            let isCurrent = index == list.cursor
            for pieces in lines {
                draw(pieces, of: row, isCurrent: isCurrent, state, document, in: rows, line: line)
                line += 1
            }
            guard isCurrent, document.focus == .list else { continue }
            cursor = Position(row: rows.row + line - lines.count, column: rows.column)
        }
    }

    private mutating func draw(
        _ pieces: [RowFormat.Piece], of row: ListRow, isCurrent: Bool, _ state: AppState, _ document: DocumentState,
        in rows: Area, line: Int
    ) {
        let theme = state.theme
        let flash = document.highlights.contains(row.id, at: state.now) ? theme.flash : .normal
        let hasFocus = document.focus == .list
        let selection = hasFocus ? theme.selection : theme.inactiveSelection
        var column = 1
        for piece in pieces {
            let style: Style =
                switch piece.role {
                case .fact: row.isUnread ? theme.unread : theme.text
                case .person(let name): Style(foreground: state.markColors.person(name))
                case .remark: row.isUnread ? theme.unread : row.isResolved ? theme.dimmed : theme.text
                case .quote, .aside: theme.dimmed
                case .warning: theme.unsent
                }
            let shown = isCurrent ? style.adding(selection) : style
            column += write(piece.text, in: rows, row: line, column: column, style: shown.adding(flash))
        }
        if isCurrent, hasFocus {
            write(CleanText(cleaning: String(art.bar)), in: rows, row: line, style: theme.accent)
        }
    }

    /// Draws the bar of a list that does not fit: its upper end in the title's row, its lower end in the last row.
    ///
    /// - Parameter shown: Rows shown; nil for the height of the area.
    mutating func drawScrollBar(top first: Int, total: Int, shown: Int? = nil, _ theme: Theme, in area: Area) {
        let track = area.rows - 1
        write(
            CleanText(cleaning: String(art.scrollUp)), row: area.row - 1, column: area.column,
            style: first > 0 ? theme.rule : theme.dimmed)
        write(CleanText(cleaning: String(art.scrollDown)), in: area, row: track, style: theme.rule)
        guard track > 0 else { return }
        let thumb = max(1, min(track, track * (shown ?? area.rows) / max(1, total)))
        let top = (track - thumb) * first / max(1, total - (shown ?? area.rows))
        fill(
            Area(row: area.row + min(top, track - thumb), column: area.column, rows: thumb, columns: 1),
            with: art.thumb, style: theme.rule)
    }
}

extension ListPane {
    /// The rows on the screen, which leave room for the headings.
    func shownRows(rows: Int) -> Range<Int> {
        guard hasHeadings else { return top..<max(top, min(total, top + rows)) }
        var (end, used) = (top, 0)
        while end < total {
            used += heading(of: end) == nil ? 1 : 2
            if used > rows { break }
            end += 1
        }
        return top..<max(min(top + 1, total), end)
    }

    private var hasHeadings: Bool { query.order == .author || query.order == .group }

    /// Returns the heading above a row, if it begins a group of rows, or is the first on the screen.
    func heading(of index: Int) -> String? {
        guard hasHeadings, let row = row(index), let name = groupName(row) else { return nil }
        return index > top && self.row(index - 1).flatMap(groupName) == name ? nil : name
    }

    private func groupName(_ row: ListRow) -> String? {
        switch query.order {
        case .author: row.author ?? row.createdBy ?? "No author"
        case .group: row.group ?? "No group"
        case .page, .newest: nil
        }
    }
}

extension DocumentState {
    fileprivate var emptyList: CleanText {
        if list.window == nil { return "Loading the list ..." }
        if list.isFilling || isReading, list.filter.isEmpty, list.hidden.isEmpty {
            return "Waiting for the annotations ..."
        }
        if !list.filter.isEmpty { return "No matches. Esc to clear the filter." }
        if !list.hidden.isEmpty { return "\(list.hidden). Press . to show them." }
        return denialOfCreation == nil
            ? "No annotations yet. Press a to add a note." : "No annotations yet."
    }
}
