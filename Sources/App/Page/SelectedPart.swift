import Annotations
import PageLayout

/// The selected part of a page that the growing selection has left. Each page becomes a separate record.
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

    /// Continues the selection on the next page, from its first glyph.
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

    /// Returns the selection to the page that it came from.
    mutating func returnSelection() {
        guard let part = carried.last else { return }
        let parts = Array(carried.dropLast())
        turn(to: part.page, .glyph(part.selection.head))
        selection = part.selection
        carried = parts
    }
}
