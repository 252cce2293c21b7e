import PageLayout

// Selecting words: growing, swapping the ends, crossing pages.
extension AppState {
    mutating func selectRows() {
        guard let page = document?.page else { return }
        if page.selection == nil {
            document?.page.selection = PageSelection(at: page.cursor.glyph, unit: .rows)
        } else {
            document?.page.selection?.unit = page.selection?.unit == .rows ? .characters : .rows
        }
    }

    /// Continues the selection on the next page, whose text is loaded ahead, or returns it to the page it came from.
    mutating func carrySelection(by step: Int) {
        guard let document else { return }
        let next = document.page.index + 1
        if step < 0 {
            self.document?.page.returnSelection()
        } else if document.texts.glyphs(next)?.isEmpty == false {
            self.document?.page.carrySelection(to: next)
        } else if next < document.pageCount ?? 0 {
            notice = .warning("The next page has no text to select")
        }
    }

    mutating func swapEnds() {
        guard let page = document?.page, let selection = page.selection else { return }
        if let first = page.carried.first {
            notice = .warning("The other end is on page \(first.page + 1)")
            return
        }
        document?.page.selection?.swapEnds()
        document?.page.cursor = PageCursor(glyph: selection.anchor)
    }

    mutating func growSelection() {
        guard let page = document?.page, let glyphs = page.glyphs else { return }
        document?.page.selection?.grow(in: glyphs)
        // A selection that began on an earlier page starts at the first glyph of this page.
        if !page.carried.isEmpty { document?.page.selection?.anchor = 0 }
        if let head = document?.page.selection?.head { document?.page.cursor = PageCursor(glyph: head) }
    }
}

// Copying text to the terminal's clipboard.
extension AppState {
    mutating func copySelection() -> [Effect] {
        guard let page = document?.page, let range = page.selected, let glyphs = page.glyphs else { return [] }
        let text = (page.carried.map(\.text) + [glyphs.text(of: range)]).joined(separator: "\n")
        document?.page.dropSelection()
        return [.copy(text, isAddress: false)]
    }
}
