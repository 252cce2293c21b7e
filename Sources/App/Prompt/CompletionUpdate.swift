// The command line: completion and history.
extension AppState {
    mutating func beginCommandLine(_ text: String = "") -> [Effect] {
        prompt = Prompt(.command, label: ":", text: text)
        history.begin()
        return history.isLoaded ? [] : [.loadHistory]
    }

    /// Runs a command that only the command line has, not the other prompts; nil for other commands.
    mutating func runInCommandLine(_ command: Command) -> [Effect]? {
        guard let prompt, prompt.purpose == .command else { return nil }
        switch command {
        case .complete, .completeBack:
            var completion = prompt.completion ?? Completion(completions(of: prompt.input.text))
            guard let line = completion.step(forward: command == .complete) else { return [] }
            self.prompt?.input = TextInput(line)
            self.prompt?.completion = completion.lines.count > 1 ? completion : nil
        case .olderLine, .newerLine:
            guard let line = history.step(older: command == .olderLine, from: prompt.input.text) else { return [] }
            self.prompt?.input = TextInput(line)
        default: return nil
        }
        return []
    }

    /// Returns the lines that this line can be completed to.
    func completions(of line: String) -> [String] {
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count > 1 else { return typedNames.filter { $0.hasPrefix(line.lowercased()) } }
        guard let command = TypedCommand(rawValue: words[0].lowercased()) else { return [] }
        let last = words[1].split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let start = String(line.dropLast(last.count))
        return argumentWords(after: command).filter { $0.hasPrefix(last) && $0 != last }.map { start + $0 }
    }

    /// All commands that can be typed here.
    private var typedNames: [String] {
        let typed = TypedCommand.allCases.filter { document != nil || $0.isForLibrary }.map(\.rawValue)
        return Set(typed + commandsHere.map(\.rawValue)).sorted()
    }

    private func argumentWords(after command: TypedCommand) -> [String] {
        switch command {
        case .filter:
            ["is:unread", "is:unsent", FilterSyntax.showAll] + FilterSyntax.kindNames.map { "kind:\($0)" } + [
                "by:", "group:", "page:",
            ]
        case .color: Colors.named.map(\.name)
        default: []
        }
    }

    /// The commands that keys trigger in the current contexts.
    var commandsHere: [Command] {
        var hidden = self
        hidden.prompt = nil
        return keymap.bindings(in: hidden.contexts).map(\.command)
    }
}
