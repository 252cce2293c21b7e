import Annotations
import Authorization
import InstantCore
import Screen

extension Canvas {
    /// `-- Annotations 4/38 - by page - filter: none --------- 2 new -----`
    mutating func drawListRule(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let list = document.list
        let order =
            switch list.query.order {
            case .page: "by page"
            case .newest: "newest first"
            case .author: "by author"
            case .group: "by group"
            }
        let count = list.total == 0 ? "0" : "\(list.cursor + 1)/\(list.total)"
        let place = list.hidden.isEmpty ? CleanText(cleaning: count) : "\(count) - \(list.hidden)"
        let filter = list.filter.isEmpty ? "none" : list.filter
        let unread = list.window?.unread ?? 0
        let authors = document.recentAuthors.authors.reversed().joined(separator: ", ")
        let new: CleanText = authors.isEmpty ? "\(unread) new" : "\(unread) new by \(authors)"
        let marked = list.markedCount
        let word: CleanText = marked > 0 ? "\(marked) marked" : unread > 0 ? new : ""
        let right: CleanText = word.isEmpty ? "" : " \(word.truncated(to: max(8, area.columns / 3))) "
        let title: CleanText = "Annotations \(place) - \(order) - filter: \(filter)"
        rule(
            title.truncated(to: max(0, area.columns - right.width - 11)), row: area.row, column: area.column,
            columns: area.columns, style: state.theme.rule,
            titleStyle: document.focus == .list ? state.theme.title : state.theme.dimmed)
        if !right.isEmpty, area.columns > 30 {
            write(right, in: area, column: area.columns - right.width - 5, style: state.theme.unread)
        }
    }

    mutating func drawList(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let list = document.list
        if list.total == 0 {
            write(document.emptyList.truncated(to: area.columns - 2), in: area, column: 2, style: state.theme.dimmed)
            return
        }
        let form = RowFormat(
            columns: area.columns, pages: document.pageCount ?? 0, hasMarks: !list.marks.isEmpty,
            hasRights: document.status.grant?.collaboration != nil, utcOffset: state.utcOffset)
        for line in 0..<area.rows where list.top + line < list.total {
            let index = list.top + line
            let isCurrent = index == list.cursor
            guard let row = list.row(index) else {
                write("  ...", in: area, row: line, style: state.theme.dimmed)
                continue
            }
            let text = form.line(row, isCurrent: isCurrent, isMarked: list.isMarked(index), document, at: state.now)
            let flash = document.highlights.contains(row.id, at: state.now) ? state.theme.flash : .normal
            let plain = row.isResolved ? state.theme.dimmed : state.theme.text
            let style = (row.isUnread ? state.theme.unread : plain).adding(flash)
            write(text, in: area, row: line, style: style)
            guard isCurrent else { continue }
            let current = document.focus == .list ? state.theme.selection : state.theme.inactiveSelection
            restyle(Area(row: area.row + line, column: area.column, rows: 1, columns: area.columns)) { _ in
                current.adding(flash)
            }
            if document.focus == .list { cursor = Position(row: area.row + line, column: area.column) }
        }
    }
}

extension DocumentState {
    fileprivate var emptyList: CleanText {
        if list.window == nil { return "Loading the list ..." }
        if !list.filter.isEmpty { return "No matches. Esc to clear the filter." }
        if !list.hidden.isEmpty { return "\(list.hidden). Press . to show them." }
        return denialOfCreation == nil
            ? "No annotations yet. Press a to add a note." : "No annotations yet."
    }
}
