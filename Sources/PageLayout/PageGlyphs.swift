package import Annotations
package import Screen

/// The text of a page as a sequence of glyphs in reading order.
///
/// Contains each glyph's position on the PDF page, and the words, lines, sentences and blocks they form. Both views
/// (`TypesetPage`) show the same glyphs. The cursor, the selection, marks and search hits are indices into this
/// sequence, so they do not change with the view or the width. Contains no terminal rows or columns.
///
/// All ranges are glyph indices. Built once per page with `init(_: PageText)`.
package struct PageGlyphs: Equatable, Sendable {
    package internal(set) var glyphs: [Glyph]
    /// The source lines, in reading order. Their ranges are contiguous.
    package internal(set) var lines: [Line]
    /// Every word, in reading order; both halves of a hyphenated word are one word.
    package internal(set) var words: [Word]
    /// Sentence starts, ascending, including the first glyph of every block.
    package internal(set) var sentenceStarts: [Int]
    /// The paragraphs, headings, tables and other blocks, in reading order.
    package internal(set) var blocks: [Block]
    /// The usual width of one cell of body text, in points.
    package internal(set) var advance: Double
    /// The usual height of a line of body text, in points.
    package internal(set) var lineHeight: Double
}

extension PageGlyphs {
    /// Incremented with every change to the reading order or to the search form, which programs keep on disk.
    package static let version = 2

    /// One user-perceived character, or the space between two words of a line.
    package struct Glyph: Equatable, Sendable {
        /// Cleaned, so safe to draw.
        package var shown: Screen.Glyph
        /// Its position on the page, interpolated within the box of its word.
        package var box: Rect
        /// Index of its line.
        package var line: Int
        /// Index of its word; for a space, of the word before it.
        package var word: Int
        package var role: Role

        package var isSpace: Bool { role == .space }
        /// The width on the screen: 1 or 2 cells.
        package var cells: Int { shown.width }
    }

    package enum Role: Hashable, Sendable {
        case letter, space
        /// Whether it is small and above or below the line: a superscript or subscript.
        case raised, lowered
        /// Whether it is a hyphen from a line break that is not part of the word.
        case lineEndHyphen
    }

    /// The glyphs of one line in one column of the page.
    package struct Line: Equatable, Sendable {
        package var glyphs: Range<Int>
        package var box: Rect
        package var block: Int
        /// How the line continues the previous line of its block.
        package var joint: Joint
        /// Whether the whole line runs upwards or downwards on the page.
        package var isTurned: Bool
    }

    package enum Joint: Hashable, Sendable {
        /// On a separate row.
        case row
        /// In the same row after a wide gap, such as a heading after its number.
        case gap
        /// The sentence continues after a space.
        case space
        /// The word continues after a hyphen, or in a script without spaces.
        case word
    }

    package struct Word: Equatable, Sendable {
        package var glyphs: Range<Int>
        /// Without surrounding punctuation; the whole word if it is only punctuation.
        package var core: Range<Int>
    }

    package struct Block: Equatable, Sendable {
        package var kind: Kind
        package var glyphs: Range<Int>
        package var lines: Range<Int>
        /// 0 for text across the page, otherwise the column, counted from 1.
        package var column: Int
    }

    package enum Kind: Equatable, Sendable {
        case paragraph, heading, formula, runningHead, turned
        /// Numbers scattered over a figure, such as axis labels.
        case labels
        case table(Table)
    }

    /// Glyph ranges by row and column; empty for a missing cell.
    package struct Table: Equatable, Sendable {
        package var rows: [[Range<Int>]]
        package var columns: Int { rows.first?.count ?? 0 }
    }
}

extension PageGlyphs {
    package var isEmpty: Bool { glyphs.isEmpty }
    package var count: Int { glyphs.count }

    package func block(of glyph: Int) -> Block { blocks[lines[glyphs[glyph].line].block] }

    /// Returns the sentence around a glyph, without the space after it.
    package func sentence(around glyph: Int) -> Range<Int> {
        let next = sentenceStarts.partitionPoint { $0 <= glyph }
        let start = next > 0 ? sentenceStarts[next - 1] : 0
        let end = next < sentenceStarts.count ? sentenceStarts[next] : glyphs.count
        return trimmed(start..<end)
    }

    /// Every sentence, in reading order.
    package var sentences: [Range<Int>] { sentenceStarts.map(sentence) }

    /// The hyphen of a word that the end of the page cuts; nil if there is none.
    package var cutWord: Int? {
        // Page numbers and footers may follow the text.
        for line in lines.reversed() {
            guard let last = line.glyphs.last(where: { !glyphs[$0].isSpace }) else { continue }
            if Self.isHyphen(glyphs[last].shown.base), last > line.glyphs.lowerBound,
                glyphs[last - 1].shown.base.properties.isAlphabetic
            {
                return last
            }
            // A line of this length is the end of the text.
            if line.glyphs.count > 20 { return nil }
        }
        return nil
    }

    private static func isHyphen(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "\u{2010}" || scalar == "\u{AD}"
    }

    /// Returns the range without spaces at its ends.
    package func trimmed(_ range: Range<Int>) -> Range<Int> {
        var range = range
        while let first = range.first, glyphs[first].isSpace { range = first + 1..<range.upperBound }
        while let last = range.last, glyphs[last].isSpace { range = range.lowerBound..<last }
        return range
    }

    /// Returns the text of a range: hyphenated words joined, one space where a line continues, line breaks between rows
    /// and blocks.
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

    /// Returns the text between a line and the previous one.
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
    /// Returns the index of the first element that is not `below`; the elements must be partitioned by it.
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
