import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen

// Creating, changing and deleting records; undo.
extension AppState {
    /// Submits edits as one step, which is shown as done while it is saved. A new record needs an author's name: if
    /// none is known, the user is asked for it.
    ///
    /// - Parameters:
    ///   - editor: The editor whose text is submitted.
    ///   - seen: What the person saw of the records that the edits change.
    mutating func perform(_ edits: [Edit], from editor: Editor? = nil, over seen: [Record] = []) -> [Effect] {
        guard let document, !edits.isEmpty else { return [] }
        let creates = edits.contains {
            switch $0 {
            case .create, .beginThread: true
            case .update, .delete: false
            }
        }
        if creates, document.author == nil, document.status.grant?.creatorName == nil {
            prompt = Prompt(.author(then: edits, editor: editor), label: "Your name, shown on your annotations: ")
            return []
        }
        return begin(edits, from: editor, over: seen)
    }

    private mutating func begin(
        _ edits: [Edit], from editor: Editor? = nil, over seen: [Record] = [], isRedo: Bool = false
    ) -> [Effect] {
        let summary = document?.name(of: edits) ?? ""
        let newIDs = (0..<edits.reduce(0) { $0 + $1.newRecords }).map { _ in ids.make(at: now) }
        guard var step = document?.history.begin(edits, newIDs: newIDs, summary: summary, isRedo: isRedo) else {
            return []
        }
        for record in seen { step.seen[ByteOrdered(record.id)] = record.content }
        document?.begin(step, from: editor, at: now)
        return keepUntilSaved(editor, becoming: newIDs.first) + [.perform(step)]
    }

    /// Does what a copy brings, as one step.
    mutating func begin(_ copy: MergedCopy) -> [Effect] {
        let step = document?.history.begin(
            copy.edits, newIDs: copy.newIDs, summary: "merge of \(copy.path)", merged: copy.sentence)
        guard let step else { return [] }
        document?.begin(step, from: nil, at: now)
        return [.perform(step)]
    }

    /// Stores the text as a draft until it is stored as an edit.
    mutating func keepUntilSaved(_ editor: Editor?, becoming id: Record.ID? = nil) -> [Effect] {
        editor.map { store($0.input.text, as: $0.draftKey, becoming: id) } ?? []
    }

    /// Marks the selection: one record per page, all in one step.
    mutating func mark(_ kind: AnnotationKind) -> [Effect] {
        guard document?.page.selected != nil else { return [] }
        let edits = markups(kind).map(Edit.create)
        guard !edits.isEmpty else { return only(.warning("Nothing to mark in the selection")) }
        document?.lastMark = kind
        document?.page.dropSelection()
        let effects = perform(edits)
        warnIfHidden(.annotations)
        return effects
    }

    /// Returns the selection as marks, one per page.
    func markups(_ kind: AnnotationKind) -> [Content] {
        guard let kind = MarkupKind(kind), let page = document?.page, let range = page.selected,
            let glyphs = page.glyphs
        else { return [] }
        let parts = page.carried.map { ($0.page, $0.rects) } + [(page.index, glyphs.rects(of: range))]
        return parts.filter { !$0.1.isEmpty }.map { Content.markup(kind, onPage: $0.0, rects: $0.1) }
    }

    mutating func undo() -> [Effect] {
        guard let step = document?.history.undo() else { return only(.warning("Nothing to undo")) }
        document?.pending.begin(.undo(step))
        return [.undo(step: step.id)]
    }

    mutating func redo() -> [Effect] {
        guard document?.history.undoing.isEmpty == true else {
            return only(.warning("The undo is still being saved; try again in a moment"))
        }
        guard let edits = document?.history.redo() else { return only(.warning("Nothing to redo")) }
        return begin(edits, isRedo: true)
    }

    // MARK: Responses

