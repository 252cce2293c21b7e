import Screen

extension AppState {
    /// The help: every key that was valid where it was asked for, then the typed commands.
    var helpLines: [(text: CleanText, isHeading: Bool)] {
        guard let help else { return [] }
        var lines: [(text: CleanText, isHeading: Bool)] = []
        for context in help.contexts {
            let bindings = keymap.bindings(in: [context])
            guard !bindings.isEmpty else { continue }
            lines.append((CleanText(cleaning: context.title), true))
            for binding in bindings {
                lines.append(("  \(CleanText(cleaning: binding.keyNames).padded(to: 20)) \(binding.help)", false))
            }
            lines.append(("", false))
        }
        lines.append(("Typed after :", true))
        for command in TypedCommand.allCases where document != nil || command.isForLibrary {
            lines.append(("  \(CleanText(cleaning: command.rawValue).padded(to: 20)) \(command.help)", false))
        }
        return lines
    }
}

extension Canvas {
    mutating func drawHelp(_ state: AppState) {
        let lines = state.helpLines
        rule("Help: keys that are valid here", row: 0, style: state.theme.rule, titleStyle: state.theme.title)
        let inside = area.split(top: 1).rest.split(bottom: 1).rest
        for (row, line) in lines.dropFirst(state.help?.top ?? 0).prefix(inside.rows).enumerated() {
            let style = line.isHeading ? state.theme.heading : state.theme.text
            write(
                line.text.truncated(to: inside.columns), in: inside, row: row, column: line.isHeading ? 1 : 0,
                style: style)
        }
    }
}
