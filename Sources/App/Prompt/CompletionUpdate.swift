import Annotations
import InstantCore

// The command line: completion and history.
extension AppState {
    mutating func beginCommandLine(_ text: String = "") -> [Effect] {
        prompt = Prompt(.command, label: ":", text: text)
        history.begin()
        return history.isLoaded ? [] : [.loadHistory]
    }

    /// Runs a command that only the command line has, not the other prompts; nil for other commands.
    mutating func runInCommandLine(_ command: Command) -> [Effect]? {
        guard let prompt, prompt.purpose == .command || prompt.purpose == .file else { return nil }
        switch command {
        case .complete, .completeBack:
            if prompt.completion == nil, let path = prompt.path {
                // The path that was offered when the file could not be written comes first.
                if prompt.pathToWrite != nil, let offered = document?.offeredPath, offered != path,
                    offered.begins(inAnySpelling: path)
                {
                    self.prompt?.input = TextInput((prompt.input.text.dropping(suffix: path) ?? "") + offered)
                    return []
                }
                return [.completePath(path)]
            }
            var completion = prompt.completion ?? Completion(completions(of: prompt.input.text))
            guard let line = completion.step(forward: command == .complete) else { return [] }
            self.prompt?.input = TextInput(line)
            self.prompt?.completion = completion.lines.count > 1 ? completion : nil
        case .olderLine where prompt.purpose == .command, .newerLine where prompt.purpose == .command:
            guard let line = history.step(older: command == .olderLine, from: prompt.input.text) else { return [] }
            self.prompt?.input = TextInput(line)
        default: return nil
        }
        return []
    }

    /// The paths that begin with a text arrived, for the token card or for the line being typed.
    mutating func pathsCame(_ text: String, _ paths: [String]) {
        guard overlay != .token else {
            token?.complete(text, to: paths)
            return
        }
        guard let prompt, let path = prompt.path, path == text else { return }
        let start = String(prompt.input.text.dropping(suffix: path) ?? "")
        let kinds = prompt.pathToMerge == nil ? [".pdf"] : [".pdf", ".xfdf", ".fdf", ".json"]
        let shown = paths.filter { path in
            path.ends(with: "/") || kinds.contains { path.lowercased().ends(with: $0) }
        }
        var completion = Completion(shown.map { start + $0 })
        guard let line = completion.step(forward: true) else {
            notice = .done("No \(kinds.count == 1 ? "PDF" : "copy") or folder begins with this")
            return
        }
        self.prompt?.input = TextInput(line)
        // A single folder is entered by the next Tab.
        self.prompt?.completion = shown.count > 1 ? completion : nil
    }

    /// Returns the lines that this line can be completed to.
    func completions(of line: String) -> [String] {
        let words = line.split(scalar: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard words.count > 1 else { return typedNames.filter { $0.begins(with: line.lowercased()) } }
        let name = words[0].dropping(suffix: "!").map(String.init) ?? words[0]
        guard let command = TypedCommand(typed: name) else { return [] }
        let last = words[1].split(scalar: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let start = String(line.dropping(suffix: last) ?? "")
        let negation = command == .filter && last.begins(with: "!") ? "!" : ""
        let offered = argumentWords(after: command).map { negation + $0 }
        return offered.filter { $0.begins(inAnySpelling: last) && $0 != last }.map { start + $0 }
    }

    /// All commands that can be typed here.
    private var typedNames: [String] {
        let typed = typedCommands.map(\.rawValue)
        return Set(typed + commandsHere.map(\.rawValue)).sorted()
    }

    private func argumentWords(after command: TypedCommand) -> [String] {
        switch command {
        case .filter:
            ["is:unread", "is:unsent", "is:resolved", "is:open", FilterSyntax.mention, FilterSyntax.showAll]
                + AnnotationState.reviews.map { "state:\($0.rawValue)" }
                + FilterSyntax.kindNames.map { "kind:\($0)" } + listedTerms
        case .defaultGroup: Set((document?.list.window?.rows ?? []).compactMap(\.group)).sorted()
        case .state: AnnotationState.allCases.map(\.rawValue)
        case .color: Colors.named.map(\.name)
        case .mouse: ["off", "on"]
        case .write: [FileWrite.compactOption]
        default: []
        }
    }

    /// Filter terms for the people, groups and pages of the rows at hand.
    private var listedTerms: [String] {
        let rows = document?.list.window?.rows ?? []
        let authors = Set(rows.compactMap(\.author)).sorted().map { "by:\(FilterSyntax.quoted($0))" }
        let groups = Set(rows.compactMap(\.group)).sorted().map { "group:\(FilterSyntax.quoted($0))" }
        return authors + groups + ["page:\((document?.page.index ?? 0) + 1)"]
    }

    /// The commands that keys trigger in the current contexts.
    var commandsHere: [Command] {
        var hidden = self
        hidden.prompt = nil
        return keymap.bindings(in: hidden.contexts).map(\.command)
    }
}
