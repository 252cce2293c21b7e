import Annotations

// Keeping the cursor of the page on a glyph and on the screen.
extension PagePane {
    /// Puts the cursor where it was to arrive, if its page is there.
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

    /// Has the cursor on the screen, in height and in width.
    mutating func scroll(rows: Int, columns: Int) {
        let rows = max(1, rows)
        guard let glyphs, let typeset, !glyphs.isEmpty else {
            // Two rows are taken by the sentence that says why there is no text.
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