    mutating func edited(_ step: Int, _ ids: [Record.ID]) -> [Effect] {
        guard let item = document?.pending.end(as: .saved, { $0.isStep(step) }),
            case .step(let done) = item.work, let edit = done.edits.first
        else { return [] }
        let edits = done.edits
        document?.list.readAgain()
        var effects = forgetSaved(item.editor)
        switch edit {
        case _ where done.merged != nil: notice = .done(done.merged ?? "", hint: .takesBack)
        case .create(let content) where content.state != nil:
            let state = content.state ?? .unset
            let what =
                state == .unset ? "Removed the state of \(done.summary)" : "Set \(done.summary) to \(state.rawValue)"
            let hides = state.isResolving && document?.list.query.filter.resolved == false
            notice = .done(what + (hides ? " (hidden)" : ""), hint: .takesBack)
        case .create(let content) where content.contentType == .comments:
            notice = .done("Added reply\(naming(content["text"].flatMap(CommentText.init(json:))))", hint: .takesBack)
        case .beginThread(_, let text):
            notice = .done("Started thread\(naming(text))", hint: .takesBack)
            effects += advance(to: ids.first)
        case .create(let content):
            let name = AnnotationKind(type: content["type"]?.string ?? "").name
            let several = edits.count > 1 ? " on \(edits.count) pages" : ""
            notice = .done("Added \(name)\(several)", hint: .takesBack)
            effects += advance(to: ids.first)
        case .update:
            notice = .done("Changed \(done.summary)", hint: .takesBack)
        case .delete:
            // Count what was deleted with them, too.
            let count = max(edits.count, Set(ids.map(ByteOrdered.init)).count)
            let more = count > edits.count ? ", \(count) in all" : ""
            notice = .done("Deleted \(done.summary)\(more)", hint: .takesBack)
        }
        if let omitted = self.document?.omitted.removeValue(forKey: step) {
            notice = .warning("\(notice?.text ?? ""); \(omitted)", hint: notice?.hint)
        }
        refresh()
        return effects + recordsChanged(ids, nil)
    }

    /// Moves the list cursor to the new row, unless the user has moved on. If the row is outside the window, requests
    /// its place in the list.
    private mutating func advance(to id: Record.ID?) -> [Effect] {
        guard let id, let list = document?.list else { return [] }
        let isShown = list.window?.rows.contains { $0.id.isExactly(id) } == true
        return list.cursorID.isExactly(id) || !isShown ? seek(id) : []
    }

    /// Handles a failed edit: nothing was changed, and its text returns to the editor.
    mutating func editFailed(_ step: Int, _ why: String) -> [Effect] {
        document?.history.failed(step)
        guard let item = document?.pending.end(as: .failed(why), { $0.isStep(step) }) else { return [] }
        return notSaved(item, why)
    }

    mutating func undone(_ step: Int) -> [Effect] {
        let undone = document?.history.undoing.first { $0.id == step }
        let edits = undone?.edits ?? []
        _ = document?.pending.end(as: .saved) { $0.isUndo(step) }
        // Redone edits create other records than those that the copy has.
        let canRedo = undone?.merged == nil
        document?.history.undid(step, canRedo: canRedo)
        let summary = undone?.summary ?? ""
        let what = edits.isEmpty ? "" : ": " + (canRedo ? "\(edits.verb) \(summary)" : summary)
        notice = .done("Undone\(what)", hint: canRedo ? .init(command: .redo, effect: "to redo") : nil)
        showAgain()
        // Back to what has come back or was changed. A comment has no row: its annotation has.
        guard document?.focus == .list, let edit = edits.first else { return [] }
        return edit.rowID.map { seek($0, quietly: true) } ?? []
    }

    /// - Parameter isFinal: Whether the step can never be undone.
    mutating func undoFailed(_ step: Int, _ why: String, isFinal: Bool) {
        _ = document?.pending.end(as: .saved) { $0.isUndo(step) }
        if isFinal { document?.history.undid(step, canRedo: false) } else { document?.history.notUndone(step) }
        // Some reasons say it themselves.
        notice = .warning(why.begins(with: "cannot undo") ? why.asSentence : "Cannot undo: \(why)")
    }

