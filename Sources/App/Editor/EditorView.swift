import Screen

extension Canvas {
    mutating func drawEditor(_ editor: Editor, _ state: AppState, in area: Area) {
        rule(
            CleanText(cleaning: editor.title), row: area.row, column: area.column, columns: area.columns,
            style: state.theme.rule, titleStyle: state.theme.cardTitle)
        let inside = area.split(top: 1).rest.inset(columns: 1)
        let text = WrappedInput(editor.input, columns: inside.columns)
        let top = max(0, min(text.cursor.row - inside.rows + 1, text.rows.count - inside.rows))
        for (row, line) in text.rows.dropFirst(top).prefix(inside.rows).enumerated() {
            write(line, in: inside, row: row)
        }
        cursor = Position(row: inside.row + text.cursor.row - top, column: inside.column + text.cursor.column)
    }
}
