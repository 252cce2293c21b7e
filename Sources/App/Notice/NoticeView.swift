import Screen

extension Canvas {
    /// Draws the notice in the status line if it fits between the modes and the sync state, else in lines of its own
    /// above it and above the editor; under a box, over the status line. Never over the keys or the text being written.
    mutating func drawNotice(_ state: AppState) {
        guard let notice = state.notice else { return }
        let style: Style =
            switch notice.kind {
            case .hint: state.theme.dimmed
            case .done: state.theme.notice
            case .warning: state.theme.warning
            case .error: state.theme.error
            }
        let text = CleanText(cleaning: state.wording(of: notice))
        let status =
            state.overlay?.isBox == true && !OverlayBox.hasFrame(size)
            ? Area(Size(rows: 0, columns: 0)) : state.layout.status
        if let document = state.document, !status.isEmpty {
            var line = StatusLine(state, document, art: art, hasTitle: !state.layout.title.isEmpty)
            line.fit(columns: status.columns)
            let end = status.columns - line.rightWidth
            if line.leftWidth + text.width + StatusLine.gap <= end {
                write(text, in: status, column: end - text.width - StatusLine.gap, style: style)
                return
            }
        }
        let hasBox = state.overlay?.isBox == true && !status.isEmpty
        let foot = state.layout.foot
        let end = hasBox ? status.endRow : status.isEmpty ? size.rows - 1 : foot.isEmpty ? status.row : foot.row
        var lines = text.wrapped(to: size.columns - 2)
        let most = max(1, min(hasBox ? 2 : 4, end - 1))
        if lines.count > most {
            lines = Array(lines.prefix(most))
            lines[most - 1] = lines[most - 1].prefix(columns: size.columns - 17) + " ... :messages"
        }
        let place = Area(row: end - lines.count, column: 0, rows: lines.count, columns: size.columns)
        fill(place)
        for (row, line) in lines.enumerated() { write(line, in: place, row: row, column: 1, style: style) }
    }
}
