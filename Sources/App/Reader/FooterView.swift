import Screen

extension Canvas {
    /// Draws the last row: a prompt, else the keys.
    mutating func drawFooter(_ state: AppState) {
        let area = self.area.split(bottom: 1).bottom
        fill(area)
        if let prompt = state.prompt, !prompt.isQuestion {
            drawLine(prompt.input, label: CleanText(cleaning: prompt.label), state.theme, in: area)
            if let completion = prompt.completion {
                drawCompletion(completion, state.theme, in: self.area.split(bottom: 2).bottom.split(top: 1).top)
            }
        } else {
            drawKeys(state, in: area)
            if state.overlay == .editor, let names = state.document?.editor?.completion {
                drawCompletion(names.completion, state.theme, in: self.area.split(bottom: 2).bottom.split(top: 1).top)
            }
        }
    }

    /// Draws an input line after its label.
    mutating func drawLine(_ input: TextInput, label: CleanText, _ theme: Theme, in area: Area) {
        let label = label.truncated(to: max(1, area.columns - 8))
        write(label, in: area, style: theme.prompt)
        drawInput(input, in: area.split(left: label.width).rest, style: theme.input)
    }

    /// Draws one line of input, scrolled so that its cursor is visible.
    mutating func drawInput(_ input: TextInput, in area: Area, style: Style) {
        guard !area.isEmpty else { return }
        let before = CleanText(cleaning: String(input.characters[..<input.cursor]))
        let hidden = max(0, before.width - area.columns + 1)
        write(CleanText(cleaning: input.text).dropping(columns: hidden), in: area, style: style)
        cursor = Position(row: area.row, column: area.column + before.width - hidden)
    }

    /// Draws as many of the available keys as fit; unavailable commands are dimmed.
    mutating func drawKeys(_ state: AppState, in area: Area) {
        for key in state.footerKeys(columns: area.columns) {
            draw(key.binding, state, in: area, column: key.columns.lowerBound)
        }
    }

    private mutating func draw(_ binding: Binding, _ state: AppState, in area: Area, column: Int) {
        let isDenied = state.denial(of: binding.command) != nil
        let key = CleanText(cleaning: binding.shortName)
        let label: CleanText = " \(binding.footer ?? "")"
        let theme = state.theme
        write(key, in: area, column: column, style: isDenied ? theme.dimmed : theme.footerKey)
        write(label, in: area, column: column + key.width, style: isDenied ? theme.dimmed : theme.footer)
    }
}

/// A key in the last row.
struct FooterKey: Equatable, Sendable {
    var binding: Binding
    var columns: Range<Int>
}

extension AppState {
    /// Returns the keys that fit into the last row.
    func footerKeys(columns: Int) -> [FooterKey] {
        let all = keymap.bindings(in: contexts)
        var seen: Set<Command> = []
        var bindings = all.indices.filter { index in
            guard all[index].footer != nil, let keys = all[index].sequences.first else { return false }
            // A key bound in an inner context hides the same key of outer contexts.
            return !all[..<index].contains { $0.sequences.contains(keys) } && seen.insert(all[index].command).inserted
        }.map { all[$0] }
        if overlay == nil {
            bindings = forMarked(bindings, of: all)
            if let tab = bindings.firstIndex(where: { $0.command == .otherPane }), document?.focus == .list,
                document?.thread.comments.isEmpty == false
            {
                bindings[tab].footer = "thread"
            }
        }
        let found = bindings.firstIndex { $0.command == .help }.map { bindings.remove(at: $0) }
        var help = self.help == nil ? found : nil
        if refused != nil { help?.footer = "why" }
        // However little fits, an overlay shows the key that closes it.
        let close = overlay == nil ? nil : bindings.first { $0.command == .escape }
        var kept = (close.map { $0.footerColumns + 2 } ?? 0) + (help?.footerColumns ?? 0)
        var column = 1
        var keys: [FooterKey] = []
        func add(_ binding: Binding) {
            keys.append(FooterKey(binding: binding, columns: column..<(column + binding.footerColumns)))
            column += binding.footerColumns + 2
        }
        for binding in bindings {
            if binding == close {
                kept -= binding.footerColumns + 2
            } else if column + binding.footerColumns + 2 + kept >= columns {
                if overlay == nil { break } else { continue }
            }
            add(binding)
        }
        if let help { add(help) }
        return keys
    }
}

extension Binding {
    /// The columns of the key and its label in the last row.
    fileprivate var footerColumns: Int { CleanText(cleaning: "\(shortName) \(footer ?? "")").width }
}

extension AppState {
    /// While rows are marked, the keys that act on them.
    fileprivate func forMarked(_ bindings: [Binding], of all: [Binding]) -> [Binding] {
        guard let document, document.focus == .list, document.list.markedCount > 0 else { return bindings }
        let count = document.list.markedCount
        let labels: [(command: Command, label: String)] = [
            (.delete, "delete \(count)"), (.edit, "edit \(count)"), (.recolor, "colour \(count)"), (.mark, "mark"),
            (.markRange, document.list.marks.anchor == nil ? "range" : "end range"), (.escape, "unmark all"),
        ]
        let shown = labels.compactMap { item in
            all.first { $0.command == item.command }.map { binding in
                var binding = binding
                binding.footer = item.label
                return binding
            }
        }
        return shown + bindings.filter { $0.command == .help }
    }

    /// Returns `Changed; u to take it back` with the user's key for the command, or the command's name if it has no key.
    func wording(of notice: Notice) -> String {
        guard let hint = notice.hint else { return notice.text }
        return "\(notice.text); \(keyName(of: hint.command)) \(hint.effect)"
    }

    func keyName(of command: Command) -> String {
        keymap.bindings.first { $0.command == command }?.shortName ?? ":\(command.rawValue)"
    }
}
