import Annotations

/// Determines the reading order of a page's parts from the positions of its words alone.
///
/// The page is cut into bands (words at the same height). Adjacent bands that leave the same gutter free form columns,
/// which are read one after the other and cut again; bands with several aligned gutters form a table; the rest is read
/// from top to bottom. The source's lines, blocks and flows are not used: they often cross a gutter, or put an abstract
/// after the following chapter.
struct ReadingOrder {
    /// A part of the page that is read without interruption.
    struct Area: Equatable {
        var words: [Int]
        /// 0 for text across the page, otherwise the column, counted from 1.
        var column: Int
        /// A table's gutters, from left to right; empty for running text.
        var tableGutters: [Gutter] = []
    }

    let words: [PageWord]
    /// Usual height of a word of body text.
    let height: Double
    private(set) var areas: [Area] = []

    /// Limit on nested columns; pages have two or three levels.
    private static let maxDepth = 6
    /// The maximum number of bands; a region with more is not analysed further.
    private static let maxBands = 600

    static func areas(of region: [Int], words: [PageWord], height: Double) -> [Area] {
        var order = ReadingOrder(words: words, height: height)
        order.read(region, column: 0, depth: 0)
        return order.areas
    }

    private mutating func read(_ region: [Int], column: Int, depth: Int) {
        let bands = PageBand.bands(of: region, in: words, gutter: height * 0.6)
        guard bands.count <= Self.maxBands else {
            areas.append(Area(words: region, column: column))
            return
        }
        var plain: [Int] = []
        var index = 0
        while index < bands.count {
            if let table = TableRun(bands: bands, from: index, words: words, height: height) {
                finish(&plain, column: column)
                let inside = bands[table.bands].flatMap(\.words)
                areas.append(Area(words: inside, column: column, tableGutters: table.gutters))
                index = table.bands.upperBound
            } else if depth < Self.maxDepth, plain.isEmpty || !isLastLine(index, of: bands),
                let columns = ColumnRun(bands: bands, from: index, words: words, height: height)
            {
                finish(&plain, column: column)
                for (number, part) in columns.parts.enumerated() {
                    read(part, column: column == 0 ? number + 1 : column, depth: depth + 1)
                }
                index = columns.bands.upperBound
            } else {
                plain += bands[index].words
                index += 1
            }
        }
        finish(&plain, column: column)
    }

    /// Whether a band is the short last line of the text above it, not the start of columns: close to the band above,
    /// away from the one below.
    private func isLastLine(_ index: Int, of bands: [PageBand]) -> Bool {
        guard index > 0, index + 1 < bands.count, bands[index].box.right < bands[index - 1].box.right else {
            return false
        }
        let above = bands[index].box.middle.y - bands[index - 1].box.middle.y
        let below = bands[index + 1].box.middle.y - bands[index].box.middle.y
        return above < height * 1.8 && below > above * 1.3
    }

    private mutating func finish(_ plain: inout [Int], column: Int) {
        if !plain.isEmpty { areas.append(Area(words: plain, column: column)) }
        plain = []
    }
}
