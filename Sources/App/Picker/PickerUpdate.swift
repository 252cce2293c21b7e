import Screen

// Choosing from a list by typing.
extension AppState {
    mutating func runInPicker(_ command: Command) -> [Effect]? {
        guard picker != nil else { return nil }
        if command == .accept || command == .chooseMore { return choose(goesOn: command == .chooseMore) }
        let rows = pickerRows
        return picker?.run(command, rows: rows) == true ? [] : nil
    }

    /// - Parameter goesOn: Whether the picker stays open, if several items can be chosen.
    private mutating func choose(goesOn: Bool) -> [Effect] {
        guard let item = picker?.current else { return [] }
        if let why = item.denial { return only(.warning(why.asSentence)) }
        let picker = picker
        self.picker = nil
        switch item.choice {
        case .command(let command): return run(command, count: nil)
        case .typed(let command):
            guard command.takesWords else { return runTyped(command.rawValue) }
            return beginCommandLine(command.rawValue + " ")
        case .color(let code): return loadBatch(for: .recolor(code))
        case .page(let index):
            goTo(page: index, .start)
            document?.focus = .page
            return []
        case .record(let id):
            document?.focus = .list
            return seek(id)
        case .term(let term):
            toggleTerm(term)
            guard goesOn, var picker else { return [] }
            let terms = FilterSyntax.terms(of: document?.list.filter ?? "")
            picker.mark { if case .term(let term) = $0 { terms.contains(term) } else { false } }
            self.picker = picker
            return []
        }
    }
}

// All commands that are available here, found by name.
extension AppState {
    mutating func openPalette() {
        let contexts = contexts
        var seen: Set<String> = []
        var items: [Picker.Item] = []
        for binding in keymap.bindings(in: contexts) where binding.command != .palette {
            guard seen.insert(binding.command.rawValue).inserted else { continue }
            items.append(
                Picker.Item(
                    name: binding.command.rawValue, detail: binding.help, key: binding.shortName,
                    choice: .command(binding.command), denial: denial(of: binding.command)))
        }
        for command in typedCommands {
            guard seen.insert(command.rawValue).inserted else { continue }
            items.append(
                Picker.Item(
                    name: command.rawValue, detail: command.help, key: ":" + command.rawValue, choice: .typed(command)))
        }
        picker = Picker("Commands", label: "Command: ", items: items)
    }
}
