import Annotations
import InstantCore
import PageLayout
import Screen

/// An address in the text of a page.
struct PageLink: Equatable, Sendable {
    /// Its glyphs.
    var range: Range<Int>
    var target: LinkTarget
}

/// The page pane: typeset text, cursor, selection and marks.
struct PagePane: Equatable, Sendable {
    /// Where the cursor goes when the text of the page arrives.
    enum Arrival: Equatable, Sendable {
        case start, end
        case place(rects: [Rect], box: Rect?)
        case glyph(Int)
        /// A search hit, counted from 0.
        case hit(Int)
    }

    /// The search text and its hits on the page.
    struct Search: Equatable, Sendable {
        var text: String
        var hits: [Range<Int>]
        /// Move this many hits past those of this page, forward or backward, once the pages there are indexed.
        var pending: Int?
        /// The hit last shown, and what the notice says of its place.
        var shown: Shown?

        struct Shown: Equatable, Sendable {
            var hit: Int
            var place: String
        }
    }

    /// Counted from 0.
    var index = 0
    /// The view that the user chose; nil selects layout if it fits, else reading.
    var chosenView: TypesetPage.View?
    /// Zoom of the layout view, in hundredths of its natural width.
    var zoom = 100
    var cursor = PageCursor(glyph: 0)
    var arrival: Arrival? = .start
    /// First row and column shown.
    var top = 0
    var left = 0
    var selection: PageSelection?
    /// The parts of the selection on earlier pages.
    var carried: [SelectedPart] = []
    var search: Search?
    /// Link hints on the screen; empty while none are shown.
    var hints: [LinkHint] = []
    /// The letters typed of a hint.
    var hintTyped = ""
    /// Wide tables that are shown in full.
    var opened: Set<Int> = []
    /// The cursor on a page without text: an index in `rows`.
    var mark = 0

    /// The annotations of the page, from top to bottom.
    var rows: [ListRow] = []
    /// Whether they must be reloaded.
    var isStale = true

    // Computed from the above by `set`.
    private(set) var glyphs: PageGlyphs?
    private(set) var typeset: TypesetPage?
    /// The text of each typeset row.
    private(set) var lines: [CleanText] = []
    private(set) var marks: PageMarks?
    private(set) var rowMarks: [Int: RowMarks] = [:]
    /// The gutters of rows with marks, stored because a page can have a thousand marks and is drawn at every key press.
    private(set) var gutters: [Int: CleanText] = [:]
    /// The web and mail addresses in the text.
    private(set) var links: [PageLink] = []
    /// The presenter's selection on this page.
    private(set) var presentedMarks: [Int: RowMarks] = [:]
    private(set) var layoutWidth: Int?
    private var setting: Setting?

    private struct Setting: Equatable {
        var index: Int
        var width: Int
        var view: TypesetPage.View?
        var zoom: Int
        var opened: Set<Int>
        var rows: [ListRow]
        var presented: [Rect]
        var hasBrackets: Bool
    }

    /// Typesets the page for a pane if any input has changed.
    ///
    /// - Parameters:
    ///   - columns: Columns of the pane, including the gutter.
    ///   - presented: Boxes of the presenter's selection on the page.
    ///   - hasBrackets: Whether marked words stand in brackets.
    mutating func set(_ text: PageGlyphs?, columns: Int, presented: [Rect], hasBrackets: Bool) {
        guard let text, !text.isEmpty else {
            (glyphs, typeset, marks, rowMarks, layoutWidth, setting) = (text, nil, nil, [:], nil, nil)
            (lines, gutters, presentedMarks, links) = ([], [:], [:], [])
            return
        }
        let wanted = Setting(
            index: index, width: columns, view: chosenView, zoom: zoom, opened: opened, rows: rows,
            presented: presented, hasBrackets: hasBrackets)
        guard wanted != setting || glyphs == nil else { return }
        let isOtherPage = setting?.index != index || glyphs == nil
        let isOtherForm =
            isOtherPage || setting?.width != columns || setting?.view != chosenView || setting?.zoom != zoom
            || setting?.opened != opened || setting?.hasBrackets != hasBrackets
        setting = wanted
        glyphs = text
        let shown = rows.map {
            PageMark(id: $0.id, letter: $0.kind.letter, rects: $0.kind.isMarkup ? $0.rects : [], box: $0.box ?? .zero)
        }
        let marks = PageMarks(shown, on: text)
        self.marks = marks
        let shownByOthers = PageMarks(presented.isEmpty ? [] : [.presented(presented)], on: text)
        // Brackets are part of the text, so every change of the marks moves it.
        if isOtherForm || hasBrackets { typeset(text, columns, hasBrackets ? (marks, shownByOthers) : nil) }
        if isOtherPage {
            links = text.addresses.compactMap { link in
                guard LinkAddress.isAllowed(link.address), let target = LinkTarget(link.address) else { return nil }
                return PageLink(range: link.range, target: target)
            }
        }
        if isOtherPage, let sought = search?.text { search?.hits = text.occurrences(of: sought) }
        rowMarks = typeset.map { marks.rows(in: $0, of: text) } ?? [:]
        gutters = rowMarks.mapValues { gutter($0, shown) }
        presentedMarks = typeset.map { shownByOthers.rows(in: $0, of: text) } ?? [:]
    }

