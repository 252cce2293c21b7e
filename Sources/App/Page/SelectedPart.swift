import Annotations
import PageLayout

/// What is selected of a page that a growing selection has passed: each page becomes a record of its own.
struct SelectedPart: Equatable, Sendable {
    /// Counted from 0.
    var page: Int
    var selection: PageSelection
    var rects: [Rect]
    var words: Int
    var text: String
}

extension PagePane {
    mutating func dropSelection() { (selection, carried) = (nil, []) }

    /// Takes the selection on to the next page, whose first glyph it begins with there.
    mutating func carrySelection(to next: Int) {
        guard var selection, let typeset, let glyphs, let last = glyphs.moved(0, by: .last) else { return }
        selection.head = last
        let range = selection.range(in: typeset, of: glyphs)
        let part = SelectedPart(
            page: index, selection: selection, rects: glyphs.rects(of: range), words: glyphs.wordCount(in: range),
            text: glyphs.text(of: range))
        let parts = carried + [part]
        turn(to: next, .start)
        self.selection = PageSelection(at: 0, unit: selection.unit)
        carried = parts
    }

    /// Takes the selection back to the page before, if it came from there.
    mutating func returnSelection() {
        guard let part = carried.last else { return }
        let parts = Array(carried.dropLast())
        turn(to: part.page, .glyph(part.selection.head))
        selection = part.selection
        carried = parts
    }
}
