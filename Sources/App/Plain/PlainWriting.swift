import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen

// Marking, writing, answering questions.
extension PlainState {
    mutating func mark(_ command: Command, _ words: String) -> [Effect] {
        if let why = app.document?.denialOfCreation {
            say("\(why.asSentence)")
        } else if words.isEmpty {
            say("Usage: \(command.rawValue) WORDS, as they appear on the page")
        } else {
            step = .marking(command, words)
        }
        return []
    }

    /// Finds the words on the page; asks which occurrence is meant if there are several.
    mutating func choose(_ words: String, _ purpose: PlainChoice.Purpose) -> [Effect] {
        guard let glyphs = app.document?.page.glyphs else { return only("This page has no text.") }
        let places = glyphs.occurrences(of: words)
        if places.count == 1 { return act(on: places[0], purpose) }
        if places.isEmpty {
            say("Not on this page: \(words)")
        } else {
            question = .which(PlainChoice(places: places, purpose: purpose))
            for (index, place) in places.enumerated() {
                let sentence = glyphs.sentence(around: place.lowerBound)
                say("\(index + 1) \(glyphs.excerpt(of: sentence, cells: 120))")
            }
        }
        return []
    }

    mutating func choose(_ line: String, from choice: PlainChoice) -> [Effect] {
        question = nil
        guard let number = Int(line), number > 0, number <= choice.places.count else { return only("Cancelled.") }
        return act(on: choice.places[number - 1], choice.purpose)
    }

    private mutating func act(on place: Range<Int>, _ purpose: PlainChoice.Purpose) -> [Effect] {
        app.document?.page.cursor = PageCursor(glyph: place.lowerBound)
        guard case .mark(let command) = purpose else { return beginNote() }
        var selection = PageSelection(at: place.lowerBound)
        selection.head = place.upperBound - 1
        app.document?.page.selection = selection
        step = .edited
        return app.run(command, count: nil)
    }

    // MARK: Texts of several lines

    mutating func beginNote() -> [Effect] {
        if let why = app.document?.denialOfCreation { return only("\(why.asSentence)") }
        let effects = app.addNote()
        beginWriting()
        return effects
    }

    mutating func reply(to id: Record.ID) {
        guard let row = sought(id) else { return }
        if row.isDeletedRoot { return say("\(DocumentState.onlyCommentsLeft.asSentence)") }
        guard row.kind.beginsThreads else { return say("\(NoThread.isKind(row.kind).description.asSentence)") }
        if let why = app.document?.denialOfReply(to: row) { return say("\(why.asSentence)") }
        guard let root = app.document?.detail, root.id.isExactly(id) else { return say(Self.isGone) }
        let editor = Editor(
            .reply(root), title: "Reply to \(name(of: row))", text: "", draft: app.document?.drafts[.reply(id)])
        app.document?.editor = editor
        beginWriting()
        app.warnIfHidden(.comments)
    }

    /// Asks for the lines of the text in the editor, which also stores its draft.
    private mutating func beginWriting() {
        guard let editor = app.document?.editor else { return }
        writing = []
        say("\(editor.title). Type the text, then a line with only a dot.")
        if editor.isChanged {
            say("Draft so far:")
            for line in CleanText.lines(cleaning: editor.input.text) { say(line) }
            writing = editor.input.text.split(scalar: "\n", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// `3 accepted`
    mutating func state(_ rest: String) -> [Effect] {
        let words = rest.split(scalar: " ").map(String.init)
        guard words.count == 2, let state = AnnotationState(rawValue: words[1].lowercased()) else {
            return only("Usage: state N NAME (\(AnnotationState.allCases.map(\.rawValue).joined(separator: ", ")))")
        }
        return withRecord(words[0], .state) { .stating($0, state) }
    }

    mutating func set(_ state: AnnotationState, of id: Record.ID) -> [Effect] {
        guard let row = sought(id) else { return [] }
        if let why = app.document?.denialOfState(of: row) { return only("\(why.asSentence)") }
        app.document?.focus = .list
        defer { app.document?.focus = .page }
        step = .edited
        return app.setState(state)
    }

    mutating func write(_ line: String) -> [Effect] {
        guard var lines = writing else { return [] }
        guard line != "." else {
            writing = nil
            step = .edited
            return saveText()
        }
        lines.append(line)
        writing = lines
        app.document?.editor?.input = TextInput(lines.joined(separator: "\n"))
        // Each line: between two lines nothing happens here that could store the draft later.
        return app.keepDraft()
    }

    private mutating func saveText() -> [Effect] {
        guard let editor = app.document?.editor else { return [] }
        guard !editor.input.text.isBlank else {
            app.document?.editor = nil
            return only("Empty text; nothing created.")
        }
        if case .reply(let root) = editor.target, app.document?.detail?.id.isExactly(root.id) != true {
            let effects = app.keepDraft()
            app.document?.editor = nil
            return effects + only(Self.isGone)
        }
        return app.saveEditor()
    }

    private static let isGone: CleanText = "The annotation no longer exists."

    mutating func edit(_ id: Record.ID) -> [Effect] { act(on: id, .edit) { $0.editCurrent(externally: true) } }

    mutating func delete(_ id: Record.ID) -> [Effect] { act(on: id, .delete) { $0.loadBatch(for: .delete) } }

    /// Runs the list's action on its current row, if allowed.
    private mutating func act(
        on id: Record.ID, _ command: Command, _ body: (inout AppState) -> [Effect]
    ) -> [Effect] {
        app.document?.focus = .list
        let why = app.denial(of: command)
        guard sought(id) != nil else { return [] }
        if let why { return only("\(why.asSentence)") }
        app.document?.focus = .list
        defer { app.document?.focus = .page }
        step = .edited
        return body(&app)
    }

    // MARK: Questions of the program

    mutating func answerPrompt(_ line: String) -> [Effect] {
        step = .edited
        if app.prompt?.isQuestion == true {
            return app.answered(line.lowercased().first.map { .character($0) } ?? .escape)
        }
        guard !line.isEmpty else { return app.promptLeft() }
        app.prompt?.input = TextInput(line)
        return app.promptAccepted()
    }
}

extension DocumentState {
    fileprivate func denialOfReply(to row: ListRow) -> String? {
        denial { .createComment(root: row.subject, first: row.replies == 0, group: $0.defaultGroup) }
    }
}
