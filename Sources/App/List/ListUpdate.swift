import Annotations
import InstantCore
import PageLayout
import Screen

// The list of annotations: moving, filtering, sorting, going to the page.
extension AppState {
    mutating func moveInList(_ command: Command, _ count: Int?) -> [Effect] {
        guard let list = document?.list, list.total > 0 else { return [] }
        let rows = layout.list.rows
        guard let place = command.row(from: list.cursor, count: count, screen: rows, last: list.total - 1) else {
            return []
        }
        document?.list.move(to: place)
        return markCurrentRead() + followList()
    }

    /// Marks the row at the cursor as read.
    mutating func markCurrentRead() -> [Effect] {
        if document?.list.window?.unread ?? 0 <= 1 { document?.recentAuthors.clear() }
        guard let row = document?.list.current, row.isUnread else { return [] }
        return [.markRead([row.id])]
    }

    /// Marks everything that the list shows as read, with its filter.
    mutating func markAllRead() -> [Effect] {
        guard let list = document?.list, list.window?.unread ?? 0 > 0 else { return only(.done("Nothing new")) }
        document?.recentAuthors.clear()
        notice = .done(
            list.filter.isEmpty ? "Everything marked as read" : "Everything that the filter lists marked as read")
        return [.markAllRead(list.query)]
    }

    mutating func findUnread() -> [Effect] {
        guard let list = document?.list else { return [] }
        let request = document?.list.ask(RowRequest(query: list.query, index: list.cursor))
        document?.list.isSeeking = true
        document?.list.seeksQuietly = false
        return request.map { [.findUnread($0)] } ?? []
    }

    mutating func rowsCame(_ window: RowWindow) -> [Effect] {
        guard let before = document?.list, window.request == before.asked?.number else { return [] }
        document?.pending.dropSaved()
        var window = document?.pending.applied(to: window) ?? window
        // The store does not have a record yet that is still being saved.
        if window.anchor == nil, let sought = before.asked?.around,
            let index = window.rows.firstIndex(where: { $0.id.isExactly(sought) })
        {
            window.anchor = window.offset + index
        }
        guard document?.list.take(window) == true else { return [] }
        readQuotes(window.rows)
        guard before.isSeeking else { return [] }
        guard window.anchor != nil else {
            if !before.seeksQuietly {
                notice = before.asked?.around.map { hiddenNotice($0) } ?? .done("Nothing new")
            }
            return []
        }
        guard document?.focus == .list else { return [] }
        // A jump back has its own place on the page.
        return markCurrentRead() + (before.asked?.around == nil ? followList() : [])
    }

    /// Why the list does not show a record.
    private func hiddenNotice(_ id: Record.ID) -> Notice {
        let filter = document?.list.filter ?? ""
        let row = document?.page.rows.first { $0.id.isExactly(id) }
        let asksForOpen = FilterSyntax.terms(of: filter).contains("is:open")
        let all = Notice.Hint(command: .showHidden, effect: "to list what is hidden")
        if row?.isResolved == true, !asksForOpen { return .done("Not listed, because it is resolved", hint: all) }
        return filter.isEmpty ? .done("Not listed", hint: all) : .warning("Hidden by the filter")
    }

    mutating func sort() {
        guard var query = document?.list.query else { return }
        query.order =
            switch query.order {
            case .page: .newest
            case .newest: .author
            case .author: .group
            case .group: .page
            }
        document?.list.change(query)
    }

    /// Marks the current row and moves down, or completes the range.
    mutating func mark() -> [Effect] {
        guard let list = document?.list, list.current != nil else { return [] }
        if list.marks.anchor != nil { return loadBatch(for: .mark) }
        document?.list.toggleMark()
        document?.list.move(to: list.cursor + 1)
        return markCurrentRead()
    }

    /// Begins a range at the cursor; the second time, marks the rows between.
    mutating func markRange() -> [Effect] {
        guard let list = document?.list, let id = list.current?.id else { return [] }
        if list.marks.anchor != nil { return loadBatch(for: .mark) }
        document?.list.marks.anchor = ListMarks.Anchor(id: id, index: list.cursor)
        return []
    }

    mutating func setFilter(_ text: String) {
        guard var query = document?.list.query else { return }
        query.filter = FilterSyntax.parse(text, user: document?.reference.userID)
        document?.list.filter = text
        document?.list.change(query)
    }

    /// Says what the filter asks for in vain.
    mutating func warnOfFilter() {
        if let problem = document.flatMap({ FilterSyntax.problem(with: $0.list.filter) }) { notice = .warning(problem) }
    }

    /// Moves the list cursor to a record.
    /// - Parameter quietly: whether to say nothing if the list does not show it, because another notice says more.
    mutating func seek(_ id: Record.ID, quietly: Bool = false) -> [Effect] {
        guard let list = document?.list else { return [] }
        let request = document?.list.ask(RowRequest(query: list.query, around: id, index: list.cursor))
        document?.list.isSeeking = true
        document?.list.seeksQuietly = quietly
        document?.list.isStale = false
        return request.map { [.loadRows($0)] } ?? []
    }

    mutating func saveFile() -> [Effect] {
        guard let row = document?.list.current else { return [] }
        guard row.kind == .file else { return only(.warning("Only attached files can be saved")) }
        return [.saveFile(row.id)] + markCurrentRead()
    }

    // MARK: From list to page and back

    mutating func goToCurrent() -> [Effect] {
        guard let row = document?.list.current else { return [] }
        guard let page = row.pageIndex else { return only(.warning("This annotation has no page")) }
        goTo(page: page, .place(rects: row.kind.isMarkup ? row.rects : [], box: row.box))
        document?.focus = .page
        return markCurrentRead()
    }

    /// Jumps to a page and records the jump, so that the user can go back.
    mutating func goTo(page: Int, _ arrival: PagePane.Arrival) {
        guard let document else { return }
        self.document?.jumps.leave(document.place)
        self.document?.page.turn(to: max(0, min(page, (document.pageCount ?? page + 1) - 1)), arrival)
    }

    mutating func showMarks() -> [Effect] {
        guard let document else { return [] }
        if let block = document.page.placeholder {
            self.document?.page.opened.insert(block)
            return []
        }
        guard let row = document.page.currentRow else { return only(.warning("No mark at the cursor")) }
        self.document?.jumps.leave(document.place)
        self.document?.focus = .list
        let filter = document.list.query.filter
        // What the list hides by default, not because of what was typed, is shown after all.
        let isHidden = row.kind.isFurniture && filter.hidesFurniture || row.isResolved && document.list.filter.isEmpty
        if isHidden { toggleHidden() }
        return seek(document.list.query.filter.headsOnly ? row.head ?? row.id : row.id)
    }

    mutating func jump(
        _ take: (inout DocumentState, JumpList.Place) -> JumpList.Place?
    ) -> [Effect] {
        guard var document, let place = take(&document, document.place) else {
            return only(.warning("No other place to go to"))
        }
        document.page.turn(to: place.page, .glyph(place.glyph))
        document.focus = place.focus
        self.document = document
        return place.row.map { seek($0) } ?? []
    }
}

extension DocumentState {
    var place: JumpList.Place {
        JumpList.Place(focus: focus, page: page.index, glyph: page.cursor.glyph, row: list.cursorID)
    }
}
