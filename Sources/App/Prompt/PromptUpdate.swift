import Annotations
import InstantCore
import Screen

// The line at the bottom: commands, filter, search, names, questions.
extension AppState {
    /// Handles a change of the input. Only the filter takes effect while typing.
    mutating func promptChanged() -> [Effect] {
        prompt?.completion = nil
        if let prompt, case .filter = prompt.purpose { setFilter(prompt.input.text) }
        return []
    }

    mutating func promptLeft() -> [Effect] {
        guard let prompt else { return [] }
        self.prompt = nil
        switch prompt.purpose {
        case .filter(let before): setFilter(before)
        case .author(_, let editor?):
            document?.editor = editor
            notice = .warning("Not saved: a new record needs an author's name")
        case .author: notice = .warning("Not created: a new record needs an author's name")
        case .command, .search, .server, .file, .confirm: break
        }
        return []
    }

    mutating func promptAccepted() -> [Effect] {
        guard let prompt else { return [] }
        let text = prompt.input.text.trimmed
        switch prompt.purpose {
        case .author(let edits, let editor):
            guard !text.isEmpty else { return [] }
            self.prompt = nil
            document?.author = text
            return [.rememberAuthor(text)] + perform(edits, from: editor) + goOnAfter(editor)
        case .command:
            self.prompt = nil
            guard !text.isEmpty else { return [] }
            history.add(text)
            return [.remember(line: text)] + runTyped(text)
        case .filter:
            self.prompt = nil
            warnOfFilter()
        case .search:
            self.prompt = nil
            return search(text)
        case .server:
            guard !text.isEmpty else { return promptLeft() }
            self.prompt = nil
            do { token = TokenCard(.join(server: try ServerAddress.entered(text))) } catch {
                return only(.warning(error.sentence))
            }
        case .file:
            guard !text.isEmpty else { return promptLeft() }
            self.prompt = nil
            notice = .done("Opening \(text)")
            return [.openFile(text)]
        case .confirm: break
        }
        return []
    }

    /// Answers a question with one key: `y` is yes, and any other key is no.
    mutating func answered(_ key: Key) -> [Effect] {
        guard let prompt, case .confirm(let what) = prompt.purpose else { return [] }
        self.prompt = nil
        let answer = keymap.match([key], in: [.question])
        if answer == .command(.saveUnsent), case .removeLayer(let reference, 1...) = what {
            return [.saveUnsent(reference)]
        }
        if answer == .command(.saveUnsent), case .loseChanges(let departure) = what,
            case let saving = saveUnsent(before: departure), !saving.isEmpty
        {
            return saving
        }
        guard answer == .command(.yes) else { return only(.done("Cancelled")) }
        switch what {
        case .delete(let edits):
            document?.list.marks = ListMarks()
            return perform(edits)
        case .removeLayer(let reference, let unsent):
            return removeLayer(reference, unsent: unsent)
        case .revertFile: return [.revertFile]
        case .loseChanges(let departure): return leaveNow(departure)
        case .dropDraft(let key): return dropDraft(key)
        case .takeCopy(let server): return [.takeCopy(server)]
        }
    }
}

extension String {
    /// The text with a capital first letter. A first word that may be a file name or an address is unchanged.
    var asSentence: String {
        let word = prefix(whileScalar: { $0 != " " })
        guard word.allSatisfy({ $0.isLowercase || "-:,".contains($0) }) else { return self }
        return prefix(scalars: 1).uppercased() + dropFirst(scalars: 1)
    }

    /// The text without leading and trailing white space.
    var trimmed: String {
        String(trimming(scalars: \.properties.isWhitespace))
    }
}
