import Annotations

/// Neighbouring bands whose words stand in at least three aligned columns, in at least three rows.
struct TableRun {
    var bands: Range<Int>
    var gutters: [ReadingOrder.Gutter]

    /// The table that begins with the band `start`, or nil when none does.
    init?(bands: [PageBand], from start: Int, words: [PageWord], height: Double) {
        let width = height * 0.6
        func gutters(of band: PageBand, in reach: Rect) -> [ReadingOrder.Gutter] {
            band.gutters(in: words, left: reach.left, right: reach.right, width: width)
        }
        func inner(_ free: some Sequence<ReadingOrder.Gutter>, _ reach: Rect) -> [ReadingOrder.Gutter] {
            free.filter { $0.left > reach.left && $0.right < reach.right }
        }
        let first = bands[start]
        guard first.rows(height: height) == 1, inner(gutters(of: first, in: first.box), first.box).count >= 2
        else { return nil }

        let region = Rect.around(bands[start...].lazy.map(\.box))
        var free = gutters(of: first, in: region).map { Held(gutter: $0) }
        var reach = first.box
        var most = 0
        var full = 0
        var crossed = false
        var end = start
        var last = start
        while end < bands.count, bands[end].rows(height: height) <= 2 {
            let band = bands[end]
            let far = end > start && band.box.top - bands[end - 1].box.bottom > height * 2.5
            let own = gutters(of: band, in: region)
            let kept = free.flatMap { $0.kept(by: own, within: reach, width: width) }
            let wider = reach.union(band.box)
            let gutters = inner(kept.lazy.map(\.held.gutter), wider).count
            let whole = inner(kept.lazy.filter { !$0.isCrossed }.map(\.held.gutter), wider).count
            // One row may run across a gutter, not two in a row, and never across most of them.
            let crosses = whole < gutters
            guard !far, gutters >= 2, whole * 2 >= most, !(crosses && crossed) else { break }
            (free, reach, most, crossed) = (kept.map(\.held), wider, max(most, gutters), crosses)
            end += 1
            let cells = inner(own, band.box).count + 1
            if cells >= 3 { full += 1 }
            if cells >= 2, !crosses { last = end }
        }
        guard full >= 3, last - start >= 3 else { return nil }
        self.bands = start..<last
        let box = Rect.around(bands[start..<last].lazy.map(\.box))
        let allowed = max(1, (last - start) / 10)
        self.gutters = inner(free.filter { $0.crossings <= allowed }.map(\.gutter), box)
        joinComplements(of: bands[start..<last], words)
        guard self.gutters.count >= 2 else { return nil }
        // Three columns of a newspaper, line beside line, are no table.
        for column in 0...self.gutters.count {
            let cells = bands[start..<last].map { band in
                band.words.filter { self.column(of: words[$0].box) == column }
            }
            if Self.isRunningText(cells, words) { return nil }
        }
    }

    /// A gutter of the table so far, and how many rows have a word that runs across it.
    private struct Held {
        var gutter: ReadingOrder.Gutter
        var crossings = 0

        /// What another row leaves of it. A gutter between two columns survives being crossed, for one row in ten may
        /// have a name too long for its column; a margin does not.
        func kept(
            by own: [ReadingOrder.Gutter], within reach: Rect, width: Double
        ) -> [(held: Held, isCrossed: Bool)] {
            let left = own.map { gutter.shared($0) }.filter { $0.width >= width }
            if !left.isEmpty { return left.map { (Held(gutter: $0, crossings: crossings), false) } }
            guard gutter.left > reach.left, gutter.right < reach.right else { return [] }
            return [(Held(gutter: gutter, crossings: crossings + 1), true)]
        }
    }

    /// Drops gutters between columns that no row fills both of: a heading to the left over numbers to the right.
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

    /// Whether the cells of a column are full lines of text, most of them as wide as the column.
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