    // MARK: Conflicts

    /// Resolves a conflict or a refused edit.
    mutating func resolve(
        _ id: Record.ID, _ resolution: Resolution, _ sides: Conflict.Sides, from editor: Editor? = nil
    ) -> [Effect] {
        document?.pending.begin(.resolution(id), from: editor)
        for key in editor?.draftsReplaced ?? [] { document?.drafts[key] = nil }
        return keepUntilSaved(editor) + [.resolve(id, resolution, of: sides)]
    }

    mutating func resolved(_ id: Record.ID) -> [Effect] {
        let item = document?.pending.end(as: .saved) { $0.isResolution(of: id) }
        notice = .done("Resolved")
        refresh()
        return forgetSaved(item?.editor) + recordsChanged([id], nil)
    }

    mutating func resolveFailed(_ id: Record.ID, _ why: String) -> [Effect] {
        guard let item = document?.pending.end(as: .failed(why), { $0.isResolution(of: id) }) else {
            return only(.error(why.asSentence))
        }
        return notSaved(item, why)
    }

    // MARK: Texts being saved

    /// Drops the draft of a saved text, but keeps a draft begun since under the same key.
    private mutating func forgetSaved(_ editor: Editor?) -> [Effect] {
        (editor?.draftsReplaced ?? []).flatMap { store(document?.drafts[$0], as: $0) }
    }

    /// Returns an unsaved text to the editor, or to the drafts if another editor is open.
    private mutating func notSaved(_ item: PendingEdits.Item, _ why: String) -> [Effect] {
        notice = .error("Not saved: \(why)")
        if departure != .termination { departure = nil }
        showAgain()
        guard var editor = item.editor else { return [] }
        // Text written for a record that was never created belongs to the draft of that record.
        let key = item.work.ids.compactMap { document?.pending.failedDrafts[ByteOrdered($0)] }.first ?? editor.draftKey
        let open = document?.editor.flatMap { $0.draftKey == key ? $0.input.text : nil }
        let begun = open ?? document?.drafts[key]
        let text = editor.input.text
        let kept = begun.map { $0.isExactly(text) ? text : $0 + "\n" + text } ?? text
        let effects = keep(kept, as: key)
        if document?.editor == nil, key == editor.draftKey, departure == nil {
            editor.input = TextInput(kept)
            editor.saved = kept
            document?.editor = editor
        } else {
            notice = .error("Not saved: \(why); the text is kept as a draft")
            if document?.editor?.draftKey == key { document?.editor?.input = TextInput(kept) }
        }
        return effects
    }

    /// Reloads everything that shows records.
    private mutating func showAgain() {
        refresh()
        document?.detailAsked = nil
    }

    /// Sets the group of new records.
    ///
    /// - Parameter words: A group; `""` for the null group; empty for the token's default.
    mutating func setDefaultGroup(_ words: String) -> [Effect] {
        guard let document else { return [] }
        let choice = words.isEmpty ? nil : LayerMetadata.GroupChoice(group: words == "\"\"" ? nil : words)
        if let choice, let why = document.denial({ _ in .createAnnotation(group: choice.group) }) {
            return only(.warning(why.asSentence))
        }
        self.document?.groupChoice = choice
        let group = self.document?.groupForNew ?? "none"
        let whose = choice == nil ? "from the token" : ":default-group without a name to reset"
        notice = .done("Group of new records: \(group); \(whose)")
        return [.setDefaultGroup(choice)]
    }
}

