import PageLayout
import Screen

// The page: moving the cursor, changing the view, turning pages.
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
        case .zoomIn: zoom(by: times)
        case .zoomOut: zoom(by: -times)
        default:
            guard let (motion, steps) = command.motion(screen: layout.page.rows) else { return [] }
            for _ in 0..<times * steps where !movePage(motion, isLong: steps > 1) { break }
            return followPage()
        }
        return []
    }

    /// Performs one motion. Returns false if it must not be repeated, because the page ends or has been turned.
    private mutating func movePage(_ motion: PageMotion, isLong: Bool) -> Bool {
        guard let page = document?.page else { return false }
        guard let typeset = page.typeset, let glyphs = page.glyphs else { return moveMark(motion) }
        if let cursor = typeset.moved(page.cursor, by: motion, in: glyphs) {
            document?.page.cursor = cursor
            document?.page.selection?.head = cursor.glyph
            return true
        }
        // At the end of a page, motions continue on the next page; a scroll by half or whole screens stops at the end
        // first.
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

    /// On a page without text, moves the cursor from mark to mark. While the text is loading the cursor stays: keys
    /// typed ahead are meant for this page, not the next one.
    private mutating func moveMark(_ motion: PageMotion) -> Bool {
        guard let document, document.texts[document.page.index] != .loading, let step = motion.pageStep else {
            return false
        }
        let page = document.page
        let target = page.mark + step
        guard page.rows.indices.contains(target) else { return turnPage(by: step) }
        self.document?.page.mark = target
        return true
    }

    @discardableResult
    mutating func turnPage(by step: Int, _ arrival: PagePane.Arrival = .start) -> Bool {
        guard let document, let count = document.pageCount, count > 0 else { return false }
        let target = max(0, min(document.page.index + step, count - 1))
        guard target != document.page.index else {
            notice = .done(step > 0 ? "This is the last page" : "This is the first page")
            return false
        }
        self.document?.page.turn(to: target, arrival)
        return false
    }

    mutating func changeView() {
        guard let view = document?.page.view else { return }
        document?.page.chosenView = view == .layout ? .reading : .layout
        // The other view has other columns; the cursor stays in sight.
        document?.page.left = 0
    }

    /// Zooms in steps of a quarter of the natural width, from 100 % to 300 %.
    private mutating func zoom(by steps: Int) {
        guard let page = document?.page else { return }
        let zoom = min(max(page.zoom + 25 * steps, 100), 300)
        notice = .done(
            zoom != page.zoom
                ? "\(zoom)% of the natural width"
                : zoom == 100 ? "Already at the natural width" : "Already at the maximum width")
        document?.page.zoom = zoom
        // The layout may no longer fit the pane, but the user chose it.
        document?.page.chosenView = .layout
    }
}

extension Command {
    /// Returns the motion for a command, and how often to repeat it.
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
    /// The page on which the motion continues when its own page ends, as an offset.
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

    /// Scrolls sideways and moves the cursor if it would leave the screen.
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
