import Annotations
import InstantCore
import Screen

// After every message: what is shown is made to fit, and what is missing for it is asked for.
extension AppState {
    mutating func settle() -> [Effect] {
        settleCard()
        let rows = pickerArea.rows
        picker?.scroll(rows: rows)
        let hidden = settlePicture()
        guard document != nil else { return hidden }
        let layout = layout
        guard layout.form != .tooSmall else { return hidden }
        return hidden + settlePage(layout) + settleList(layout) + settleOutbox() + settlePresence() + settleRequests()
    }

    private mutating func settlePage(_ layout: DocumentLayout) -> [Effect] {
        guard var document else { return [] }
        var effects: [Effect] = []
        if let count = document.pageCount, document.page.index >= count {
            document.page.turn(to: max(0, count - 1), .start)
        }
        document.texts.keep(document.page.index)
        if document.pageCount ?? 0 > 0, document.texts[document.page.index] == nil {
            document.texts.set(document.page.index, .loading)
            effects.append(.loadPage(document.page.index))
        }
        let columns = layout.page.isEmpty ? size.columns : layout.page.columns
        document.page.set(
            document.texts.glyphs(document.page.index), columns: columns, presented: document.ledSelection)
        document.page.arrive()
        document.page.scroll(rows: max(1, layout.page.rows), columns: columns)
        if document.page.isStale {
            document.page.isStale = false
            effects.append(.loadPageRows(document.page.index))
        }
        self.document = document
        return effects
    }

    private mutating func settleList(_ layout: DocumentLayout) -> [Effect] {
        guard var document else { return [] }
        var effects: [Effect] = []
        document.list.scroll(rows: layout.list.rows)
        if let request = document.list.request(rows: max(1, layout.list.rows)) { effects.append(.loadRows(request)) }
        if document.list.cursorID != document.detail?.id { document.detail = nil }
        if let id = document.list.cursorID, document.detailAsked != id {
            document.detailAsked = id
            effects.append(.loadRecord(id))
        }
        if document.thread.root != document.list.cursorID { document.thread.clear() }
        if let row = document.list.current, row.replies > 0 || document.thread.root != nil,
            document.thread.asked != row.id
        {
            document.thread.asked = row.id
            effects.append(.loadThread(row.id))
        }
        if let page = document.pageToQuote(rows: layout.list.rows) ?? document.pageToTurnTo {
            document.texts.set(page, .loading)
            effects.append(.loadPage(page))
        }
        self.document = document
        return effects
    }

    private mutating func settleOutbox() -> [Effect] {
        guard let document, document.outbox.isStale, document.outbox.isOpen || token != nil else { return [] }
        self.document?.outbox.isStale = false
        return [.loadOutbox]
    }
}

extension DocumentState {
    /// The next page whose text is needed for the words that a visible row marks; one at a time.
    fileprivate func pageToQuote(rows: Int) -> Int? {
        guard let count = pageCount, !texts.isLoading else { return nil }
        for index in list.top..<list.top + max(0, rows) {
            guard let row = list.row(index), Quotes.isNeeded(for: row), quotes.words(of: row) == nil,
                let page = row.pageIndex, page < count, texts[page] == nil
            else { continue }
            return page
        }
        return nil
    }

    /// The next page, then the one before, so that turning to it shows it at once.
    fileprivate var pageToTurnTo: Int? {
        guard let count = pageCount, !texts.isLoading else { return nil }
        return [page.index + 1, page.index - 1].first { (0..<count).contains($0) && texts[$0] == nil }
    }
}
