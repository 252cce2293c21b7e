package import Annotations
package import Screen

/// The text of a page as a row of glyphs in reading order.
///
/// What lives here: which glyphs the page has, in what order they are read, where each one stands on the PDF page,
/// and how they make words, lines, sentences and blocks. Both views (`TypesetPage`) show the same glyphs, and the
/// cursor, the selection, marks and search hits are all indices into this one row, so that nothing moves when the view
/// or the width changes. What does not live here: rows and columns of the terminal.
///
/// All ranges are glyph indices. Built once per page with `init(_: PageText)`; a value, safe to hand between threads.
package struct PageGlyphs: Equatable, Sendable {
    package internal(set) var glyphs: [Glyph]
    /// Every source line, in reading order. Their ranges follow one another without a gap.
    package internal(set) var lines: [Line]
    /// Every word, in reading order; the two halves of a hyphenated word are one.
    package internal(set) var words: [Word]
    /// Where sentences begin, ascending; the first glyph of every block is one of them.
    package internal(set) var sentenceStarts: [Int]
    /// Paragraphs, headings, tables ..., in reading order.
    package internal(set) var blocks: [Block]
    /// The usual width of one cell of body text, in points.
    package internal(set) var advance: Double
    /// The usual height of a line of body text, in points.
    package internal(set) var lineHeight: Double
}

extension PageGlyphs {
    /// One character as a person sees it, or the space between two words of a line.
    package struct Glyph: Equatable, Sendable {
        /// Cleaned: safe to draw.
        package var shown: Screen.Glyph
        /// Where it stands on the page; interpolated within the box of its word.
        package var box: Rect
        /// Index of its line.
        package var line: Int
        /// Index of its word, or of the word before the space it is.
        package var word: Int
        package var role: Role

        package var isSpace: Bool { role == .space }
        /// Cells on the screen, 1 or 2.
        package var cells: Int { shown.width }
    }

    package enum Role: Hashable, Sendable {
        case letter, space
        /// Small and above, or below, the line: an exponent, an index.
        case raised, lowered
        /// A hyphen at a line end that belongs to the line break, not to the word.
        case lineEndHyphen
    }

    /// The glyphs that stand on one line of one column of the page.
    package struct Line: Equatable, Sendable {
        package var glyphs: Range<Int>
        package var box: Rect
        package var block: Int
        /// How the line goes on from the one before it in its block.
        package var joint: Joint
        /// Set when the whole line runs bottom up or top down on the page.
        package var isTurned: Bool
    }

    package enum Joint: Hashable, Sendable {
        /// On a row of its own.
        case row
        /// In the same row after a wide gap: a heading after its number.
        case gap
        /// The same sentence goes on after a space.
        case space
        /// The same word goes on: after a hyphen, or in a script without spaces.
        case word
    }

    package struct Word: Equatable, Sendable {
        package var glyphs: Range<Int>
        /// Without the punctuation around it; all of it when it is nothing but punctuation.
        package var core: Range<Int>
    }

    package struct Block: Equatable, Sendable {
        package var kind: Kind
        package var glyphs: Range<Int>
        package var lines: Range<Int>
        /// 0 for what runs across the page, else the column counted from 1.
        package var column: Int
    }

    package enum Kind: Equatable, Sendable {
        case paragraph, heading, formula, runningHead, turned
        /// Numbers scattered over a figure: the labels of its axes.
        case labels
        case table(Table)
    }

    /// Glyph ranges by row and column; an empty range where a row has no such cell.
    package struct Table: Equatable, Sendable {
        package var rows: [[Range<Int>]]
        package var columns: Int { rows.first?.count ?? 0 }
    }
}

extension PageGlyphs {
    package var isEmpty: Bool { glyphs.isEmpty }
    package var count: Int { glyphs.count }

    package func block(of glyph: Int) -> Block { blocks[lines[glyphs[glyph].line].block] }

    /// The sentence around a glyph, without the space behind it.
    package func sentence(around glyph: Int) -> Range<Int> {
        let next = sentenceStarts.partitionPoint { $0 <= glyph }
        let start = next > 0 ? sentenceStarts[next - 1] : 0
        let end = next < sentenceStarts.count ? sentenceStarts[next] : glyphs.count
        return trimmed(start..<end)
    }

    /// Every sentence, in reading order.
    package var sentences: [Range<Int>] { sentenceStarts.map(sentence) }

    /// The range without spaces at its ends.
    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, glyphs[first].isSpace { range = first + 1..<range.upperBound }
        while let last = range.last, glyphs[last].isSpace { range = range.lowerBound..<last }
        return range
    }

    /// The text of a range as it is read: hyphenated line ends joined, one space where a line goes on, a new line
    /// between rows and blocks.
    package func text(of range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        var line: Int?
        for index in range.clamped(to: glyphs.indices) {
            let glyph = glyphs[index]
            if let line, line != glyph.line { text += separator(before: glyph.line).unicodeScalars }
            line = glyph.line
            if glyph.role != .lineEndHyphen { text += glyph.shown.scalars }
        }
        return String(text)
    }

    /// What stands between a line and the one before it when both are read as text.
    private func separator(before line: Int) -> String {
        guard line > 0, lines[line].block == lines[line - 1].block else { return "\n" }
        return switch lines[line].joint {
        case .row: "\n"
        case .gap, .space: " "
        case .word: ""
        }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element is not `below`, where all that are come first.
    func partitionPoint(_ below: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if below(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
