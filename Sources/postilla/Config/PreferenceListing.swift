import App
import Screen

extension Preferences {
    /// Everything that is in force, as a file that could be used as it is; behind what is not the default, where it comes
    /// from.
    var lines: [String] {
        let settings = Preference.allCases.flatMap { preference in
            ["# \(preference.meaning)", preference.line(text(preference)) + from(values[preference]?.origin), ""]
        }
        let keys = KeyContext.allCases.flatMap { context in ["[keys.\(context.name)]"] + keyLines(context) + [""] }
        let styles = Theme.roles.map { role in
            "\(role.name) = \(theme[keyPath: role.style].notation.tomlText)" + from(colors[role.name]?.origin)
        }
        return settings
            + ["# Keys: <C-d> is Ctrl and d, <A-x> Alt and x, <S-tab>, <space>, <lt> the sign itself; [] is no key"]
            + keys
            + ["# bold dim underline reverse italic, a colour (red, bright-red, 208, #d7875f), another behind on"]
            + ["[colors]"] + styles
    }

    private func keyLines(_ context: KeyContext) -> [String] {
        let bound = keymap.bindings(in: [context]).map { binding in
            let sequences = binding.sequences.map { $0.map(\.notation).joined().tomlText }
            let text = sequences.count == 1 ? sequences[0] : "[" + sequences.joined(separator: ", ") + "]"
            let origin = keys[KeyPlace(context: context, command: binding.command)]
            return "\(binding.command.rawValue) = \(text)" + (origin == nil ? "  # \(binding.help)" : from(origin))
        }
        let unbound = keys.filter { place, _ in
            place.context == context
                && !keymap.bindings.contains { $0.context == context && $0.command == place.command }
        }
        return bound + unbound.map { "\($0.command.rawValue) = []" + from($1) }.sorted()
    }

    private func from(_ origin: Settings.Origin?) -> String { origin.map { "  # \($0)" } ?? "" }
}
