package import Annotations
import Authorization
package import InstantCore
import Screen

/// An action on several records, performed and undone as one step.
enum Batch: Equatable, Sendable {
    case mark
    /// Marks the rows that are not marked, and only these.
    case invertMarks
    case delete
    /// `#rrggbb`
    case recolor(String)
    case edit(isExternal: Bool)
    /// Texts that were edited together, by record.
    case save([ByteOrdered: String])
    /// Follows the only record, which is a link.
    case follow
    /// Looks where it leads.
    case look
}

// Acting on the marked records, or on the one at the cursor.
extension AppState {
    /// Requests the full records; ``batchLoaded(_:)`` performs the action.
    mutating func loadBatch(for batch: Batch) -> [Effect] {
        guard let document else { return [] }
        let list = document.list
        var wanted = RecordBatchRequest(ids: [], query: list.query)
        if document.focus == .list, !list.marks.isEmpty {
            wanted.ids = list.marks.ids.sorted().map(\.text)
            wanted.span = list.marks.span(to: list.cursor)
        } else if let id = document.currentID {
            wanted.ids = [id]
        }
        guard wanted.ids.count + (wanted.span?.count ?? 0) <= ListMarks.maxCount else {
            return only(.warning("At most \(ListMarks.maxCount) at once; mark fewer"))
        }
        self.document?.batch = batch
        return [.loadBatch(wanted)]
    }

    /// Loads everything listed, to mark it or to invert the marks.
    mutating func loadAll(for batch: Batch) -> [Effect] {
        guard let list = document?.list, list.total > 0 else { return [] }
        guard list.total <= ListMarks.maxCount else {
            return only(.warning("At most \(ListMarks.maxCount) can be marked; filter the list first"))
        }
        var wanted = RecordBatchRequest(ids: [], query: list.query)
        wanted.span = 0..<list.total
        document?.batch = batch
        return [.loadBatch(wanted)]
    }

    mutating func batchLoaded(_ found: [BatchRecord]) -> [Effect] {
        guard let batch = document?.batch else { return [] }
        document?.batch = nil
        let found = found.map { item in
            BatchRecord(
                document?.pending.applied(to: item.record, item.record.id) ?? item.record, comments: item.comments,
                root: item.root)
        }
        switch batch {
        case .mark:
            document?.list.marks.ids.formUnion(found.map { ByteOrdered($0.record.id) })
            document?.list.marks.anchor = nil
        case .invertMarks:
            let all = Set(found.map { ByteOrdered($0.record.id) })
            let marked = document?.list.marks.ids ?? []
            document?.list.marks.ids = all.subtracting(marked)
            document?.list.marks.anchor = nil
        case .delete: return askToDelete(found)
        case .recolor(let color): return recolor(found, color)
        case .edit(let isExternal): return edit(found.map(\.record), isExternal: isExternal)
        case .follow: return follow(found.first?.record.content)
        case .look: return isAwaiting ? look(found.first?.record.content) : []
        case .save(let texts): return save(texts, over: found.map(\.record))
        }
        return []
    }

    /// Returns the records on which the operation is allowed, and a sentence about the others.
    private mutating func allowed(
        _ found: [BatchRecord], _ operation: (Subject) -> Operation
    ) -> (records: [BatchRecord], omitted: String?) {
        guard let document else { return ([], nil) }
        var why: String?
        let allowed = found.filter { item in
            let denial = document.denial { _ in operation(Subject(item.record)) }
            why = why ?? denial
            return denial == nil
        }
        let omitted = why.map { "\(found.count - allowed.count) unchanged: \($0)" }
        if allowed.isEmpty { notice = .warning(why?.asSentence ?? "Nothing is marked") }
        return (allowed, omitted)
    }

    /// Submits the edits and clears the marks.
    private mutating func perform(
        _ edits: [Edit], omitted: String?, from editor: Editor? = nil, over seen: [Record] = []
    ) -> [Effect] {
        document?.list.marks = ListMarks()
        guard !edits.isEmpty else { return [] }
        let effects = perform(edits, from: editor, over: seen)
        if let omitted, let step = document?.history.done.last { document?.omitted[step.id] = omitted }
        return effects
    }

    // MARK: Deleting

