import Annotations
import Authorization
import InstantCore
import PDFPages

// Writing the text of a record.
extension AppState {
    mutating func addNote() -> [Effect] {
        guard let document, let place = document.notePlace else {
            notice = .warning("there is no page to put a note on yet")
            return []
        }
        let title = "New note on page \(place.page + 1)"
        self.document?.page.dropSelection()
        self.document?.editor = Editor(
            .newNote(page: place.page, corner: place.corner), title: title, text: "",
            draft: document.drafts[.note(page: place.page)])
        return []
    }

    mutating func editCurrent(externally: Bool) -> [Effect] {
        guard let document, let row = document.currentRow else { return [] }
        guard let record = document.detail, record.id == row.id else {
            // The page's mark is not the list's row: it becomes the row, and a second press edits it.
            notice = .done("showing it in the list: press the key again")
            self.document?.focus = .list
            return seek(row.id)
        }
        let editor = Editor(
            .record(record), title: "Text of the \(row.kind.name) on page \((row.pageIndex ?? 0) + 1)",
            text: Annotation(record).text, draft: document.drafts[.record(record.id)])
        guard externally else {
            self.document?.editor = editor
            return []
        }
        self.document?.external = editor
        return [.editExternally(editor.input.text)]
    }

    mutating func moveToExternalEditor() -> [Effect] {
        guard let editor = document?.editor else { return [] }
        document?.external = editor
        return keepDraft() + [.editExternally(editor.input.text)]
    }

    mutating func externallyEdited(_ text: String?) -> [Effect] {
        guard var editor = document?.external else { return [] }
        document?.external = nil
        guard let text, !text.allSatisfy(\.isWhitespace) else {
            notice = .done("left without a text: nothing was changed")
            return []
        }
        let isOpen = document?.editor != nil
        // One line end at the end belongs to the file, not to the text.
        editor.input = TextInput(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        editor.theirs = document?.editor?.theirs
        document?.editor = editor
        return isOpen ? [] : saveEditor()
    }

    mutating func saveEditor() -> [Effect] {
        guard let document, let editor = document.editor else { return [] }
        let text = editor.input.text
        guard !text.allSatisfy(\.isWhitespace) else {
            notice = .warning("an empty text is not saved: Esc leaves, d deletes the record")
            return []
        }
        guard !TokenText.isIn(text) else {
            notice = .warning("there is a token in this text: it is not saved; T takes tokens")
            return []
        }
        if let why = document.denialOfSaving(editor) {
            let effects = keepDraft()
            self.document?.editor = nil
            notice = .warning("kept as a draft, not sent: \(why)")
            return effects
        }
        if case .record(let base) = editor.target, let theirs = editor.theirs {
            self.document?.conflict = ConflictCard(
                id: base.id, kind: Annotation(base).kind, pageIndex: Annotation(base).pageIndex, base: base.content,
                theirs: theirs.content, mine: theirs.content.worded(text), theirAuthor: editor.theirAuthor,
                isUnsaved: true)
            return []
        }
        let edited: Content
        switch editor.target {
        case .newNote(let page, let corner): edited = .note(page: page, at: corner, text: text)
        case .record(let record): edited = record.content
        case .merge(_, let content): edited = content
        }
        let said: Content
        do { said = try edited.saying(text) } catch {
            // The editor stays open: the words are not lost.
            notice = .warning("not saved: \(error)")
            return []
        }
        self.document?.editor = nil
        switch editor.target {
        case .newNote: return perform([.create(said)], from: editor)
        case .record(let record):
            guard editor.isChanged else { return forgetDraft(editor.draftKey) }
            return perform([.update(record.id, said)], from: editor)
        case .merge(let id, _): return forgetDraft(editor.draftKey) + [.resolve(id, .merged(said))]
        }
    }

    // MARK: Drafts

    /// Keeps what is being written, if it is worth it.
    mutating func keepDraft() -> [Effect] {
        guard let editor = document?.editor, editor.isChanged, !editor.input.isEmpty,
            !TokenText.isIn(editor.input.text)
        else { return [] }
        document?.drafts[editor.draftKey] = editor.input.text
        document?.editor?.saved = editor.input.text
        document?.editor?.savedAt = now
        return [.saveDraft(editor.draftKey, editor.input.text)]
    }

    mutating func forgetDraft(_ key: DraftKey) -> [Effect] {
        document?.drafts.removeValue(forKey: key) == nil ? [] : [.saveDraft(key, nil)]
    }
}

extension DocumentState {
    /// Where a new note goes: beside the current record, at the cursor, or at the top of the page.
    fileprivate var notePlace: (page: Int, corner: Point)? {
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

    /// So that the icon lies on the page.
    private func clamped(_ point: Point, _ page: Int) -> Point {
        guard let sizes = pdf.info?.pages, sizes.indices.contains(page) else { return point }
        return Point(
            x: max(0, min(point.x, sizes[page].width - Content.noteSide)),
            y: max(0, min(point.y, sizes[page].height - Content.noteSide)))
    }

    fileprivate func denialOfSaving(_ editor: Editor) -> String? {
        switch editor.target {
        case .newNote: denialOfCreation
        case .record(let record): denial { _ in .edit(Subject(record)) }
        case .merge: nil
        }
    }
}

extension Content {
    /// With these words, as they would be saved; plain where formatting is in the way.
    fileprivate func worded(_ text: String) -> Content { (try? saying(text)) ?? changingText(to: text) }
}
