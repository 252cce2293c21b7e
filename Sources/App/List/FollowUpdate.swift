import Annotations
import InstantCore
import PageLayout

// Page and list move together.
extension AppState {
    /// Brings the mark of the list's current row into view on the page, which keeps the focus where it is.
    mutating func followList() -> [Effect] {
        guard followsCursor, let document, !document.presence.isFollowing, let row = document.list.current,
            document.page.selection == nil, let first = row.pageIndex, first < document.pageCount ?? 0
        else { return [] }
        // An annotation on several pages is shown on this one if it stands here.
        let here = first == document.page.index ? nil : document.page.rows.first { $0.id.isExactly(row.id) }
        let page = here == nil ? first : document.page.index
        // While a page is being read, further pages wait: the user may be passing them.
        guard page == document.page.index || document.texts[page] != nil || !document.texts.isLoading else {
            self.document?.isFollowingLate = true
            return []
        }
        self.document?.isFollowingLate = false
        let shown = here ?? row
        self.document?.page.turn(to: page, .place(rects: shown.kind.isMarkup ? shown.rects : [], box: shown.box))
        return []
    }

    /// Catches up with the list once no page is being read.
    mutating func reconcileFollowing() {
        guard document?.isFollowingLate == true, document?.texts.isLoading == false else { return }
        _ = followList()
    }

    /// Selects the row of the mark at or before the page's cursor.
    mutating func followPage() -> [Effect] {
        guard followsCursor, let document, document.page.selection == nil, let id = document.page.nearestRow?.id,
            !document.list.cursorID.isExactly(id)
        else { return [] }
        guard let window = document.list.window,
            let place = window.rows.firstIndex(where: { $0.id.isExactly(id) })
        else { return [] }
        self.document?.list.move(to: window.offset + place)
        return []
    }
}

extension PagePane {
    /// The row of the mark at the cursor, else of the last one before it.
    fileprivate var nearestRow: ListRow? {
        if let current = currentRow { return current }
        guard let marks, glyphs != nil, marks.marks.count == rows.count else { return nil }
        var best: (mark: Int, glyph: Int)?
        for (mark, anchor) in marks.anchors.enumerated() {
            guard let anchor, anchor <= cursor.glyph, anchor >= best?.glyph ?? 0 else { continue }
            best = (mark, anchor)
        }
        return best.map { rows[$0.mark] }
    }
}
