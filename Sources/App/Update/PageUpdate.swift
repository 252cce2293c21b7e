import Annotations
import Screen

// The page: its cursor, its selection, its views, turning to the next one.
extension AppState {
    mutating func moveOnPage(_ command: Command, _ count: Int?) -> [Effect] {
        guard let document else { return [] }
        if let count, command == .first || command == .last {
            goTo(page: count - 1, .start)
            return []
        }
        let columns = layout.page.columns
        let times = max(1, min(count ?? 1, 10_000))
        switch command {
        case .selectCharacters:
            self.document?.page.selection = PageSelection(at: document.page.cursor.glyph)
        case .selectRows: selectRows()
        case .growSelection: growSelection()
        case .swapEnds: swapEnds()
        case .scrollRight: self.document?.page.scrollSideways(by: max(1, columns / 2) * times, columns: columns)
        case .scrollLeft: self.document?.page.scrollSideways(by: -max(1, columns / 2) * times, columns: columns)
        default:
            guard let (motion, steps) = command.motion(screen: layout.page.rows) else { return [] }
            for _ in 0..<times * steps where !movePage(motion, isLong: steps > 1) { break }
        }
        return []
    }

    /// One motion; false when it leads nowhere.
    private mutating func movePage(_ motion: PageMotion, isLong: Bool) -> Bool {
        guard let page = document?.page else { return false }
        guard let typeset = page.typeset, let glyphs = page.glyphs else { return moveMark(motion) }
        if let cursor = typeset.moved(page.cursor, by: motion, in: glyphs) {
            document?.page.cursor = cursor
            document?.page.selection?.head = cursor.glyph
            return true
        }
        // At the end of a page its text goes on on the next one; a screenful stops there first.
        guard let step = motion.pageStep else { return false }
        guard page.selection == nil else {
            carrySelection(by: step)
            return false
        }
        if isLong, let edge = glyphs.moved(page.cursor.glyph, by: step > 0 ? .last : .first), edge != page.cursor.glyph
        {
            document?.page.cursor = PageCursor(glyph: edge)
            return false
        }
        return turnPage(by: step, step > 0 ? .start : .end)
    }

    /// On a page without text the cursor goes from mark to mark.
    private mutating func moveMark(_ motion: PageMotion) -> Bool {
        guard let page = document?.page, let step = motion.pageStep else { return false }
        let target = page.mark + step
        guard page.rows.indices.contains(target) else { return turnPage(by: step) }
        document?.page.mark = target
        return true
    }

    @discardableResult
    mutating func turnPage(by step: Int, _ arrival: PagePane.Arrival = .start) -> Bool {
        guard let document, let count = document.pageCount, count > 0 else { return false }
        let target = max(0, min(document.page.index + step, count - 1))
        guard target != document.page.index else {
            notice = .done(step > 0 ? "this is the last page" : "this is the first page")
            return false
        }
        self.document?.page.turn(to: target, arrival)
        return false
    }

    mutating func changeView() {
        guard let view = document?.page.view else { return }
        document?.page.chosenView = view == .layout ? .reading : .layout
    }

    private mutating func selectRows() {
        guard let page = document?.page else { return }
        if page.selection == nil {
            document?.page.selection = PageSelection(at: page.cursor.glyph, unit: .rows)
        } else {
            document?.page.selection?.unit = page.selection?.unit == .rows ? .characters : .rows
        }
    }

    /// A selection goes on on the next page, whose text is there by then, and back on the one it came from.
    private mutating func carrySelection(by step: Int) {
        guard let document else { return }
        let next = document.page.index + 1
        if step < 0 {
            self.document?.page.returnSelection()
        } else if document.texts.glyphs(next)?.isEmpty == false {
            self.document?.page.carrySelection(to: next)
        } else if next < document.pageCount ?? 0 {
            notice = .warning("the next page shows no text that could be selected")
        }
    }

    private mutating func swapEnds() {
        guard let page = document?.page, let selection = page.selection else { return }
        if let first = page.carried.first {
            notice = .warning("the other end is on page \(first.page + 1)")
            return
        }
        document?.page.selection?.swapEnds()
        document?.page.cursor = PageCursor(glyph: selection.anchor)
    }

    private mutating func growSelection() {
        guard let page = document?.page, let glyphs = page.glyphs else { return }
        document?.page.selection?.grow(in: glyphs)
        // What began on a page before goes on from the first glyph of this one.
        if !page.carried.isEmpty { document?.page.selection?.anchor = 0 }
        if let head = document?.page.selection?.head { document?.page.cursor = PageCursor(glyph: head) }
    }

    // MARK: Search

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

extension Command {
    /// The motion that a command stands for, and how often it is made.
    fileprivate func motion(screen: Int) -> (PageMotion, Int)? {
        switch self {
        case .left: (.left, 1)
        case .right: (.right, 1)
        case .up: (.up, 1)
        case .down: (.down, 1)
        case .wordForward: (.wordForward, 1)
        case .wordBack: (.wordBack, 1)
        case .wordEnd: (.wordEnd, 1)
        case .rowStart: (.rowStart, 1)
        case .rowText: (.rowText, 1)
        case .rowEnd: (.rowEnd, 1)
        case .sentenceForward: (.sentenceForward, 1)
        case .sentenceBack: (.sentenceBack, 1)
        case .blockForward: (.blockForward, 1)
        case .blockBack: (.blockBack, 1)
        case .first: (.first, 1)
        case .last: (.last, 1)
        case .halfDown: (.down, max(2, screen / 2))
        case .halfUp: (.up, max(2, screen / 2))
        case .screenDown: (.down, max(2, screen - 1))
        case .screenUp: (.up, max(2, screen - 1))
        default: nil
        }
    }
}

extension PageMotion {
    /// To which page it goes on when its own has no more.
    fileprivate var pageStep: Int? {
        switch self {
        case .right, .down, .wordForward, .wordEnd, .sentenceForward, .blockForward: 1
        case .left, .up, .wordBack, .sentenceBack, .blockBack: -1
        case .rowStart, .rowText, .rowEnd, .first, .last: nil
        }
    }
}

extension PagePane {
    /// The folded block under the cursor.
    var placeholder: Int? {
        guard let typeset, let spot = typeset.spot(of: cursor.glyph), typeset.rows.indices.contains(spot.row),
            case .placeholder(let block) = typeset.rows[spot.row].role
        else { return nil }
        return block
    }

    /// Scrolls, and takes the cursor along where it would leave the screen.
    mutating func scrollSideways(by step: Int, columns: Int) {
        guard let typeset, let spot = typeset.spot(of: cursor.glyph) else { return }
        let width = max(1, columns - PagePane.gutter)
        left = max(0, min(left + step, typeset.width - width))
        let column = min(max(spot.column, left + 1), left + max(1, width - 2))
        if column != spot.column, let glyph = typeset.glyph(inRow: spot.row, nearest: column) {
            cursor = PageCursor(glyph: glyph)
        }
    }
}
