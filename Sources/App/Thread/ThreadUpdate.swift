import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen

// Threads: the comments under an annotation, replying, starting a thread on the page.
extension AppState {
    /// Cycles through the list, its thread if it has comments, and the page.
    mutating func changePane(forward: Bool) {
        guard let document else { return }
        var panes: [DocumentState.Pane] = [.list, .page]
        if !document.thread.comments.isEmpty { panes.insert(.thread, at: 1) }
        let place = panes.firstIndex(of: document.focus) ?? 0
        self.document?.focus = panes[(place + (forward ? 1 : panes.count - 1)) % panes.count]
    }

    mutating func threadCame(_ comments: [Record], under root: Record.ID) {
        guard document?.list.cursorID.isExactly(root) == true else { return }
        let comments = document?.pending.applied(to: comments, under: root) ?? comments
        document?.thread.take(comments, under: root)
        if comments.isEmpty, document?.focus == .thread { document?.focus = .list }
    }

    mutating func moveInThread(_ command: Command, _ count: Int?) -> [Effect] {
        guard let thread = document?.thread else { return [] }
        let rows = layout.detail.rows
        if let place = command.row(
            from: thread.cursor, count: count, screen: rows, last: max(0, thread.comments.count - 1))
        {
            document?.thread.move(to: place)
        }
        return []
    }

    mutating func reply() -> [Effect] {
        guard let document, let row = document.currentRow else { return [] }
        guard let record = document.detail, record.id.isExactly(row.id) else { return showFirst(row) }
        self.document?.editor = Editor(
            .reply(record),
            title: "Reply to the \(row.kind.name)\((row.author ?? row.createdBy).map { " by \($0)" } ?? "")",
            text: "", draft: document.drafts[.reply(row.id)])
        self.document?.showsDetail = true
        warnIfHidden(.comments)
        return askForPeople()
    }

    /// Completes the current annotation, or takes back its state if it is resolved.
    mutating func resolveOrReopen() -> [Effect] {
        setState(document?.currentRoot?.isResolved == true ? .unset : .completed)
    }

    // MARK: A review

    /// Opens the reader on the first open remark, at or after the cursor.
    mutating func beginReview() -> [Effect] {
        guard let list = document?.list else { return [] }
        guard let index = document?.openRemark(from: list.cursor) ?? document?.openRemark(from: 0) else {
            return only(.done("No open remarks"))
        }
        document?.focus = .list
        document?.reader = NoteReader()
        document?.isReviewing = true
        document?.list.move(to: index)
        return markCurrentRead() + followList()
    }

    /// Sets a state of the annotation in the review, and goes on.
    mutating func decide(_ state: AnnotationState) -> [Effect] { setState(state) + skipRemark() }

    /// Goes on in a review once its remark is answered, not while the author's name is still asked for.
    mutating func goOnAfter(_ editor: Editor?) -> [Effect] {
        guard case .reply(let root)? = editor?.target, prompt == nil, let document, document.isReviewing,
            document.reader != nil, document.list.cursorID.isExactly(root.id)
        else { return [] }
        return skipRemark()
    }

    /// Goes on to the next open remark, or ends the review.
    mutating func skipRemark() -> [Effect] {
        guard let list = document?.list else { return [] }
        guard let index = document?.openRemark(from: list.cursor + 1) else {
            document?.reader = nil
            document?.isReviewing = false
            return only(.done("This was the last open remark"))
        }
        document?.reader = NoteReader()
        document?.list.move(to: index)
        return markCurrentRead() + followList()
    }

    /// Sets a state of the current annotation.
    mutating func setState(_ state: AnnotationState) -> [Effect] {
        guard let document, let row = document.currentRoot else { return only(.warning("No annotation at the cursor")) }
        if let why = document.denialOfState { return only(.warning(why.asSentence)) }
        var root = JSONObject()
        root["v"] = 1
        root["pageIndex"] = .number(JSONNumber(Int64(row.pageIndex ?? 0)))
        let effects = perform([.create(.state(state, under: row.id, Content(root)))])
        warnIfHidden(.comments)
        return effects
    }

