// All that can be done here, to be found by what it is called.
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
        for command in TypedCommand.allCases where document != nil || command.isForLibrary {
            guard seen.insert(command.rawValue).inserted else { continue }
            items.append(
                Picker.Item(
                    name: command.rawValue, detail: command.help, key: ":" + command.rawValue, choice: .typed(command)))
        }
        picker = Picker("Commands", label: "Command: ", items: items)
    }
}
