// Finding text on the page, and the filter's prompt for the list.
extension AppState {
    mutating func beginSearch() {
        guard let document else { return }
        if document.focus == .list {
            prompt = Prompt(.filter(before: document.list.filter), label: "Filter: ", text: document.list.filter)
        } else if document.page.glyphs?.isEmpty == false {
            prompt = Prompt(.search, label: "/")
        } else {
            notice = .warning("this page shows no text")
        }
    }

    mutating func search(_ text: String) -> [Effect] {
        guard let page = document?.page, let glyphs = page.glyphs, !text.isEmpty else { return [] }
        let hits = glyphs.occurrences(of: text)
        guard !hits.isEmpty else {
            notice = .warning("not on this page: \(text)")
            return []
        }
        document?.page.search = PagePane.Search(text: text, hits: hits)
        return goToHit(page.cursor.glyph, by: 1, orHere: true)
    }

    mutating func searchAgain(by step: Int) -> [Effect] {
        if document?.focus == .list { return moveInList(step > 0 ? .down : .up, abs(step)) }
        guard let page = document?.page, let search = page.search else {
            notice = .warning("search first: /")
            return []
        }
        guard !search.hits.isEmpty else {
            notice = .warning("not on this page: \(search.text)")
            return []
        }
        return goToHit(page.cursor.glyph, by: step, orHere: false)
    }

    /// The hit so many steps from a glyph, around the end of the page and on from its beginning.
    private mutating func goToHit(_ glyph: Int, by step: Int, orHere: Bool) -> [Effect] {
        guard let hits = document?.page.search?.hits, !hits.isEmpty else { return [] }
        let before = hits.count { $0.lowerBound < glyph }
        let isHere = hits.contains { $0.lowerBound == glyph }
        let from = step > 0 ? (isHere && !orHere ? before : before - 1) : before
        let target = (((from + step) % hits.count) + hits.count) % hits.count
        document?.page.cursor = PageCursor(glyph: hits[target].lowerBound)
        document?.page.selection?.head = hits[target].lowerBound
        notice = .done("hit \(target + 1) of \(hits.count) on this page")
        return []
    }
}
