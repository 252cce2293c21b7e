import Annotations
import Screen

/// Groups the rows of a reading area into paragraphs, headings and formulas, and determines how each row continues the
/// one above it.
struct PageBlocks {
    struct Block {
        var kind: PageGlyphs.Kind
        var column: Int
        var rows: [Row]
    }

    struct Row {
        var row: PageRow
        /// How the row's first stretch continues the previous row.
        var joint: PageGlyphs.Joint
    }

    let words: [PageWord]
    /// The typical height of a line on the page.
    let height: Double

    /// Returns the blocks of running text, from top to bottom.
    func blocks(of rows: [PageRow], column: Int) -> [Block] {
        guard let first = rows.first else { return [] }
        let left = rows.map(\.box.left).min() ?? first.box.left
        let right = rows.map(\.box.right).max() ?? first.box.right
        let pitch = usualPitch(rows)
        var blocks: [Block] = []
        let labels = FigureLabels.rows(in: rows, words: words)
        let headings = headings(in: rows)
        for (index, row) in rows.enumerated() {
            let kind: PageGlyphs.Kind =
                labels.contains(index) ? .labels : headings.contains(index) ? .heading : kind(of: row, left: left)
            guard index > 0, let last = blocks.indices.last, blocks[last].kind == kind else {
                blocks.append(Block(kind: kind, column: column, rows: [Row(row: row, joint: .row)]))
                continue
            }
            let above = rows[index - 1]
            if kind == .labels {
                blocks[last].rows.append(Row(row: row, joint: .gap))
            } else if beginsBlock(row, below: above, of: blocks[last], left: left, pitch: pitch) {
                blocks.append(Block(kind: kind, column: column, rows: [Row(row: row, joint: .row)]))
            } else {
                let joint = joint(of: row, below: above, left: left, right: right, kind: kind)
                blocks[last].rows.append(Row(row: row, joint: joint))
            }
        }
        return blocks
    }

    /// Returns the usual distance between the centres of adjacent rows of a paragraph, estimated from the more closely
    /// spaced rows, because lists and headings are spaced more widely.
    private func usualPitch(_ rows: [PageRow]) -> Double {
        let steps = zip(rows, rows.dropFirst()).compactMap { above, below -> Double? in
            let step = below.box.middle.y - above.box.middle.y
            return above.box.overlapsAcross(below.box) && step > height * 0.7 && step < height * 2.2 ? step : nil
        }
        return steps.isEmpty ? height * 1.3 : steps.sorted()[steps.count / 3]
    }

    /// Returns the indices of rows in larger type, but not of many rows in one size: those are body text in a second
    /// size.
    private func headings(in rows: [PageRow]) -> Set<Int> {
        var found: Set<Int> = []
        var start = 0
        while start < rows.count {
            var end = start + 1
            while end < rows.count, abs(rows[end].height - rows[start].height) < height * 0.03 { end += 1 }
            if rows[start].height >= height * 1.1, end - start <= 3 { found.formUnion(start..<end) }
            start = end
        }
        return found
    }

    private func kind(of row: PageRow, left: Double) -> PageGlyphs.Kind {
        let text = row.stretches.flatMap(\.words).map { words[$0] }
        let signs = text.contains { $0.shown.contains(where: \.isMathematical) }
        guard signs, row.box.left > left + height else { return .paragraph }
        let long = text.count { $0.shown.count(where: \.isLetter) >= 4 }
        return long * 3 <= text.count ? .formula : .paragraph
    }

    private func beginsBlock(
        _ row: PageRow, below above: PageRow, of block: Block, left: Double, pitch: Double
    ) -> Bool {
        let step = row.box.middle.y - above.box.middle.y
        let size = max(row.height, above.height) / max(min(row.height, above.height), 0.01)
        if step > pitch * 1.3 + max(0, row.height - height) { return true }
        if block.kind == .heading { return size > 1.1 || step > row.height * 1.8 }
        if size > 1.12, row.count > 8, above.count > 8 { return true }
        // An indent begins a paragraph, except below the mark of a list item.
        let indent = row.box.left - above.box.left
        if indent > height * 0.7, above.box.left < left + height * 0.4 { return !beginsItem(above) }
        guard let first = block.rows.first?.row else { return false }
        return beginsItem(row) && row.box.left < first.box.left + height * 0.6
    }

    /// Whether a row begins with a list mark: a bullet, or a number or letter with a dot or brackets.
    private func beginsItem(_ row: PageRow) -> Bool {
        guard let first = row.stretches.first?.words.first else { return false }
        let word = words[first].shown
        guard row.count > word.count, word.count <= 5 else { return false }
        if word.count == 1, "•◦▪‣–—*·●○■□-".unicodeScalars.contains(word[0].base) { return true }
        let inner = word.filter { !"[]().:".unicodeScalars.contains($0.base) }
        guard inner.count < word.count, let end = word.last, "]).:".unicodeScalars.contains(end.base) else {
            return false
        }
        return (inner.count <= 3 && inner.allSatisfy(\.isDigit)) || (inner.count == 1 && inner[0].isLetter)
    }

    private func joint(
        of row: PageRow, below above: PageRow, left: Double, right: Double, kind: PageGlyphs.Kind
    ) -> PageGlyphs.Joint {
        if kind == .formula { return .row }
        guard let next = row.stretches.first?.words.first, let last = above.stretches.last?.words.last else {
            return .row
        }
        if Hyphenation.isBroken(after: words[last].shown, before: words[next].shown) { return .word }
        // A line with room for the next word was ended deliberately.
        let room = right - above.box.right - words[next].box.width
        if kind == .paragraph, room > max(height * 0.8, (right - left) * 0.06) { return .row }
        if row.stretches.count > 1, row.box.width > height * 4, kind == .paragraph, !beginsItem(row) { return .row }
        guard let end = words[last].shown.last, let start = words[next].shown.first else { return .row }
        // In a narrow column of short entries, a capital begins the next entry.
        if right - left < height * 12, !start.isSmall, start.width == 1 { return .row }
        if end.width == 2 || start.width == 2, end.isWideLetter, start.isWideLetter { return .word }
        return .space
    }
}