    /// Deletes the user's own records at once if no others are deleted with them, because undo restores them. Any other
    /// deletion names the records and needs confirmation.
    private mutating func askToDelete(_ found: [BatchRecord]) -> [Effect] {
        let (records, omitted) = allowed(found) { .delete($0) }
        guard !records.isEmpty, let document else { return [] }
        let edits = records.map { item in
            Edit.delete(item.record.id, with: (item.comments + (item.root.map { [$0] } ?? [])).map(\.id))
        }
        let question = DeletionQuestion(records, user: document.status.grant?.userID)
        if question.isNeeded, !isAwaiting { return only(.warning("Nothing deleted: press the key again")) }
        guard question.isNeeded else { return perform(edits, omitted: omitted) }
        if let omitted { notice = .warning(omitted) }
        prompt = Prompt(.confirm(.delete(edits)), label: question.text)
        return []
    }

    // MARK: Colours

    private mutating func recolor(_ found: [BatchRecord], _ color: String) -> [Effect] {
        let colored = found.filter { $0.record.content.color != nil || Annotation($0.record).kind.hasColor }
        guard !colored.isEmpty else { return only(.warning("Nothing to recolour")) }
        let (records, omitted) = allowed(colored) { .edit($0) }
        let edits = records.map { Edit.update($0.record.id, $0.record.content.changingColor(to: color)) }
        return perform(edits, omitted: omitted, over: records.map(\.record))
    }

    // MARK: Texts

    private mutating func edit(_ records: [Record], isExternal: Bool) -> [Effect] {
        let (allowed, _) = allowed(records.map { BatchRecord($0) }) { .edit($0) }
        guard !allowed.isEmpty, isAwaiting, let drafts = document?.drafts else { return [] }
        let together = CombinedTexts(allowed.map(\.record))
        let target = Editor.Target.together(together.records)
        let title = allowed.count == 1 ? "Text of 1 annotation" : "Texts of \(allowed.count) annotations"
        var editor = Editor(target, title: title, text: together.text)
        if let draft = drafts[editor.draftKey] { editor.input = TextInput(draft) }
        guard isExternal else {
            document?.editor = editor
            return []
        }
        document?.external = editor
        return [.editExternally(editor.input.text)]
    }

    /// Saves texts that were edited together. A record that another user changed meanwhile is not overwritten; its text
    /// becomes a draft.
    private mutating func save(_ texts: [ByteOrdered: String], over records: [Record]) -> [Effect] {
        guard let editor = document?.editor, case .together(let before) = editor.target else { return [] }
        var edits: [Edit] = []
        var effects: [Effect] = []
        var kept = 0
        for old in before {
            guard let text = texts[ByteOrdered(old.id)] else { continue }
            if let now = records.first(where: { $0.id.isExactly(old.id) }), now.content == old.content,
                let said = try? now.content.replacingText(with: text)
            {
                edits.append(.update(old.id, said))
            } else {
                kept += 1
                effects += keep(text, as: .record(old.id))
            }
        }
        document?.editor = nil
        document?.list.marks = ListMarks()
        let omitted = kept == 0 ? nil : "\(kept) changed by others meanwhile; your texts are kept as drafts (e to open)"
        guard !edits.isEmpty else {
            notice = omitted.map { .warning($0) } ?? .done("Nothing changed")
            return effects + forgetDraft(editor.draftKey)
        }
        return effects + perform(edits, omitted: omitted, from: editor, over: before)
    }
}

extension DocumentState {
    /// The record that commands act on.
    var currentID: Record.ID? { focus == .thread ? thread.current?.id : currentRow?.id }
}

/// The records to load in full for one action.
package struct RecordBatchRequest: Hashable, Sendable {
    package var ids: [Record.ID]
    package var query = ListQuery()
    /// Additional records: these rows of the query.
    package var span: Range<Int>?
}

/// A record loaded for an action, and what its deletion would also delete, as far as this machine can tell.
package struct BatchRecord: Hashable, Sendable {
    package var record: Record
    /// The comments under it.
    package var comments: [Record]
    /// The annotation whose last comment it is, if the annotation was created for the thread.
    package var root: Record?

    package init(_ record: Record, comments: [Record] = [], root: Record? = nil) {
        self.record = record
        self.comments = comments
        self.root = root
    }
}
