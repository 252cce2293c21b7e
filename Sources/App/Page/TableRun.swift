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
        func inner(_ free: [ReadingOrder.Gutter], _ reach: Rect) -> [ReadingOrder.Gutter] {
            free.filter { $0.left > reach.left && $0.right < reach.right }
        }
        let first = bands[start]
        guard first.rows(height: height) == 1, inner(gutters(of: first, in: first.box), first.box).count >= 2
        else { return nil }

        let region = Rect.around(bands[start...].lazy.map(\.box))
        var free = gutters(of: first, in: region)
        var reach = first.box
        var most = 0
        var full = 0
        var end = start
        var last = start
        while end < bands.count, bands[end].rows(height: height) <= 2 {
            let band = bands[end]
            let far = end > start && band.box.top - bands[end - 1].box.bottom > height * 2.5
            let own = gutters(of: band, in: region)
            let shared = end == start ? own : sharedGutters(free, own, width: width)
            let wider = reach.union(band.box)
            let kept = inner(shared, wider)
            guard !far, kept.count >= 2, Double(kept.count) >= Double(most) * 0.6 else { break }
            (free, reach, most) = (shared, wider, max(most, kept.count))
            end += 1
            let cells = inner(own, band.box).count + 1
            if cells >= 3 { full += 1 }
            if cells >= 2 { last = end }
        }
        guard full >= 3, last - start >= 3 else { return nil }
        self.bands = start..<last
        let inside = bands[start..<last].flatMap(\.words)
        let box = Rect.around(inside.lazy.map { words[$0].box })
        self.gutters = inner(free, box)
        guard self.gutters.count >= 2 else { return nil }
        // Three columns of a newspaper, line beside line, are no table.
        for column in 0...self.gutters.count {
            let cells = bands[start..<last].map { band in
                band.words.filter { self.column(of: words[$0].box) == column }
            }
            if Self.isRunningText(cells, words) { return nil }
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
        return median(characters, otherwise: 0) >= 22 && median(widths, otherwise: 0) >= widest * 0.85
    }
}
