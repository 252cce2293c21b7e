internal import Screen

extension Canvas {
    /// The columns of a row from the first to the last that differ from `old`; nil when none does. Widened to whole
    /// characters, and to the whole row where it has wide ones on either side, because drawing over half of one
    /// changes its other half too.
    func changedColumns(inRow row: Int, since old: Canvas?) -> Range<Int>? {
        guard let old, old.size == size else { return size.columns > 0 ? 0..<size.columns : nil }
        let range = row * size.columns..<(row + 1) * size.columns
        let new = cells[range]
        let previous = old.cells[range]
        guard let first = range.first(where: { new[$0] != previous[$0] }),
            let last = range.last(where: { new[$0] != previous[$0] })
        else { return nil }
        let hasWide = new.contains { $0.glyph.isContinuation } || previous.contains { $0.glyph.isContinuation }
        if hasWide { return 0..<size.columns }
        return first - range.lowerBound..<last - range.lowerBound + 1
    }
}
