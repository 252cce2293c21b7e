import Screen

extension Canvas {
    /// Draws a question that one key answers.
    mutating func drawQuestion(_ prompt: Prompt, _ state: AppState) {
        let columns = OverlayBox.columns(state.size, 72)
        let lines = CleanText(cleaning: prompt.label.trimmed).wrapped(to: columns)
        let width = lines.map(\.width).max() ?? 0
        let box = OverlayBox(state.size, rows: lines.count, columns: max(40, width + 1))
        draw(box, "Question", state)
        for (row, line) in lines.enumerated() { write(line, in: box.inside, row: row, style: state.theme.prompt) }
        let row = min(lines.count, box.inside.rows) - 1
        cursor = Position(row: box.inside.row + row, column: box.inside.column + (lines.last?.width ?? 0))
    }
}
