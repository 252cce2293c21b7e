import Annotations
import Screen

extension AppState {
    /// The lines of the help: the keys of the contexts in which it was opened, then the typed commands.
    var helpLines: [(text: CleanText, isHeading: Bool)] {
        guard let help else { return [] }
        let columns = OverlayBox.columns(size)
        var lines: [(text: CleanText, isHeading: Bool)] = []
        func add(_ name: String, _ meaning: String) {
            let column = columns < 60 ? 13 : 23
            let name: CleanText = "  \(name)"
            for (index, line) in CleanText(cleaning: meaning).wrapped(to: columns - column).enumerated() {
                // A name wider than its column gets its own row.
                if index == 0, name.width >= column { lines.append((name, false)) }
                let start = index == 0 && name.width < column ? name.padded(to: column) : .blanks(column)
                lines.append((start + line, false))
            }
        }
        guard case .keys(let contexts) = help.subject else { return messageLines(columns: columns) }
        for context in contexts {
            let bindings = keymap.bindings(in: [context])
            guard !bindings.isEmpty else { continue }
            lines.append((CleanText(cleaning: " " + context.title), true))
            for binding in bindings { add(binding.keyNames, binding.help) }
            lines.append(("", false))
        }
        lines.append((" Commands after :", true))
        for command in TypedCommand.allCases where document != nil || command.isForLibrary {
            add(command.rawValue, command.help)
        }
        guard document != nil else { return lines }
        lines += [("", false), (" Letters of the kinds of annotations", true)]
        for (letter, names) in AnnotationKind.lettersWithNames { add(String(letter), names) }
        return lines
    }
}

extension AppState {
    /// The latest notices in full, the newest first.
    private func messageLines(columns: Int) -> [(text: CleanText, isHeading: Bool)] {
        guard !messages.entries.isEmpty else { return [("No messages yet.", false)] }
        return messages.entries.reversed().flatMap { entry in
            let time = CleanText(cleaning: RelativeTime.clock(entry.moment, utcOffset: utcOffset)) + "  "
            let lines = CleanText(cleaning: entry.text).wrapped(to: columns - time.width)
            return lines.enumerated().map {
                ($0.offset == 0 ? time + $0.element : .blanks(time.width) + $0.element, false)
            }
        }
    }

    fileprivate var helpTitle: CleanText {
        if case .messages = help?.subject { "Messages" } else { "Help: keys available here" }
    }

    fileprivate var helpBox: OverlayBox {
        OverlayBox(size, rows: helpLines.count, columns: OverlayBox.maxColumns)
    }
}

extension Canvas {
    mutating func drawHelp(_ state: AppState) {
        let box = state.helpBox
        draw(box, state.helpTitle, state)
        for (row, line) in state.helpLines.dropFirst(state.help?.top ?? 0).prefix(box.inside.rows).enumerated() {
            write(line.text, in: box.inside, row: row, style: line.isHeading ? state.theme.heading : state.theme.text)
        }
    }
}

// Scrolling the help.
extension AppState {
    mutating func scrollHelp(_ command: Command, count: Int?) -> [Effect] {
        guard let help else { return [] }
        let rows = helpBox.inside.rows
        let last = max(0, helpLines.count - max(1, rows))
        if let top = command.row(from: help.top, count: count, screen: rows, last: last) {
            self.help?.top = top
        }
        return []
    }
}
