internal import Screen

extension Canvas {
    /// The columns of a row from the first to the last that differ from `old`; nil when none does. Widened to whole
    /// characters, and to the whole row where it has wide ones on either side, because drawing over half of one
    /// changes its other half too.
    func changedColumns(inRow row: Int, since old: Canvas?) -> Range<Int>? {
        guard let old, old.size == size else { return size.columns > 0 ? 0..<size.columns : nil }
        let start = row * size.columns
        var (first, end) = (start, start + size.columns)
        while first < end, cells[first] == old.cells[first] { first += 1 }
        guard first < end else { return nil }
        while cells[end - 1] == old.cells[end - 1] { end -= 1 }
        let range = start..<start + size.columns
        let hasWide = [cells[range], old.cells[range]].contains { $0.contains { $0.glyph.isContinuation } }
        return hasWide ? 0..<size.columns : first - start..<end - start
    }
}
