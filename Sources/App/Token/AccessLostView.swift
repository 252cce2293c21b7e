import Screen

extension AppState {
    /// Returns lines that report the loss of access, its reason, and the data kept.
    func accessLostLines(columns: Int) -> [CleanText] {
        guard let document, let why = document.accessLost else { return [] }
        let name: CleanText = "\(document.title) / \(document.layerName)"
        let kept: CleanText =
            switch document.waiting {
            case 0: " The local copy is still on this machine."
            case 1: " The local copy and 1 unsent edit are kept."
            case let count: " The local copy and \(count) unsent edits are kept."
            }
        let text: CleanText = "You no longer have access to \(name) (\(why)).\(kept)"
        return Array(text.wrapped(to: columns - 2).prefix(6))
    }
}

extension Canvas {
    mutating func drawAccessLost(_ state: AppState, in area: Area) {
        rule(
            "No access", row: area.row, column: area.column, columns: area.columns, style: state.theme.rule,
            titleStyle: state.theme.error)
        for (row, line) in state.accessLostLines(columns: area.columns).enumerated() {
            write(line, in: area, row: row + 1, column: 1)
        }
    }
}
