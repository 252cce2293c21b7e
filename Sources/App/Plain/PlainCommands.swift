import Annotations
import InstantCore
import Screen

// Maps an input line to its command.
extension PlainState {
    mutating func answered(_ line: String) -> [Effect] {
        if writing != nil { return write(line) }
        if app.prompt != nil { return answerPrompt(line.trimmed) }
        switch question {
        case .token?: return takeToken(line.trimmed)
        case .which(let choice)?: return choose(line.trimmed, from: choice)
        // A leading colon, a habit from the screen's command line, is accepted.
        case nil: return run(String(line.trimmed.trimmingPrefix(":")))
        }
    }

    private mutating func run(_ line: String) -> [Effect] {
        let parts = line.split(scalar: " ", maxSplits: 1).map(String.init)
        guard let first = parts.first else { return [] }
        let rest = parts.count > 1 ? parts[1].trimmed.unquoted : ""
        guard let word = PlainWord(typed: first) ?? PlainWord.meant(by: first) else {
            // Otherwise, a command of the screen's command line.
            let name = String(first.dropping(suffix: "!") ?? first[...]).lowercased()
            guard TypedCommand.allCases.contains(where: { $0.rawValue.begins(with: name) }) else {
                return only("Unknown command: \(first)")
            }
            let before = app.document?.page.index
            step = .done
            let effects = app.runTyped(line)
            if app.document?.presence.isShown == true {
                for line in app.participantLines(columns: Self.width) { say(line) }
                _ = app.escape()
            }
            if app.document?.page.index != before { step = .page }
            return effects
        }
        if app.document == nil, !word.isForLibrary { return only("Open a layer first: open N") }
        if app.document != nil, word.isForLibraryOnly { return only("Leave this layer first: library") }
        return app.document == nil ? runInLibrary(word, rest) : run(word, rest)
    }

    private mutating func run(_ word: PlainWord, _ rest: String) -> [Effect] {
        switch word {
        case .read: step = .reading
        case .next, .previous:
            step = .page
            app.turnPage(by: word == .next ? 1 : -1)
        case .find where rest.isEmpty: say("Usage: find WORDS")
        case .find: step = .finding(rest)
        case .list, .new: list(word == .new ? "is:unread" : rest.filterTerms)
        case .mentions: list(FilterSyntax.mention)
        case .more: step = .listing
        case .show: return withRecord(rest, word) { .showing($0) }
        case .edit: return withRecord(rest, word) { .editing($0) }
        case .delete: return withRecord(rest, word) { .deleting($0) }
        case .state: return state(rest)
        case .reply: return withRecord(rest, word) { .replying($0) } + [.loadPeople]
        case .note where rest.isEmpty: return beginNote()
        case .note: step = .placing(rest)
        case .highlight: return mark(.highlight, rest)
        case .underline: return mark(.underline, rest)
        case .strikeOut: return mark(.strikeOut, rest)
        case .squiggly: return mark(.squiggly, rest)
        case .outbox:
            app.document?.outbox.isStale = false
            step = .outbox
            return [.loadOutbox]
        case .mine, .theirs: return resolve(rest, word)
        case .save:
            step = .done
            return app.run(.saveUnsent, count: nil)
        case .sync:
            step = .syncing
            return [.syncNow]
        case .token: askForToken(.layer)
        case .status: say(StatusLine.plain(app))
        case .announce: announce(rest)
        case .remove: app.askToRemove()
        case .library:
            app.hasLibrary = true
            numbers = PlainNumbers()
            step = .library
            return app.leave()
        case .help: sayHelp()
        case .quit: return app.keepDraft() + app.depart(.program)
        case .open, .add, .demo: break
        }
        return []
    }

    private mutating func announce(_ rest: String) {
        switch rest {
        case "off": announces = false
        case "on": announces = true
        default: break
        }
        say("Changes by others are \(announces ? "announced between commands" : "not announced").")
    }

    private static let privateQuit = "quit; asks first if changes of a private PDF would be lost"

    private var hasPrivateFile: Bool { app.openLayers.contains { $0.file?.isPrivate ?? false } }

    private mutating func sayHelp() {
        for word in PlainWord.allCases where app.document != nil ? !word.isForLibraryOnly : word.isForLibrary {
            say("\(word.rawValue): \(word == .quit && hasPrivateFile ? Self.privateQuit : word.help)")
        }
        guard app.document != nil else { return }
        for command in app.typedCommands where PlainWord(rawValue: command.rawValue) == nil {
            say("\(command.rawValue): \(command.help)")
        }
    }

    /// Runs a word in the library.
    private mutating func runInLibrary(_ word: PlainWord, _ rest: String) -> [Effect] {
        switch word {
        case .list:
            step = .library
            return [.loadLibrary]
        case .demo:
            step = .opening
            return app.startDemo()
        case .open where !rest.isEmpty && Int(rest) == nil:
            step = .opening
            app.opening = Opening()
            return [.openFile(rest)]
        case .open, .remove:
            let count = app.library.count
            guard let number = Int(rest), number > 0, number <= count else {
                say(
                    count == 0
                        ? "No layers yet. Type demo, add SERVER or open FILE."
                        : "Usage: \(word.rawValue) N (1 to \(count))")
                return []
            }
            app.library.move(to: number - 1)
            if word == .remove {
                app.askToRemove()
                return []
            }
            step = .opening
            return app.openCurrent()
        case .add:
            guard !rest.isEmpty else { return only("Usage: add SERVER, such as http://127.0.0.1:5000") }
            do { askForToken(.join(server: try ServerAddress.entered(rest))) } catch {
                return only(CleanText(cleaning: error.sentence))
            }
        case .help: sayHelp()
        default: return app.quit()
        }
        return []
    }
}

extension PlainWord {
    /// Returns the only word with this prefix, unless a typed command has the same prefix.
    fileprivate static func meant(by typed: String) -> PlainWord? {
        let matches = allCases.filter { $0.rawValue.begins(with: typed.lowercased()) }
        let others = TypedCommand.allCases.filter {
            $0.rawValue.begins(with: typed.lowercased()) && PlainWord(rawValue: $0.rawValue) == nil
        }
        return matches.count == 1 && others.isEmpty ? matches[0] : nil
    }
}

extension String {
    /// The string without surrounding quotation marks.
    fileprivate var unquoted: String {
        dropping(prefix: "\"")?.dropping(suffix: "\"").map(String.init) ?? self
    }

    /// The filter with the words `unread` and `unsent` replaced by their terms.
    fileprivate var filterTerms: String {
        split(scalar: " ").map { ["unread", "unsent", "resolved"].contains($0) ? "is:" + $0 : String($0) }
            .joined(separator: " ")
    }
}
