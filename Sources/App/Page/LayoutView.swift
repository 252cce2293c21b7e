import Annotations

extension TypesetPage {
    /// The page laid out as it is printed, at its natural width: one cell for the usual advance of its body text.
    /// Words stand at their columns and move right only as far as they must; nothing is ever squeezed or overlaid.
    package static func layout(_ page: PageGlyphs) -> TypesetPage {
        var view = LayoutView(page: page)
        view.set()
        return view.rows.finished(.layout)
    }
}

struct LayoutView {
    let page: PageGlyphs
    var rows: RowSetter
    private let left: Double
    private let pitch: Double

    /// More blank rows than this say nothing.
    private static let mostBlankRows = 2
    private static let mostColumns = 1000.0

    /// Lines that share a row of the screen.
    private struct Level {
        var y: Double
        var lines: [Int]
    }

    init(page: PageGlyphs) {
        self.page = page
        rows = RowSetter(page: page)
        let upright = page.lines.filter { !$0.isTurned }
        left = upright.map(\.box.left).min() ?? 0
        let steps = zip(upright, upright.dropFirst()).compactMap { above, below -> Double? in
            let step = below.box.middle.y - above.box.middle.y
            return above.box.overlapsAcross(below.box) && step > page.lineHeight * 0.5 && step < page.lineHeight * 2.5
                ? step : nil
        }
        pitch = median(steps, otherwise: page.lineHeight * 1.3)
    }

    mutating func set() {
        let levels = levels()
        for (index, level) in levels.enumerated() {
            if index > 0 {
                let free = ((level.y - levels[index - 1].y) / pitch).rounded() - 1
                for _ in 0..<max(0, min(Self.mostBlankRows, Int(free))) { rows.endRow() }
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

    /// The rows of the screen: lines go together when they are about level and stand beside each other.
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
            } else {
                levels.append(Level(y: box.middle.y, lines: [line]))
            }
        }
        return levels
    }

    private mutating func set(_ level: Level) {
        let lines = level.lines.sorted { page.lines[$0].box.left < page.lines[$1].box.left }
        for line in lines {
            var isFirst = true
            for word in pieces(of: page.lines[line]) {
                let x = page.glyphs[word.glyphs.lowerBound].box.left.clamped(
                    page.glyphs[word.glyphs.upperBound - 1].box.left)
                let natural = 1 + Int(min(Self.mostColumns, ((x - left) / page.advance).rounded()))
                let needed = rows.isAtStart ? 1 : rows.column + (isFirst ? 1 : 0)
                rows.advance(to: max(natural, needed))
                for glyph in word.glyphs { rows.set(glyph) }
                if let space = word.space { rows.set(space) }
                isFirst = false
            }
        }
        let heading = lines.allSatisfy { page.blocks[page.lines[$0].block].kind == .heading }
        let quiet = lines.allSatisfy { !page.blocks[page.lines[$0].block].kind.isMatter }
        rows.endRow(heading ? .heading : quiet ? .dim : .body)
    }

    /// The words of a line, each with the space behind it.
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

extension Double {
    /// The smaller of two: where a word begins on the page, whichever way it is written.
    fileprivate func clamped(_ other: Double) -> Double { Swift.min(self, other) }
}