    /// - Parameter bracketed: The marks to show by brackets.
    private mutating func typeset(
        _ text: PageGlyphs, _ columns: Int, _ bracketed: (marks: PageMarks, presented: PageMarks)?
    ) {
        let layout = TypesetPage.layout(text, zoom: zoom)
        layoutWidth = layout.width
        let view = chosenView ?? (layout.width <= columns - PagePane.gutter ? .layout : .reading)
        let brackets =
            bracketed.map { MarkBrackets($0.marks, presented: $0.presented, in: view, of: text) } ?? .none
        let page: TypesetPage =
            switch view {
            case .layout: brackets == .none ? layout : .layout(text, zoom: zoom, brackets: brackets)
            case .reading: .reading(text, width: min(columns - 6, 76), opened: opened, brackets: brackets)
            }
        typeset = page
        lines = page.rows.indices.map { page.text(of: $0, in: text) }
    }

    /// Returns the kinds, then `*` for unread, then `^` or `!` in the fourth column or later.
    private func gutter(_ marks: RowMarks, _ all: [PageMark]) -> CleanText {
        var text = " " + marks.letters(all)
        if marks.marks.contains(where: { rows[$0].isUnread }) { text += "*" }
        if let sign = marks.marks.compactMap({ rows[$0].delivery.sign }).min() {
            text += String(repeating: " ", count: max(0, 3 - text.count)) + String(sign)
        }
        return CleanText(cleaning: text)
    }

    /// Columns before the text of a page: a space, two kinds, two states.
    static let gutter = 5

    var view: TypesetPage.View { typeset?.view ?? chosenView ?? .reading }

    /// Turns to a page.
    mutating func turn(to index: Int, _ arrival: Arrival) {
        self.arrival = arrival
        dropSelection()
        hints = []
        guard index != self.index || glyphs == nil else { return }
        if index != self.index { (rows, isStale, opened, glyphs, typeset, setting) = ([], true, [], nil, nil, nil) }
        self.index = index
        search?.hits = []
        (mark, top, left) = (0, 0, 0)
    }

    /// Typesets the text again when it arrives; the cursor stays.
    mutating func forgetText() { setting = nil }

    /// The annotation at the cursor.
    var currentRow: ListRow? {
        guard let marks, glyphs != nil, marks.marks.count == rows.count else {
            return rows.indices.contains(mark) ? rows[mark] : nil
        }
        if let mark = marks.marks(at: cursor.glyph).first { return rows[mark] }
        // A note marks no words: it is found anywhere on its line.
        guard let row = typeset?.spot(of: cursor.glyph)?.row else { return nil }
        return rowMarks[row]?.marks.first { marks.ranges[$0].isEmpty }.map { rows[$0] }
    }

    /// The selected glyphs; nil without a selection.
    var selected: Range<Int>? {
        guard let selection, let typeset, let glyphs else { return nil }
        return selection.range(in: typeset, of: glyphs)
    }

    // MARK: The cursor, on a glyph and on the screen

    /// Moves the cursor to its pending arrival position once the text is loaded.
    mutating func arrive() {
        guard let glyphs, !glyphs.isEmpty, let arrival else { return }
        self.arrival = nil
        switch arrival {
        case .start: cursor = PageCursor(glyph: 0)
        case .end: cursor = PageCursor(glyph: glyphs.moved(0, by: .last) ?? 0)
        case .hit(let hit):
            let hits = search?.hits ?? []
            cursor = PageCursor(glyph: hits.indices.contains(hit) ? hits[hit].lowerBound : 0)
        case .glyph(let glyph): cursor = PageCursor(glyph: glyph)
        case .place(let rects, let box):
            let near = (rects.first ?? box).map { Point(x: $0.left, y: $0.top + min($0.height, glyphs.lineHeight) / 2) }
            let glyph = glyphs.ranges(in: rects).first?.lowerBound ?? near.flatMap(glyphs.glyph(nearest:)) ?? 0
            cursor = PageCursor(glyph: glyph)
        }
    }

    /// Scrolls so that the cursor is visible, vertically and horizontally.
    mutating func scroll(rows: Int, columns: Int) {
        let rows = max(1, rows)
        guard let glyphs, let typeset, !glyphs.isEmpty else {
            // The message that explains why the page has no text takes two rows.
            top = Scrolling.top(top, cursor: mark, rows: rows - 2, count: self.rows.count)
            return
        }
        cursor.glyph = max(0, min(cursor.glyph, glyphs.count - 1))
        guard let spot = typeset.spot(of: cursor.glyph) else { return }
        top = Scrolling.top(top, cursor: spot.row, rows: rows, count: typeset.rows.count)
        let width = columns - PagePane.gutter
        left = min(max(left, spot.column - width + 2), max(0, spot.column - 1))
        if typeset.width <= width { left = 0 }
    }
}
