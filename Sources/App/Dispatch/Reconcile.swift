import Annotations
import InstantCore
import Screen

// Runs after every message: updates what is shown and requests missing data.
extension AppState {
    mutating func reconcile() -> [Effect] {
        reconcileCard()
        reconcileFocus()
        let rows = pickerRows
        picker?.scroll(rows: rows)
        let hidden = reconcilePicture()
        guard hasDocument else { return hidden }
        let layout = layout
        guard layout.form != .tooSmall else { return hidden }
        reconcileFollowing()
        let columns = layout.page.isEmpty ? size.columns : layout.page.columns
        let hasBrackets = showsBrackets
        let shown = document?.reconcile(layout, columns: columns, hasBrackets: hasBrackets) ?? []
        return hidden + shown + reconcileAutomaticPicture() + reconcileOutbox() + reconcilePresence()
            + reconcileRequests()
    }

    private mutating func reconcileOutbox() -> [Effect] {
        if let document, document.outbox.isOpen { self.document?.outbox.take(drafts: document.goneDrafts) }
        guard document?.outbox.isStale == true, document?.outbox.isOpen == true || token != nil else { return [] }
        document?.outbox.isStale = false
        return [.loadOutbox]
    }
}

// Mutates in place: copying a document on every key press would take as long as all other work.
extension DocumentState {
    /// - Parameters:
    ///   - columns: Columns of the page.
    ///   - hasBrackets: Whether marked words stand in brackets.
    fileprivate mutating func reconcile(_ layout: DocumentLayout, columns: Int, hasBrackets: Bool) -> [Effect] {
        let page = reconcilePage(rows: layout.page.rows, columns: columns, hasBrackets)
        // The list is read first: the marks of a page are not seen before its words, which take longer.
        return reconcileList(rows: layout.list.rows) + page
    }

    private mutating func reconcilePage(rows: Int, columns: Int, _ hasBrackets: Bool) -> [Effect] {
        var effects: [Effect] = []
        if let count = pageCount, page.index >= count { page.turn(to: max(0, count - 1), .start) }
        texts.keep(page.index)
        if pageCount ?? 0 > 0, texts[page.index] == nil {
            texts.set(page.index, .loading)
            effects.append(.loadPage(page.index))
        }
        page.set(
            texts.glyphs(page.index), columns: columns, presented: ledSelection, hasBrackets: hasBrackets)
        page.arrive()
        page.scroll(rows: max(1, rows), columns: columns)
        if page.isStale {
            page.isStale = false
            effects.append(.loadPageRows(page.index))
        }
        return effects
    }

    private mutating func reconcileList(rows: Int) -> [Effect] {
        var effects: [Effect] = []
        list.isFilling = !isLocal && status.lastSync == nil
        list.scroll(rows: rows)
        // Nothing is left to read.
        if list.window != nil, list.total == 0 { reader = nil }
        if let request = list.request(rows: max(1, rows)) { effects.append(.loadRows(request)) }
        if !list.cursorID.isExactly(detail?.id) { detail = nil }
        // A response for another row may already have been dropped, so request it again when the cursor returns.
        if !list.cursorID.isExactly(detailAsked) { detailAsked = nil }
        if let id = list.cursorID, !detailAsked.isExactly(id) {
            detailAsked = id
            effects.append(.loadRecord(id))
        }
        if !thread.root.isExactly(list.cursorID) {
            thread.clear()
            // The annotation is gone, with the comment that the cursor was on.
            if focus == .thread { focus = .list }
        }
        if let row = list.current, row.replies > 0 || thread.root != nil, !thread.asked.isExactly(row.id) {
            thread.asked = row.id
            effects.append(.loadThread(row.id))
        }
        // Requested again whenever a filter by words is switched on, because marks may have been added since.
        let seeksWords = list.query.filter.inQuotes && pageCount != nil
        if seeksWords, !quotesAsked { effects.append(.quoteDocument) }
        quotesAsked = seeksWords
        if let index = pageToLookAt ?? pageToQuote(rows: rows) ?? pageToTurnTo {
            texts.set(index, .loading)
            effects.append(.loadPage(index))
        } else if pageCount != nil, list.total > 0, !list.isFilling, !texts.isLoading, !areQuotesPrepared {
            // Once everything that is shown is there, so that the first filter by words does not wait for the words.
            areQuotesPrepared = true
            effects.append(.prepareQuotes)
        }
        return effects
    }

    /// The page of the look, which comes first.
    private var pageToLookAt: Int? {
        guard let page = look?.page, page < pageCount ?? 0, texts[page] == nil else { return nil }
        return page
    }

    /// The next page to read for the marked words of the visible rows, one page at a time.
    private func pageToQuote(rows: Int) -> Int? {
        guard let count = pageCount, !texts.isLoading else { return nil }
        for index in list.top..<list.top + max(0, rows) {
            guard let row = list.row(index), Quotes.isNeeded(for: row), quotes.words(of: row) == nil,
                let page = row.pageIndex, page < count, texts[page] == nil
            else { continue }
            return page
        }
        return nil
    }

    /// The next page, then the previous one, prefetched so that turning to it is instant.
    private var pageToTurnTo: Int? {
        guard let count = pageCount, !texts.isLoading else { return nil }
        return [page.index + 1, page.index - 1].first { (0..<count).contains($0) && texts[$0] == nil }
    }
}
