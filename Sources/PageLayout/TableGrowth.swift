import Annotations

/// A table during row-by-row detection: the gutters that its rows leave free so far.
struct TableGrowth {
    /// A gutter, and the number of rows with a word across it.
    private struct Held {
        var gutter: Gutter
        var crossings = 0
        var isCrossed = false
    }

    private let width: Double
    private var held: [Held]
    private var reach: Rect
    private var rows = 1
    private var maxGutters: Int
    private var crossed = false

    /// Rows with at least three cells.
    private(set) var fullRows = 1
    /// Rows up to the last one that certainly belongs to the table.
    private(set) var usefulRows = 1

    init(first: PageBand, width: Double) {
        self.width = width
        held = first.free.map { Held(gutter: $0) }
        reach = first.box
        maxGutters = first.cells - 1
    }

    /// Adds the next row; returns false, and changes nothing, when it is not part of this table.
    ///
    /// A row may cross a gutter, because one row in ten may have an entry too long for its column. Two consecutive rows
    /// may not, and no row may cross most of the gutters.
    mutating func take(_ band: PageBand) -> Bool {
        let left = held.flatMap { leave($0, of: band) }
        let wider = reach.union(band.box)
        let inner = left.filter { $0.gutter.isInner(of: wider) }
        let whole = inner.count { !$0.isCrossed }
        let crosses = whole < inner.count
        guard inner.count >= 2, whole * 2 >= maxGutters, !(crosses && crossed) else { return false }
        (held, reach, crossed) = (left, wider, crosses)
        maxGutters = max(maxGutters, inner.count)
        rows += 1
        if band.cells >= 3 { fullRows += 1 }
        if band.cells >= 2, !crosses { usefulRows = rows }
        return true
    }

    /// Returns the table's gutters within its final box.
    func gutters(within box: Rect) -> [Gutter] {
        held.filter { $0.crossings <= max(1, rows / 10) && $0.gutter.isInner(of: box) }.map(\.gutter)
    }

    /// Returns the part of a gutter that a row leaves free. An inner gutter survives being crossed; a margin does not.
    private func leave(_ old: Held, of band: PageBand) -> [Held] {
        let free = band.free.map { old.gutter.shared($0) }.filter { $0.width >= width }
        if !free.isEmpty { return free.map { Held(gutter: $0, crossings: old.crossings) } }
        guard old.gutter.isInner(of: reach) else { return [] }
        return [Held(gutter: old.gutter, crossings: old.crossings + 1, isCrossed: true)]
    }
}
