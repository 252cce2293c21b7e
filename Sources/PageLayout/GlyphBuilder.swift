import Annotations
import Screen

/// Lays out the words of a page as glyphs, in the order in which they are added.
struct GlyphBuilder {
    let words: [PageWord]
    private let spellings: Set<String>
    private(set) var glyphs: [PageGlyphs.Glyph] = []
    private(set) var lines: [PageGlyphs.Line] = []
    /// The words; the halves of a hyphenated word share one range.
    private(set) var ranges: [Range<Int>] = []
    private(set) var blocks: [PageGlyphs.Block] = []
    /// The last source word added, for joining a hyphenated word.
    private var last: Int?

    init(words: [PageWord]) {
        self.words = words
        spellings = Set(words.lazy.map { Hyphenation.folded($0.shown) })
        glyphs.reserveCapacity(words.reduce(0) { $0 + $1.shown.count + 1 })
    }

    mutating func append(_ block: PageBlocks.Block) {
        let start = (glyphs.count, lines.count)
        for row in block.rows {
            for (index, stretch) in row.row.stretches.enumerated() {
                let joint = index > 0 ? .gap : row.joint
                appendLine(stretch.words, joint: joint, level: row.row)
            }
        }
        close(block.kind, column: block.column, from: start)
    }

    /// Adds a table row by row, each cell as a separate line.
    mutating func appendTable(_ area: ReadingOrder.Area) {
        let start = (glyphs.count, lines.count)
        var rows: [[Range<Int>]] = []
        for row in PageRow.rows(of: area.words, in: words) {
            var cells: [[Int]] = Array(repeating: [], count: area.tableGutters.count + 1)
            for word in row.stretches.flatMap(\.words) {
                let middle = words[word].box.middle.x
                cells[area.tableGutters.partitionPoint { ($0.left + $0.right) / 2 <= middle }].append(word)
            }
            rows.append([])
            for cell in cells {
                let from = glyphs.count
                if !cell.isEmpty {
                    appendLine(cell, joint: rows.last?.allSatisfy(\.isEmpty) == false ? .gap : .row, level: row)
                }
                rows[rows.count - 1].append(from..<glyphs.count)
            }
        }
        close(.table(.init(rows: rows)), column: area.column, from: start)
    }

    mutating func appendTurned(_ line: [Int]) {
        let start = (glyphs.count, lines.count)
        let downwards = zip(line, line.dropFirst()).contains { words[$1].box.top > words[$0].box.top }
        appendLine(line, joint: .row, level: nil, turned: downwards ? .down : .up)
        close(.turned, column: 0, from: start)
    }

    private enum Turn { case up, down }

    /// - Parameter level: the row of the words, used to detect small raised or lowered words; nil to skip this.
    private mutating func appendLine(
        _ line: [Int], joint: PageGlyphs.Joint, level: PageRow?, turned: Turn? = nil
    ) {
        guard let first = line.first else { return }
        let start = glyphs.count
        let number = lines.count
        var joint = joint
        if joint == .word, let before = last { joint = joinHalves(before, first) }
        for (index, word) in line.enumerated() {
            if index > 0 { appendSpace(between: line[index - 1], and: word, line: number, turned: turned) }
            let goesOn = index == 0 && joint == .word && words[word].shown[0].width == 1
            appendWord(
                word, line: number, goesOn: goesOn,
                role: level.map { RaisedText.role(of: word, in: $0, words: words) } ?? .letter, turned: turned)
        }
        let box = Rect.around(line.map { words[$0].box })
        lines.append(
            .init(glyphs: start..<glyphs.count, box: box, block: blocks.count, joint: joint, isTurned: turned != nil))
        last = line.last
    }

    /// Joins the halves of a divided word, and hides the hyphen unless it belongs to the word.
    private mutating func joinHalves(_ before: Int, _ after: Int) -> PageGlyphs.Joint {
        let (end, start) = (words[before].shown, words[after].shown)
        if let hyphen = glyphs.indices.last, Hyphenation.isHyphen(glyphs[hyphen].shown),
            Hyphenation.dropsHyphen(end, start, elsewhere: spellings)
        {
            glyphs[hyphen].role = .lineEndHyphen
        }
        return .word
    }

    private mutating func appendWord(
        _ index: Int, line: Int, goesOn: Bool, role: PageGlyphs.Role, turned: Turn?
    ) {
        let word = words[index]
        let start = glyphs.count
        if !goesOn || ranges.isEmpty { ranges.append(start..<start) }
        var cell = 0
        let backwards = turned == .up || (turned == nil && word.isRightToLeft)
        for shown in word.shown {
            let low = Double(cell) / Double(word.cells)
            cell += shown.width
            let high = Double(cell) / Double(word.cells)
            let part = backwards ? (1 - high, 1 - low) : (low, high)
            let box = turned == nil ? word.box.across(part.0, part.1) : word.box.down(part.0, part.1)
            glyphs.append(.init(shown: shown, box: box, line: line, word: ranges.count - 1, role: role))
        }
        ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<glyphs.count
    }

    private mutating func appendSpace(between left: Int, and right: Int, line: Int, turned: Turn?) {
        let (a, b) = (words[left].box, words[right].box)
        let gap: Rect
        if turned == nil {
            let (from, to) = a.left <= b.left ? (a.right, b.left) : (b.right, a.left)
            // Touching words are one word in two fonts or sizes.
            if to - from < min(a.height, b.height) * 0.06, !(a.height == b.height && to >= from) { return }
            let top = min(a.top, b.top)
            gap = Rect(left: from, top: top, width: max(to - from, 0.01), height: max(a.bottom, b.bottom) - top)
        } else {
            let (from, to) = a.top <= b.top ? (a.bottom, b.top) : (b.bottom, a.top)
            gap = Rect(left: a.left, top: from, width: a.width, height: max(to - from, 0.01))
        }
        glyphs.append(.init(shown: .blank, box: gap, line: line, word: ranges.count - 1, role: .space))
    }

    private mutating func close(_ kind: PageGlyphs.Kind, column: Int, from start: (glyphs: Int, lines: Int)) {
        guard glyphs.count > start.glyphs else { return }
        blocks.append(
            .init(
                kind: kind, glyphs: start.glyphs..<glyphs.count, lines: start.lines..<lines.count, column: column))
    }
}

extension Rect {
    fileprivate func across(_ from: Double, _ to: Double) -> Rect {
        Rect(left: left + width * from, top: top, width: width * (to - from), height: height)
    }

    fileprivate func down(_ from: Double, _ to: Double) -> Rect {
        Rect(left: left, top: top + height * from, width: width, height: height * (to - from))
    }
}
