import Annotations

extension TypesetPage {
    /// Sets the page as printed, at its natural width: one cell per average advance of the body text. Words are at
    /// their columns and move right only as far as necessary; text is never compressed or overlaid.
    ///
    /// - Parameter zoom: percentage of the natural width; more leaves more room between columns and in tables.
    package static func layout(
        _ page: PageGlyphs, zoom: Int = 100, brackets: MarkBrackets = .none
    ) -> TypesetPage {
        var view = LayoutView(page: page, zoom: zoom, brackets: brackets)
        view.set()
        return view.rows.finished(.layout)
    }
}

struct LayoutView {
    let page: PageGlyphs
    var rows: RowSetter
    private let left: Double
    private let pitch: Double
    /// Points per cell.
    private let advance: Double
    /// Columns where lines of body text begin.
    private var leftEdges: Set<Int> = []

    /// Limit on consecutive blank rows; more carry no information.
    private static let maxBlankRows = 2
    private static let maxColumns = 1000.0

    /// Lines that share a screen row.
    private struct Level {
        /// The vertical centres of the first and the lowest line, in points.
        var y: Double
        var lowest: Double
        var lines: [Int]
    }

    init(page: PageGlyphs, zoom: Int, brackets: MarkBrackets) {
        self.page = page
        advance = page.advance * 100 / Double(zoom)
        rows = RowSetter(page: page, brackets: brackets)
        let upright = page.lines.filter { !$0.isTurned }
        left = upright.map(\.box.left).min() ?? 0
        let steps = zip(upright, upright.dropFirst()).compactMap { above, below -> Double? in
            let step = below.box.middle.y - above.box.middle.y
            return above.box.overlapsAcross(below.box) && step > page.lineHeight * 0.5 && step < page.lineHeight * 2.5
                ? step : nil
        }
        pitch = steps.isEmpty ? page.lineHeight * 1.3 : steps.sorted()[steps.count / 3]
        for line in upright where page.blocks[line.block].kind == .paragraph {
            leftEdges.insert(column(at: line.box.left))
        }
    }

    mutating func set() {
        let levels = levels()
        for (index, level) in levels.enumerated() {
            if index > 0 {
                let free = ((level.y - levels[index - 1].lowest) / pitch).rounded() - 1
                for _ in 0..<max(0, min(Self.maxBlankRows, Int(saturating: free))) { rows.endRow() }
            }
            set(level)
        }
        let turned = page.lines.filter(\.isTurned)
        if !turned.isEmpty { rows.skipRow() }
        for line in turned {
            rows.set(ornament: "[turned] ")
            for glyph in line.glyphs { rows.set(glyph) }
            rows.endRow(.dim)
        }
    }

    /// Returns the screen rows: lines share one when they are at about the same height and side by side.
    private func levels() -> [Level] {
        var levels: [Level] = []
        let order = page.lines.indices.filter { !page.lines[$0].isTurned }.sorted {
            let (a, b) = (page.lines[$0].box, page.lines[$1].box)
            return (a.middle.y, a.left, $0) < (b.middle.y, b.left, $1)
        }
        for line in order {
            let box = page.lines[line].box
            if let last = levels.last, box.middle.y - last.y < pitch * 0.6,
                last.lines.allSatisfy({ !page.lines[$0].box.overlapsAcross(box) })
            {
                levels[levels.count - 1].lines.append(line)
                levels[levels.count - 1].lowest = box.middle.y
            } else {
                levels.append(Level(y: box.middle.y, lowest: box.middle.y, lines: [line]))
            }
        }
        return levels
    }

    private mutating func set(_ level: Level) {
        let lines = level.lines.sorted { page.lines[$0].box.left < page.lines[$1].box.left }
        for line in lines { set(page.lines[line]) }
        let heading = lines.allSatisfy { page.blocks[page.lines[$0].block].kind == .heading }
        let quiet = lines.allSatisfy { !page.blocks[page.lines[$0].block].kind.isMatter }
        rows.endRow(heading ? .heading : quiet ? .dim : .body)
    }

    /// Sets a line at its column. Its words follow with one blank between them for an even flow; only after a wide gap
    /// do they move to their own columns.
    private mutating func set(_ line: PageGlyphs.Line) {
        var edge: Double?
        for word in pieces(of: line) {
            let boxes = [page.glyphs[word.glyphs.lowerBound].box, page.glyphs[word.glyphs.upperBound - 1].box]
            let box = Rect.around(boxes)
            if edge == nil {
                rows.advance(to: max(column(of: line), rows.isAtStart ? 1 : rows.column + 1))
            } else if let edge, box.left - edge >= max(page.lineHeight, line.box.height) * 0.8 {
                rows.advance(to: max(column(at: box.left), rows.column))
            }
            for glyph in word.glyphs { rows.set(glyph) }
            if let space = word.space { rows.set(space) }
            edge = box.right
        }
    }

    private func column(at x: Double) -> Int {
        1 + max(0, Int(saturating: min(Self.maxColumns, ((x - left) / advance).rounded())))
    }

    /// Returns the start column of a line. A heading that does not start where body text does is centred in its space,
    /// like a title.
    private func column(of line: PageGlyphs.Line) -> Int {
        let start = column(at: line.box.left)
        let cells = rows.width(of: line.glyphs)
        guard page.blocks[line.block].kind == .heading, !leftEdges.contains(start) else { return start }
        let middle = (line.box.middle.x - left) / advance
        return max(start, 1 + Int(saturating: min(Self.maxColumns, (middle - Double(cells) / 2).rounded())))
    }

    /// Returns the words of a line, each with the space after it.
    private func pieces(of line: PageGlyphs.Line) -> [(glyphs: Range<Int>, space: Int?)] {
        var pieces: [(Range<Int>, Int?)] = []
        var start = line.glyphs.lowerBound
        for index in line.glyphs where page.glyphs[index].isSpace {
            if index > start { pieces.append((start..<index, index)) }
            start = index + 1
        }
        if start < line.glyphs.upperBound { pieces.append((start..<line.glyphs.upperBound, nil)) }
        return pieces
    }
}
