import Annotations

/// Adjacent bands with words in at least three aligned columns and at least three rows.
struct TableRun {
    var bands: Range<Int>
    var gutters: [Gutter]

    /// Finds the table that begins with the band `start`; nil when there is none.
    init?(bands: [PageBand], from start: Int, words: [PageWord], height: Double) {
        guard bands[start].rows(height: height) == 1, bands[start].cells >= 3 else { return nil }
        var growth = TableGrowth(first: bands[start], width: height * 0.6)
        var end = start + 1
        while end < bands.count, bands[end].rows(height: height) <= 2,
            bands[end].box.top - bands[end - 1].box.bottom <= height * 2.5, growth.take(bands[end])
        {
            end += 1
        }
        guard growth.fullRows >= 3 else { return nil }
        let rows = bands[start..<start + growth.usefulRows]
        self.bands = rows.indices
        gutters = growth.gutters(within: .around(rows.lazy.map(\.box)))
        joinComplements(of: rows, words)
        guard gutters.count >= 2 else { return nil }
        // Three newspaper columns with level lines are not a table.
        for column in 0...gutters.count {
            let cells = rows.map { band in band.words.filter { self.column(of: words[$0].box) == column } }
            if Self.isRunningText(cells, words) { return nil }
        }
    }

    /// Drops gutters where no row has words in both adjacent columns, for example between a heading on the left and
    /// the numbers below it on the right.
    private mutating func joinComplements(of rows: ArraySlice<PageBand>, _ words: [PageWord]) {
        var index = 0
        while index < gutters.count {
            let both = rows.contains { band in
                let filled = Set(band.words.map { column(of: words[$0].box) })
                return filled.contains(index) && filled.contains(index + 1)
            }
            if both { index += 1 } else { gutters.remove(at: index) }
        }
    }

    private func column(of box: Rect) -> Int { gutters.partitionPoint { $0.right <= box.middle.x } }

    /// Whether a column's cells are full lines of text, most of them as wide as the column.
    private static func isRunningText(_ cells: [[Int]], _ words: [PageWord]) -> Bool {
        let filled = cells.filter { !$0.isEmpty }
        guard filled.count >= 3 else { return false }
        let widths = filled.map { cell in Rect.around(cell.lazy.map { words[$0].box }).width }
        let characters = filled.map { cell in Double(cell.reduce(0) { $0 + words[$1].cells + 1 }) }
        let widest = widths.max() ?? 0
        let wide = widths.count { $0 >= widest * 0.9 }
        return median(characters, otherwise: 0) >= 22 && wide * 10 >= widths.count * 6
    }
}
