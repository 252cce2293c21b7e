import Annotations

/// A table as it is found row by row: the gutters that its rows have left free so far.
struct TableGrowth {
    /// A gutter, and how many rows have a word that runs across it.
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
    /// Rows up to the last one that belongs to the table for sure.
    private(set) var usefulRows = 1

    init(first: PageBand, width: Double) {
        self.width = width
        held = first.free.map { Held(gutter: $0) }
        reach = first.box
        maxGutters = first.cells - 1
    }

    /// Goes on with the next row; false, and nothing changed, when it is none of this table.
    ///
    /// A row may run across a gutter, for one in ten may have a name too long for its column; but not two rows in
    /// succession, and never across most of the gutters.
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

    /// The gutters of the table, when that is how far it reaches.
    func gutters(within box: Rect) -> [Gutter] {
        held.filter { $0.crossings <= max(1, rows / 10) && $0.gutter.isInner(of: box) }.map(\.gutter)
    }

    /// What a row leaves of a gutter. One between two columns survives being crossed; a margin does not.
    private func leave(_ old: Held, of band: PageBand) -> [Held] {
        let free = band.free.map { old.gutter.shared($0) }.filter { $0.width >= width }
        if !free.isEmpty { return free.map { Held(gutter: $0, crossings: old.crossings) } }
        guard old.gutter.isInner(of: reach) else { return [] }
        return [Held(gutter: old.gutter, crossings: old.crossings + 1, isCrossed: true)]
    }
}