    /// Sets the state that was typed.
    mutating func setState(named name: String) -> [Effect] {
        guard let state = AnnotationState(rawValue: name.lowercased()) else {
            return only(
                .warning("Usage: state NAME (\(AnnotationState.allCases.map(\.rawValue).joined(separator: ", ")))"))
        }
        return setState(state)
    }

    /// Begins a thread at the selected words, or at a marker at the cursor.
    mutating func beginThread() -> [Effect] {
        guard let document else { return [] }
        let marked = markups(.highlight)
        let root = (marked.first ?? document.markerAtCursor).asCommentThreadRoot
        self.document?.page.dropSelection()
        let page = document.page.index
        self.document?.editor = Editor(
            .newThread(root, besides: Array(marked.dropFirst())),
            title: marked.isEmpty ? "New comment on page \(page + 1)" : "Comment on the selected words", text: "",
            draft: document.drafts[.comment(page: page)])
        warnIfHidden(.comments)
        return askForPeople()
    }

    /// Makes a mark of the page the current row of the list; a second press of the key acts on it.
    mutating func showFirst(_ row: ListRow) -> [Effect] {
        notice = .done("Shown in the list; press the key again")
        document?.focus = .list
        return seek(row.id)
    }
}

extension DocumentState {
    /// Why the user cannot reply to the current annotation.
    var denialOfReply: String? {
        guard let row = currentRow else { return focus == .page ? "no mark at the cursor" : "the list is empty" }
        if row.isDeletedRoot { return Self.onlyCommentsLeft }
        guard row.kind.beginsThreads else {
            return NoThread.isKind(row.kind).description
        }
        return denial { .createComment(root: row.subject, first: row.replies == 0, group: $0.defaultGroup) }
    }

    /// The annotation that the thread under the cursor belongs to.
    var currentRoot: ListRow? { focus == .thread ? list.current : currentRow }

    /// Returns the row of the first remark from this row on that is neither resolved nor the user's own without a reply,
    /// as far as rows are loaded.
    fileprivate func openRemark(from index: Int) -> Int? {
        (max(0, index)..<max(index, list.total)).first { place in
            guard let row = list.row(place), !row.isResolved, row.kind.beginsThreads else { return false }
            let isOwn = row.createdBy != nil && row.createdBy.isExactly(status.grant?.userID)
            return row.remarks > 0 || !row.text.isEmpty && !isOwn
        }
    }

    /// Why the user cannot set a state of the current annotation.
    var denialOfState: String? {
        guard let row = currentRoot else { return focus == .page ? "no mark at the cursor" : "the list is empty" }
        return denialOfState(of: row)
    }

    func denialOfState(of row: ListRow) -> String? {
        if row.isDeletedRoot { return Self.onlyCommentsLeft }
        guard row.kind.beginsThreads else { return NoThread.isKind(row.kind).description }
        return denial { .setState(root: row.subject, group: $0.defaultGroup) }
    }

    fileprivate var markerAtCursor: Content {
        var place = Point(x: 52, y: 52)
        if let glyphs = page.glyphs?.glyphs, glyphs.indices.contains(page.cursor.glyph) {
            let box = glyphs[page.cursor.glyph].box
            place = Point(x: box.left + box.width / 2, y: box.top + box.height / 2)
        }
        return .commentMarker(onPage: page.index, at: place)
    }
}

/// The comments under the current annotation, and the cursor among them.
struct ThreadPane: Equatable, Sendable {
    /// The root of the comments.
    private(set) var root: Record.ID?
    private(set) var comments: [Record] = []
    private(set) var cursor = 0
    /// The root whose comments were requested; nil if they must be reloaded.
    var asked: Record.ID?

    var current: Record? { comments.indices.contains(cursor) ? comments[cursor] : nil }

    /// Sets the comments; the cursor stays on its comment.
    mutating func take(_ new: [Record], under root: Record.ID) {
        let isSame = self.root.isExactly(root)
        let id = isSame ? current?.id : nil
        cursor = new.firstIndex { id.isExactly($0.id) } ?? min(isSame ? cursor : 0, max(0, new.count - 1))
        (self.root, comments) = (root, new)
    }

    mutating func move(to index: Int) { cursor = max(0, min(index, comments.count - 1)) }

    mutating func clear() { self = ThreadPane() }
}