extension DocumentState {
    /// Shows a step as done.
    fileprivate mutating func begin(_ step: EditStep, from editor: Editor?, at now: Timestamp) {
        if pending.hasFailures { (list.isStale, page.isStale, thread.asked) = (true, true, nil) }
        let made = records(madeBy: step, at: now)
        pending.begin(.step(step), made: made, from: editor)
        for key in editor?.draftsReplaced ?? [] { drafts[key] = nil }
        if let window = list.window { list.window = pending.applied(to: window) }
        page.rows = pending.applied(to: page.rows, onPage: page.index)
        if let root = thread.root { thread.take(pending.applied(to: thread.comments, under: root), under: root) }
        detail = detail.flatMap { pending.applied(to: $0, $0.id) }
        guard let new = made.first(where: { $0.contentType == .annotations })?.id, let window = list.window,
            let index = window.rows.firstIndex(where: { $0.id.isExactly(new) })
        else { return }
        list.move(to: window.offset + index)
    }

    /// Returns the records of a step as `Instant` will stamp them.
    private func records(madeBy step: EditStep, at now: Timestamp) -> [Record] {
        var contents: [Content] = []
        var ids = step.newIDs
        for edit in step.edits {
            switch edit {
            case .create(let content): contents.append(content)
            case .beginThread(let root, let text):
                contents += [root, .comment(text, under: ids[contents.count], root)]
            case .update, .delete: break
            }
        }
        return contents.map { content in
            let stamped = content.changing {
                if step.merged == nil {
                    $0["creatorName"] = $0["creatorName"] ?? (status.grant?.creatorName ?? author).map(JSON.string)
                }
                $0["createdAt"] = .string(now.iso8601)
                $0["updatedAt"] = .string(now.iso8601)
            }
            return Record(
                id: ids.removeFirst(), content: stamped, createdBy: status.grant?.userID, group: groupForNew)
        }
    }
}

extension PendingEdits.Work {
    fileprivate func isStep(_ id: Int) -> Bool { if case .step(let step) = self { step.id == id } else { false } }
    fileprivate func isUndo(_ id: Int) -> Bool { if case .undo(let step) = self { step.id == id } else { false } }
}

extension Notice.Hint {
    fileprivate static let takesBack = Notice.Hint(command: .undo, effect: "to take it back")
}

extension [Edit] {
    /// `deleted`, for the notice of an undo.
    fileprivate var verb: String {
        switch first {
        case .create, .beginThread, nil: "added"
        case .update: "changed"
        case .delete: "deleted"
        }
    }

}

extension Edit {
    /// The record whose row shows what the undo of this edit has brought back.
    fileprivate var rowID: Record.ID? {
        switch self {
        case .update(let id, _), .delete(let id, _): id
        case .create(let content): content["rootId"]?.string
        case .beginThread: nil
        }
    }
}

extension DocumentState {
    /// `highlight “a place” by carla`, `3 annotations`
    fileprivate func name(of edits: [Edit]) -> String {
        guard edits.count == 1, let edit = edits.first else { return "\(edits.count) annotations" }
        switch edit {
        case .create(let content) where content.state != nil: return name(of: content["rootId"]?.string)
        case .create(let content) where content.contentType == .comments: return "reply"
        case .create(let content): return AnnotationKind(type: content["type"]?.string ?? "").name
        case .beginThread: return "thread"
        case .update(let id, _), .delete(let id, _):
            return name(of: id)
        }
    }

    private func name(of id: Record.ID?) -> String {
        guard let id else { return "annotation" }
        guard let row = (list.window?.rows ?? []).first(where: { $0.id.isExactly(id) }) else {
            return thread.comments.contains { $0.id.isExactly(id) } ? "comment" : "annotation"
        }
        let words = quotes.words(of: row) ?? ""
        let text = CleanText(cleaning: (row.text.isEmpty ? words : row.text).prefix(scalars: 60).description)
        let shown = text.isEmpty ? "" : " “\(text.truncated(to: 24).string)”"
        let author = author(of: row).map { $0 == "me" ? "" : " by \($0)" } ?? ""
        return row.kind.name + shown + author
    }
}
