import Screen

// Maps keys to commands or text.
extension AppState {
    /// The active key contexts, innermost first.
    var contexts: [KeyContext] {
        switch overlay {
        case .question: return [.question]
        case .prompt:
            return prompt?.purpose == .command || prompt?.purpose == .file ? [.commandLine, .text] : [.text]
        case .picker: return [.picker, .text]
        case .help: return help?.isTyping == true ? [.text] : [.help, .moving, .everywhere]
        case .token: return [.tokenCard, .text]
        case .conflict: return [.conflict, .moving, .everywhere]
        case .editor: return [.editor, .text]
        case .look: return [.look, .moving, .everywhere]
        case .reader:
            return (document?.isReviewing == true ? [.review] : []) + [.reader, .moving, .everywhere]
        case .lost: return [.lost, .everywhere]
        case .requests: return [.requests, .moving, .everywhere]
        case .outbox: return [.outbox, .moving, .everywhere]
        case nil: break
        }
        guard let document else { return [.library, .moving, .everywhere] }
        if let picture, !picture.isAutomatic { return [.picture] }
        var contexts: [KeyContext] = hasPictureKeys ? [.picture] : []
        switch shownPane {
        case .thread: contexts.append(.thread)
        case .page:
            if document.page.selection != nil { contexts.append(.selection) }
            contexts.append(.page)
        case .list: contexts.append(.list)
        }
        return contexts + [.document, .moving, .everywhere]
    }

    /// Returns the second of two keys that arrived together and look like one: most terminals send Alt and a key as Esc
    /// and the key. nil for another key, and for one that is bound here.
    func keyAfterEscape(_ key: Key) -> Key? {
        let second: Key
        switch key {
        case .alt(let character): second = .character(character)
        case .named(let name, .alt) where [.enter, .tab, .backspace].contains(name): second = .named(name, [])
        default: return nil
        }
        return keymap.match(keys.keys + [key], in: contexts) == .none ? second : nil
    }

    /// The pane that receives the keys.
    var shownPane: DocumentState.Pane { document?.focus ?? .list }

    mutating func pressed(_ key: Key) -> [Effect] {
        if let effects = pressedOnPicture(key) { return effects }
        noteSeen()
        stay()
        (refusedBefore, refused) = (refused, nil)
        if document?.heldKeys != nil { return hold(key) }
        if overlay == .question {
            if case .click = key { return [] }
            if case .wheelUp = key { return [] }
            if case .wheelDown = key { return [] }
            return answered(key)
        }
        switch key {
        case .paste(let text): return pasted(text)
        case .click(let row, let column): return clicked(Position(row: row, column: column))
        case .wheelUp(let row, let column): return wheeled(Position(row: row, column: column), by: -3)
        case .wheelDown(let row, let column): return wheeled(Position(row: row, column: column), by: 3)
        default: break
        }
        if let letterUse { return letterPressed(key, for: letterUse) }
        if overlay == nil, shownPane == .page, document?.page.hints.isEmpty == false { return hintPressed(key) }
        switch keys.read(key, in: contexts, of: keymap) {
        case .command(let command, let count): return run(command, count: count)
        case .unfinished: return []
        case .nothing:
            guard takesInput else {
                if overlay == nil { reportUnbound(key) }
                return []
            }
            guard case .character(let character) = key else { return [] }
            return write(String(character), isPaste: false)
        }
    }

    /// A paste goes to the topmost overlay. Without one, only a token has a place to go to: the card for it.
    private mutating func pasted(_ text: String) -> [Effect] {
        let overlay = overlay
        if takesInput {
            guard overlay == .token || !TokenText.isIn(text) else {
                return only(.warning("Paste ignored: this is a token; press Esc, then T, then paste it"))
            }
            // A one-line field: line ends in the paste become spaces.
            let isOneLine = overlay == .prompt || overlay == .picker || overlay == .help
            return write(isOneLine ? String(text.map { $0.isNewline ? " " : $0 }) : text, isPaste: true)
        }
        guard TokenText(text).looksLikeToken, document != nil, mayInterrupt else {
            return only(.warning("Paste ignored: no text field is open (\(text.count) characters)"))
        }
        token = TokenCard(.layer)
        return write(text, isPaste: true)
    }

    /// Inserts text into the field of the topmost overlay.
    private mutating func write(_ text: String, isPaste: Bool) -> [Effect] {
        switch overlay {
        case .prompt:
            prompt?.input.insert(text)
            return promptChanged()
        case .picker: picker?.insert(text)
        case .help: writeInHelpFilter(text)
        case .token: token?.insert(text, isPaste: isPaste)
        case .editor:
            document?.editor?.input.insert(text)
            document?.editor?.completion = nil
            return askForPeople()
        default: break
        }
        return []
    }
}
