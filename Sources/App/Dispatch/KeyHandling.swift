import Screen

// Maps keys to commands or text.
extension AppState {
    /// The active key contexts, innermost first.
    var contexts: [KeyContext] {
        if help != nil { return [.help, .moving, .everywhere] }
        if let prompt {
            if prompt.isQuestion { return [.question] }
            return prompt.purpose == .command ? [.commandLine, .text] : [.text]
        }
        if picker != nil { return [.picker, .text] }
        if token?.path != nil { return [.tokenEntry, .text] }
        guard let document else {
            return token.map { $0.isEmpty ? [.tokenCard] : [.tokenCard, .tokenEntry] } ?? []
                + [.library, .moving, .everywhere]
        }
        if document.conflict != nil { return [.conflict, .everywhere] }
        if document.editor != nil { return [.editor, .text] }
        var contexts: [KeyContext] = []
        if let token { contexts += token.isEmpty ? [.tokenCard] : [.tokenCard, .tokenEntry] }
        if isLossShown { contexts.append(.lost) }
        if document.requests.isOpen { return contexts + [.requests, .moving, .everywhere] }
        if document.outbox.isOpen { return contexts + [.outbox, .moving, .everywhere] }
        if shownPane == .thread {
            contexts.append(.thread)
        } else if shownPane == .page {
            if document.page.selection != nil { contexts.append(.selection) }
            contexts.append(.page)
        } else {
            contexts.append(.list)
        }
        return contexts + [.document, .moving, .everywhere]
    }

    /// The pane that receives the keys.
    var shownPane: DocumentState.Pane { document?.focus ?? .list }

    /// Whether typed characters are text rather than commands.
    private var isWriting: Bool { contexts.contains(.text) }

    mutating func pressed(_ key: Key) -> [Effect] {
        if picture != nil { return hidePicture() }
        notice = nil
        stay()
        if let prompt, prompt.isQuestion { return answered(key) }
        switch key {
        case .paste(let text): return pasted(text)
        case .click(let row, let column): return clicked(Position(row: row, column: column))
        case .wheelUp(let row, let column): return wheeled(Position(row: row, column: column), by: -3)
        case .wheelDown(let row, let column): return wheeled(Position(row: row, column: column), by: 3)
        default: break
        }
        if document?.page.hints.isEmpty == false, shownPane == .page { return hintPressed(key) }
        switch keys.read(key, in: contexts, of: keymap) {
        case .command(let command, let count): return run(command, count: count)
        case .unfinished: return []
        case .nothing:
            guard isWriting, case .character(let character) = key else { return [] }
            return write(String(character))
        }
    }

    private mutating func pasted(_ text: String) -> [Effect] {
        if isWriting {
            guard token?.path != nil || !TokenText.isIn(text) else {
                return only(.warning("Paste ignored: this is a token; press Esc, then T, then paste it"))
            }
            // A one-line field: line ends in the paste become spaces.
            let isOneLine = document?.editor == nil || prompt != nil || picker != nil
            return write(isOneLine ? String(text.map { $0.isNewline ? " " : $0 }) : text)
        }
        let pasted = TokenText(text)
        if token == nil {
            guard pasted.looksLikeToken, document != nil, canOpenCard else {
                return only(.warning("Paste ignored: no text field is open (\(text.count) characters)"))
            }
            token = TokenCard(.layer)
        }
        token?.receive(pasted)
        return []
    }

    /// Inserts text into the active text field.
    private mutating func write(_ text: String) -> [Effect] {
        if prompt != nil {
            prompt?.input.insert(text)
            return promptChanged()
        }
        if picker != nil {
            picker?.insert(text)
        } else if token?.path != nil {
            token?.path?.insert(text)
        } else {
            document?.editor?.input.insert(text)
        }
        return []
    }
}
