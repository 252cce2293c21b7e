import Annotations
package import PDFPages
import Screen

extension PageGlyphs {
    /// Reads a page: cleans its words, determines their reading order, and groups them. Only text without a valid
    /// position on the page, or beyond the limits of ``PageWord``, is dropped.
    ///
    /// A page that is turned as a whole, such as a wide table on an upright sheet, is read as if it stood upright.
    package init(_ text: PageText) {
        guard let turn = TurnedPage(text) else {
            self.init(reading: text)
            return
        }
        self.init(reading: turn.upright(text))
        for index in glyphs.indices { glyphs[index].box = turn.onPage(glyphs[index].box) }
        for index in lines.indices {
            lines[index].box = turn.onPage(lines[index].box)
            lines[index].isTurned = true
        }
    }

    private init(reading text: PageText) {
        let words = PageWord.words(of: text)
        let height = weightedMedian(words.map { ($0.box.height, $0.shown.count) })
        var builder = GlyphBuilder(words: words)

        let (upright, turned) = TurnedText.split(words)
        let (matter, heads) = RunningHeads(words: words, pageHeight: text.height, height: height).split(upright)
        let grouping = PageBlocks(words: words, height: height)
        for area in ReadingOrder.areas(of: matter, words: words, height: height) {
            if area.tableGutters.isEmpty {
                let rows = PageRow.rows(of: area.words, in: words)
                for block in grouping.blocks(of: rows, column: area.column) { builder.append(block) }
            } else {
                builder.appendTable(area)
            }
        }
        for row in PageRow.rows(of: heads, in: words) {
            builder.append(.init(kind: .runningHead, column: 0, rows: [.init(row: row, joint: .row)]))
        }
        for line in turned { builder.appendTurned(line) }

        self.init(
            glyphs: builder.glyphs, lines: builder.lines, words: [], sentenceStarts: [], blocks: builder.blocks,
            advance: 1, lineHeight: height)
        self.words = builder.ranges.map { Word(glyphs: $0, core: core(of: $0)) }
        sentenceStarts = findSentences()
        advance = max(usualAdvance(), 0.5)
    }

    /// Returns the usual advance of lines with at least 20 glyphs, or of all lines if none is that long. Counts spaces
    /// but not wide gaps.
    private func usualAdvance() -> Double {
        let upright = lines.filter { !$0.isTurned }
        let long = upright.filter { $0.glyphs.count >= 20 }
        let advances = (long.isEmpty ? upright : long).map { line in
            var (width, cells) = (0.0, 0)
            for glyph in glyphs[line.glyphs] where !glyph.isSpace || glyph.box.width < line.box.height * 0.8 {
                width += glyph.box.width
                cells += glyph.cells
            }
            return (width / Double(max(cells, 1)), cells)
        }
        // Slightly below the median, so that most lines end before the next column begins.
        return weightedQuantile(advances, 0.3)
    }
}
