import Screen

/// A text over the whole screen that scrolls, and that words typed after `/` shorten.
struct HelpState: Equatable, Sendable {
    enum Subject: Equatable, Sendable {
        /// The keys of the contexts that were active when it was opened.
        case keys([KeyContext])
        /// Why something is refused, and what would allow it.
        case refusal(Refusal)
        /// The latest notices.
        case messages
    }

    var subject: Subject
    /// First line shown.
    var top = 0
    /// The words that shown lines contain; nil without a filter.
    var filter: TextInput?
    /// Whether the filter is being typed.
    var isTyping = false

    init(_ subject: Subject) { self.subject = subject }
}

/// What the program refused to do.
enum Refusal: Equatable, Sendable {
    case command(Command)
    case file(FileRefusal)
}

// Opening, filtering and scrolling the help.
extension AppState {
    /// After a refused command, explains the refusal; else lists the keys.
    mutating func openHelp() {
        switch refusedBefore {
        case .command(let command) where denial(of: command) == nil: help = HelpState(.keys(contexts))
        case let refusal?: help = HelpState(.refusal(refusal))
        case nil: help = HelpState(.keys(contexts))
        }
    }

    /// Runs a command while the filter is typed; nil if it has no meaning there.
    mutating func runInHelpFilter(_ command: Command) -> [Effect]? {
        guard help?.isTyping == true else { return nil }
        switch command {
        case .accept:
            help?.isTyping = false
            if help?.filter?.isEmpty == true { help?.filter = nil }
        case .up, .down: return nil
        default:
            guard help?.filter?.run(command) == true else { return nil }
            help?.top = 0
        }
        return []
    }

    mutating func writeInHelpFilter(_ text: String) {
        help?.filter?.insert(text)
        help?.top = 0
    }

    mutating func closeHelp() {
        if help?.isTyping == true {
            help?.filter = nil
            help?.isTyping = false
        } else {
            help = nil
        }
    }

    mutating func scrollHelp(_ command: Command, count: Int?) -> [Effect] {
        guard let help else { return [] }
        if command == .search {
            self.help?.filter = help.filter ?? TextInput("")
            self.help?.isTyping = true
            return []
        }
        let rows = helpBox.inside.rows
        let last = max(0, helpRows.count - max(1, rows))
        if let top = command.row(from: min(help.top, last), count: count, screen: rows, last: last) {
            self.help?.top = top
        }
        return []
    }

    /// The state as it was before the help was opened.
    var beneathHelp: AppState {
        var state = self
        state.help = nil
        return state
    }
}
