import PageLayout
import Screen

// Mouse click and wheel.
extension AppState {
    mutating func clicked(_ place: Position) -> [Effect] {
        // A click on a key in the last row is that key.
        if place.row == size.rows - 1, prompt == nil {
            let key = footerKeys(columns: size.columns).first { $0.columns.contains(place.column) }
            return key.map { run($0.binding.command, count: nil) } ?? []
        }
        guard overlay == nil, let document else { return [] }
        let layout = layout
        if layout.tabs.contains(place) {
            let labels = TabBar(self, columns: layout.tabs.columns).labels
            let label = labels.last { $0.column <= place.column }
            return label.map { show(tab: $0.tab) } ?? []
        }
        if layout.list.contains(place) {
            self.document?.focus = .list
            let row = rowClicked(place.row - layout.list.row, document, in: layout.list)
            self.document?.list.move(to: row)
            return markCurrentRead()
        }
        if layout.detail.contains(place), !document.thread.comments.isEmpty {
            self.document?.focus = .thread
            return []
        }
        if layout.page.contains(place) {
            self.document?.focus = .page
            let spot = TypesetPage.Spot(
                row: document.page.top + place.row - layout.page.row,
                column: document.page.left + place.column - layout.page.column - PagePane.gutter)
            if let glyph = document.page.typeset?.glyph(nearest: spot) {
                self.document?.page.cursor = PageCursor(glyph: glyph)
                self.document?.page.selection?.head = glyph
            }
        }
        return []
    }

    /// Returns the row of the list at a line of its pane; some rows have two lines.
    private func rowClicked(_ line: Int, _ document: DocumentState, in area: Area) -> Int {
        let list = document.list
        let shown = list.shownRows(rows: area.rows)
        let format = RowFormat(
            columns: area.columns - 1, rows: shown.compactMap(list.row), document, hasMarks: !list.marks.isEmpty,
            utcOffset: utcOffset, at: now, art: art)
        var (spare, end) = (area.rows - shown.count - shown.count { list.heading(of: $0) != nil }, 0)
        for index in shown {
            if list.heading(of: index) != nil { end += 1 }
            let lines = list.row(index).map { format.lines($0, document, max: spare > 0 ? 2 : 1).count } ?? 1
            spare -= lines - 1
            end += lines
            if line < end { return index }
        }
        return list.total - 1
    }

    /// - Parameter rows: Rows to scroll down; negative scrolls up.
    mutating func wheeled(_ place: Position, by rows: Int) -> [Effect] {
        let command: Command = rows > 0 ? .down : .up
        switch overlay {
        case .picker:
            let shown = pickerRows
            _ = picker?.run(command, rows: shown)
            return []
        case .help, .look, .reader, .requests, .outbox, .conflict: return runMoving(command, count: abs(rows))
        case .some: return []
        case nil: break
        }
        let layout = layout
        let focus = document?.focus
        if layout.list.contains(place) { document?.focus = .list }
        if layout.page.contains(place) { document?.focus = .page }
        let effects = runMoving(command, count: abs(rows))
        if let focus { document?.focus = focus }
        return effects
    }
}
