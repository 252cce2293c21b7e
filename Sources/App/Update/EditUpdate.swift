import Annotations
import Authorization
import InstantCore

// Making, changing, deleting; undo.
extension AppState {
    /// Hands edits over as one step. A new record needs an author's name: it is asked for once, after the right to
    /// write was checked.
    mutating func perform(_ edits: [Edit], from editor: Editor? = nil) -> [Effect] {
        guard let document, !edits.isEmpty else { return [] }
        let creates = edits.contains {
            switch $0 {
            case .create, .beginThread: true
            case .update, .delete: false
            }
        }
        if creates, document.author == nil, document.status.grant?.creatorName == nil {
            prompt = Prompt(.author(then: edits, editor: editor), label: "Your name, shown with what you write: ")
            return []
        }
        guard let step = self.document?.history.begin(edits) else { return [] }
        if let editor { self.document?.sent[step.id] = editor }
        return [.perform(step)]
    }

    /// Marks what is selected: one record for each page, all in one step.
    mutating func mark(_ kind: AnnotationKind) -> [Effect] {
        guard document?.page.selected != nil else { return [] }
        let edits = markups(kind).map(Edit.create)
        guard !edits.isEmpty else {
            notice = .warning("nothing to mark is selected")
            return []
        }
        document?.page.dropSelection()
        return perform(edits)
    }

    /// What is selected as marks, one for each page.
    func markups(_ kind: AnnotationKind) -> [Content] {
        guard let page = document?.page, let range = page.selected, let glyphs = page.glyphs else { return [] }
        let parts = page.carried.map { ($0.page, $0.rects) } + [(page.index, glyphs.rects(of: range))]
        return parts.compactMap { Content.markup(kind, page: $0.0, rects: $0.1) }
    }

    mutating func undo() -> [Effect] {
        guard let step = document?.history.undo() else {
            notice = .warning("nothing of yours to undo")
            return []
        }
        return [.undo(step: step.id)]
    }

    mutating func redo() -> [Effect] {
        guard let step = document?.history.redo() else {
            notice = .warning("nothing was undone")
            return []
        }
        return [.perform(step)]
    }

    // MARK: Answers

    mutating func edited(_ step: Int, _ ids: [Record.ID]) -> [Effect] {
        guard let document, let edits = document.history.done.first(where: { $0.id == step })?.edits,
            let edit = edits.first
        else { return [] }
        var effects: [Effect] = []
        if let editor = self.document?.sent.removeValue(forKey: step) { effects += forgetDraft(editor.draftKey) }
        switch edit {
        case .create(let content) where content.contentType == .comments:
            notice = .done("reply added", hint: .takesBack)
        case .beginThread:
            notice = .done("thread begun", hint: .takesBack)
            if let id = ids.first { effects += seek(id) }
        case .create(let content):
            let name = AnnotationKind(type: content["type"]?.string ?? "").name
            let several = edits.count > 1 ? " on \(edits.count) pages" : ""
            notice = .done("\(name)\(several) added", hint: .takesBack)
            if let id = ids.first { effects += seek(id) }
        case .update:
            notice = .done(edits.count > 1 ? "\(edits.count) changed" : "changed", hint: .takesBack)
        case .delete:
            notice =
                edits.count > 1
                ? .done("\(edits.count) deleted", hint: .init(command: .undo, effect: "brings them back"))
                : .done("deleted", hint: .init(command: .undo, effect: "brings it back"))
        }
        if let omitted = self.document?.omitted.removeValue(forKey: step) {
            notice = .warning("\(notice?.text ?? ""); \(omitted)", hint: notice?.hint)
        }
        lookAgain()
        return effects + recordsChanged(ids, nil)
    }

    /// Nothing was changed; a text that was written stays as a draft.
    mutating func editFailed(_ step: Int, _ why: String) -> [Effect] {
        document?.history.failed(step)
        notice = .error(why)
        guard let editor = document?.sent.removeValue(forKey: step) else { return [] }
        notice = .error("kept as a draft, not made: \(why)")
        document?.drafts[editor.draftKey] = editor.input.text
        return [.saveDraft(editor.draftKey, editor.input.text)]
    }

    mutating func undone(_ step: Int) {
        document?.history.undid(step, canRedo: true)
        notice = .done("undone; Ctrl-R does it again")
        lookAgain()
    }

    mutating func undoFailed(_ step: Int, _ why: String) {
        document?.history.undid(step, canRedo: false)
        notice = .warning("cannot be undone: \(why)")
    }
}

extension Notice.Hint {
    fileprivate static let takesBack = Notice.Hint(command: .undo, effect: "takes it back")
}
