import Annotations
import Authorization
import InstantCore
import PDFPages
import PageLayout
import Screen

// Editing the text of a record.
extension AppState {
    mutating func addNote() -> [Effect] {
        guard let document, let place = document.notePlace else {
            return only(.warning("Cannot add a note: the PDF is not loaded yet"))
        }
        let group = document.groupForNew.map { ", group \($0)" } ?? ""
        let title = "New note on page \(place.page + 1)\(group)"
        self.document?.page.dropSelection()
        self.document?.editor = Editor(
            .newNote(page: place.page, corner: place.corner), title: title, text: "",
            draft: document.drafts[.note(page: place.page)])
        warnIfHidden(.annotations)
        return []
    }

    mutating func editCurrent(externally: Bool) -> [Effect] {
        guard let document else { return [] }
        if document.focus == .list, !document.list.marks.isEmpty {
            return loadBatch(for: .edit(isExternal: externally))
        }
        let record: Record
        if document.focus == .thread {
            guard let comment = document.thread.current else { return [] }
            record = comment
        } else {
            guard let row = document.currentRow else { return [] }
            guard let detail = document.detail, detail.id.isExactly(row.id) else { return showFirst(row) }
            record = detail
        }
        let annotation = Annotation(record)
        let editor = Editor(
            .record(record), title: "Text of the \(annotation.kind.name) on page \((annotation.pageIndex ?? 0) + 1)",
            text: annotation.text, draft: document.drafts[.record(record.id)])
        guard externally else {
            self.document?.editor = editor
            return askForPeople()
        }
        self.document?.external = editor
        return askForPeople(of: editor) + [.editExternally(editor.input.text)]
    }

    mutating func moveToExternalEditor() -> [Effect] {
        guard let editor = document?.editor else { return [] }
        document?.external = editor
        return keepDraft() + askForPeople(of: editor) + [.editExternally(editor.input.text)]
    }

    mutating func externallyEdited(_ text: String?) -> [Effect] {
        guard var editor = document?.external else { return [] }
        document?.external = nil
        guard let text, !text.isBlank else {
            notice = .done("Text left empty; nothing changed")
            return [.editorTextKept]
        }
        let isOpen = document?.editor != nil
        let sent = editor.input.text
        if !text.isExactly(sent) {
            // A final line end belongs to the file, not to the text.
            editor.input = TextInput(String(text.dropping(suffix: "\n") ?? text[...]))
        }
        editor.isCleaned = !LeavingText(sent).string.isExactly(sent)
        editor.theirs = document?.editor?.theirs
        document?.editor = editor
        // The draft comes first: the file of the editor goes once the text is stored.
        return keepDraft() + (isOpen ? [] : saveEditor()) + [.editorTextKept]
    }

    mutating func saveEditor() -> [Effect] {
        guard let document, let editor = document.editor else { return [] }
        let text = editor.input.text
        guard !text.isBlank else {
            return only(.warning("Empty text not saved; Esc to leave, d to delete the record"))
        }
        guard !TokenText.isIn(text) else {
            return only(.warning("Not saved: the text contains a token; press T to enter tokens"))
        }
        if let marker = editor.merge?.markerLeft(in: text) {
            return only(.warning("Not saved: the line \(marker) remains; keep what you want, then delete it"))
        }
        if let why = document.denialOfSaving(editor) {
            let effects = keepDraft()
            self.document?.editor = nil
            if effects.isEmpty {
                notice = .warning("Not sent: \(why)")
            } else {
                self.document?.draftToTell = DraftToTell(editor.draftKey, "Kept as a draft, not sent: \(why)", .warning)
            }
            return effects
        }
        if case .record(let base) = editor.target, let theirs = editor.theirs {
            // Plain text if the formatting cannot be preserved.
            let people = document.people.mentions
            let mine =
                (try? theirs.content.replacingText(with: text, mentioning: people))
                ?? theirs.content.changingText(to: text)
            self.document?.conflict = ConflictCard(
                id: base.id, kind: Annotation(base).kind, pageIndex: Annotation(base).pageIndex, base: base.content,
                theirs: theirs.content, mine: mine, theirAuthor: editor.theirAuthor,
                sides: Conflict.Sides(mine: mine, theirs: theirs.content), isUnsaved: true)
            return []
        }
        let edited: Content
        switch editor.target {
        case .reply(let root):
            self.document?.editor = nil
            let said = CommentText.saying(text, mentioning: document.people.mentions)
            return perform([.create(.comment(said, under: root.id, root.content))], from: editor) + goOnAfter(editor)
        case .newThread(let root, let others):
            self.document?.editor = nil
            let said = CommentText.saying(text, mentioning: document.people.mentions)
            return perform([.beginThread(root, said)] + others.map(Edit.create), from: editor)
        case .together(let records):
            let texts = CombinedTexts(records).changes(in: text, isCleaned: editor.isCleaned)
            self.document?.batch = .save(texts)
            return [.loadBatch(RecordBatchRequest(ids: records.map(\.id)))]
        case .newNote(let page, let corner): edited = .note(onPage: page, at: corner, text: text)
        case .record(let record): edited = record.content
        case .merge(_, let content, _): edited = content
        }
        let said: Content
        do { said = try edited.replacingText(with: text, mentioning: document.people.mentions) } catch {
            // The editor stays open, so the text is not lost.
            return only(.warning("Not saved: \(error)"))
        }
        self.document?.editor = nil
        switch editor.target {
        case .newNote: return perform([.create(said)], from: editor)
        case .record(let record):
            guard editor.isChanged else { return forgetDraft(editor.draftKey) }
            return perform([.update(record.id, said)], from: editor, over: [record])
        case .reply, .newThread, .together: return []
        case .merge(let id, _, let sides): return resolve(id, .merged(said), sides, from: editor)
        }
    }
}

extension DocumentState {
    /// The place for a new note: next to the current record, at the cursor, or at the top of the page.
    var notePlace: (page: Int, corner: Point)? {
        if focus == .list, let row = list.current, let page = row.pageIndex, let box = row.box {
            return (page, clamped(Point(x: box.right, y: box.top), page))
        }
        guard (pageCount ?? 1) > 0 else { return nil }
        if focus == .page, let glyphs = self.page.glyphs, !glyphs.isEmpty {
            let glyph = self.page.selected?.lowerBound ?? self.page.cursor.glyph
            if glyphs.glyphs.indices.contains(glyph) {
                let box = glyphs.glyphs[glyph].box
                return (self.page.index, clamped(Point(x: box.left, y: box.top), self.page.index))
            }
        }
        return (self.page.index, Point(x: 36, y: 36))
    }

    /// Moves a point so that the note's icon fits on the page.
    private func clamped(_ point: Point, _ page: Int) -> Point {
        guard let sizes = pdf.info?.pages, sizes.indices.contains(page) else { return point }
        return Point(
            x: max(0, min(point.x, sizes[page].width - Content.noteSide)),
            y: max(0, min(point.y, sizes[page].height - Content.noteSide)))
    }

    fileprivate func denialOfSaving(_ editor: Editor) -> String? {
        switch editor.target {
        case .newNote, .newThread: denialOfCreation
        case .record(let record): denial { _ in .editing(record) }
        case .reply(let root): denial { .createComment(root: Subject(root), first: false, group: $0.defaultGroup) }
        case .merge, .together: nil
        }
    }
}
