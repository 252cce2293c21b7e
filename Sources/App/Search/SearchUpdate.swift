import PageLayout

// Searching the page and all others, which are read in the background; also the filter prompt of the list.
extension AppState {
    mutating func beginSearch() {
        guard let document else { return }
        if document.focus != .page {
            prompt = Prompt(.filter(before: document.list.filter), label: "Filter: ", text: document.list.filter)
        } else if document.pageCount ?? 0 > 0 {
            prompt = Prompt(.search, label: "/")
        } else {
            notice = .warning("This page has no text")
        }
    }

    mutating func search(_ text: String) -> [Effect] {
        guard let page = document?.page, !text.isEmpty else { return [] }
        let hits = page.glyphs?.occurrences(of: text) ?? []
        document?.page.search = PagePane.Search(text: text, hits: hits)
        let effects = readOtherPages(seeking: text)
        let glyph = page.cursor.glyph
        if hits.contains(where: { $0.lowerBound == glyph }) {
            goToHit(hits.firstIndex { $0.lowerBound == glyph } ?? 0)
        } else {
            seekHit(by: 1)
        }
        return effects
    }

    mutating func searchAgain(by step: Int) -> [Effect] {
        if document?.focus == .list { return moveInList(step > 0 ? .down : .up, abs(step)) }
        guard let search = document?.page.search else { return only(.warning("No search yet; press / to search")) }
        let effects = readOtherPages(seeking: search.text)
        seekHit(by: step)
        return effects
    }

    /// Starts reading, or starts over with the pages that seem to have other words.
    private mutating func readOtherPages(seeking text: String) -> [Effect] {
        guard let document else { return [] }
        let isNew = self.document?.index.seek(text) == true
        let isRunning = document.index.isRunning(of: document.pageCount ?? 0)
        guard !document.index.isAsked || isNew && isRunning else { return [] }
        self.document?.index.isAsked = true
        return [.indexDocument(seeking: text)]
    }

    /// Stops waiting for other pages first; the next time, ends the search. Both stop indexing.
    mutating func leaveSearch() -> [Effect] {
        guard let document else { return [] }
        let count = document.pageCount ?? 0
        let isWaiting = document.page.search?.pending != nil
        if isWaiting {
            self.document?.page.search?.pending = nil
            notice = .done("Stopped at \(document.index.percent(of: count))% of the document; n to continue")
        } else {
            self.document?.page.search = nil
        }
        guard document.index.isRunning(of: count) else { return [] }
        self.document?.index.isAsked = false
        return [.stopIndexing]
    }

    /// Moves this many hits from the cursor, across the ends of pages and of the document.
    private mutating func seekHit(by step: Int) {
        guard let document, let hits = document.page.search?.hits, step != 0 else { return }
        let glyph = document.page.cursor.glyph
        let before = hits.count { $0.lowerBound < glyph }
        let isHere = hits.contains { $0.lowerBound == glyph }
        let target = step > 0 ? before + (isHere ? 1 : 0) + step - 1 : before + step
        if hits.indices.contains(target) { return goToHit(target) }
        let rest = step > 0 ? target - hits.count + 1 : target
        leavePage(by: rest)
    }

    /// Moves this many hits past the last or before the first one of this page.
    private mutating func leavePage(by rest: Int) {
        guard let document, let count = document.pageCount, let search = document.page.search else { return }
        let direction = rest > 0 ? 1 : -1
        var left = abs(rest)
        var page = document.page.index
        // Counts larger than the number of hits wrap around the document only once.
        let total = document.index.total
        if document.index.percent(of: count) == 100, total > 0 { left = (left - 1) % total + 1 }
        while true {
            switch document.index.page(from: page, by: direction, of: count) {
            case .notYet:
                self.document?.page.search?.pending = rest
                notice = .done("Searching the other pages: \(document.index.percent(of: count))%")
                return
            case .nowhere:
                self.document?.page.search?.pending = nil
                notice = .warning(document.index.problem ?? "Not found in this document: \(search.text)")
                return
            case .page(let next):
                let hits = document.index.hits(on: next) ?? 0
                guard left > hits else {
                    let hit = direction > 0 ? left - 1 : hits - left
                    self.document?.page.search?.pending = nil
                    if next == document.page.index { return goToHit(hit) }
                    goTo(page: next, .hit(hit))
                    show(hit: hit, on: next)
                    return
                }
                left -= hits
                page = next
            }
        }
    }

    private mutating func goToHit(_ index: Int) {
        guard let document, let hits = document.page.search?.hits, hits.indices.contains(index) else { return }
        self.document?.page.search?.pending = nil
        // A selection that a search extends takes the whole match.
        let isForward = document.page.selection.map { $0.anchor < hits[index].lowerBound } ?? false
        let end = isForward ? max(hits[index].lowerBound, hits[index].upperBound - 1) : hits[index].lowerBound
        self.document?.page.cursor = PageCursor(glyph: end)
        self.document?.page.selection?.head = end
        show(hit: index, on: document.page.index)
    }

    private mutating func show(hit: Int, on page: Int) {
        let place = place(ofHit: hit, on: page)
        document?.page.search?.shown = PagePane.Search.Shown(hit: hit, place: place)
        notice = .done(place)
    }

    /// `Match 3 of 41`, or what is known so far.
    private func place(ofHit index: Int, on page: Int) -> String {
        guard let document, let count = document.pageCount else { return "" }
        let percent = document.index.percent(of: count)
        if percent == 100 { return "Match \(document.index.hits(before: page) + index + 1) of \(document.index.total)" }
        let onPage = document.index.hits(on: page) ?? document.page.search?.hits.count ?? 0
        return "Match \(index + 1) of \(onPage) on this page, \(percent)% of the document searched"
    }

    mutating func indexed(_ texts: [Int: String]) {
        for (page, text) in texts { document?.index.add(page, text) }
        findReference()
        updatePlace()
        guard let rest = document?.page.search?.pending else { return }
        leavePage(by: rest)
    }

    /// Completes `Match 1 of 2 on this page` once all pages are read, if it is still shown.
    private mutating func updatePlace() {
        guard let document, let count = document.pageCount, document.index.percent(of: count) == 100,
            let (hit, place) = document.page.search?.shown.map({ ($0.hit, $0.place) }), notice == .done(place)
        else { return }
        show(hit: hit, on: document.page.index)
    }

    mutating func likely(_ pages: Set<Int>, _ text: String) {
        document?.index.setLikely(pages, for: text)
        guard let rest = document?.page.search?.pending else { return }
        leavePage(by: rest)
    }

    mutating func indexFailed(_ why: String) {
        document?.index.problem = "Not all pages were searched: \(why)"
        findReference()
        guard let rest = document?.page.search?.pending else { return }
        leavePage(by: rest)
    }
}
