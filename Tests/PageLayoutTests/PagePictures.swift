import Annotations
import PDFPages
import Screen
import TestSupport

@testable import PageLayout

/// Creates a page from a drawing: a character is 5 points wide, a row 12 points high, the text 10. Blanks separate
/// words; the words of a row are one source line.
func drawnPage(_ picture: String, width: Double = 500, height: Double = 800, top: Double = 100) -> PageText {
    var text = PageText(width: width, height: height, words: [])
    for (number, row) in picture.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        text.add(String(row), x: 50, y: top + 12 * Double(number), line: number)
    }
    return text
}

extension PageText {
    /// Adds a line of text in a size; `line` is the index of its source line.
    mutating func add(_ row: String, x: Double, y: Double, size: Double = 10, line: Int? = nil) {
        let advance = size / 2
        let line = line ?? (words.last?.line ?? -1) + 1
        var column = 0
        for word in row.split(separator: " ", omittingEmptySubsequences: false) {
            let cells = CleanText(cleaning: String(word)).width
            if cells > 0 {
                let box = Rect(left: x + advance * Double(column), top: y, width: advance * Double(cells), height: size)
                words.append(.init(text: String(word), box: box, line: line, block: 0, flow: 0))
            }
            column += cells + 1
        }
    }
}

extension TypesetPage {
    /// Returns the rows as text, without the left margin and trailing blanks.
    func picture(of page: PageGlyphs) -> String {
        rows.indices.map { text(of: $0, in: page).string }.map { row in
            String(String(row.dropFirst()).trimmingSuffix(" "))
        }.joined(separator: "\n")
    }

    /// Returns the rows with marks: two gutter cells, then the text.
    func picture(of page: PageGlyphs, marks: PageMarks) -> String {
        let drawn = marks.rows(in: self, of: page)
        return rows.indices.map { row in
            let letters = drawn[row]?.letters(marks.marks) ?? ""
            let gutter = letters + String(repeating: " ", count: 2 - letters.count)
            return String((gutter + text(of: row, in: page).string).trimmingSuffix(" "))
        }.joined(separator: "\n")
    }
}

extension String {
    func trimmingSuffix(_ character: Character) -> Substring {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return text
    }
}

extension SeededRandom {
    /// Returns a number from 0 to below the number of sides; 0 for none.
    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<max(1, sides), using: &self) }
}
