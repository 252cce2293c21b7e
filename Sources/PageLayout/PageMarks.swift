package import Annotations

/// The data of an annotation that a page needs to show it.
package struct PageMark: Hashable, Sendable {
    package var id: Record.ID
    /// The letter of its kind in the gutter.
    package var letter: Character
    /// The boxes of marked text, in points, about one per source line. Empty if it marks no text.
    package var rects: [Rect]
    package var box: Rect

    package init(id: Record.ID, letter: Character, rects: [Rect], box: Rect) {
        (self.id, self.letter, self.rects, self.box) = (id, letter, rects, box)
    }
}

extension PageMark {
    /// A presenter's selection, which is not an annotation and has no letter in the gutter.
    package static func presented(_ rects: [Rect]) -> PageMark {
        PageMark(id: "", letter: " ", rects: rects, box: .zero)
    }
}

/// The marks of a page resolved to its glyphs: the marked text, and the position of the other marks. Independent of the
/// view and its width; `rows(in:)` converts to screen rows.
package struct PageMarks: Equatable, Sendable {
    package let marks: [PageMark]
    /// By mark: the marked glyphs, ascending. Empty for a mark without text.
    package let ranges: [[Range<Int>]]
    /// By mark: the first marked or else the nearest glyph; nil on a page without text.
    package let anchors: [Int?]
    /// By mark: 0, or more for one that overlaps earlier marks, so that their brackets differ.
    let depths: [Int]

    package init(_ marks: [PageMark], on page: PageGlyphs) {
        self.marks = marks
        ranges = marks.map { page.ranges(in: $0.rects) }
        anchors = zip(marks, ranges).map { mark, ranges in
            ranges.first?.lowerBound ?? page.glyph(nearest: mark.anchor(lineHeight: page.lineHeight))
        }
        depths = Self.depths(of: ranges)
    }

    /// Returns the indices of the marks on a glyph.
    package func marks(at glyph: Int) -> [Int] {
        marks.indices.filter { mark in
            ranges[mark].isEmpty ? anchors[mark] == glyph : ranges[mark].contains { $0.contains(glyph) }
        }
    }

    /// Assigns each mark the lowest depth that no overlapping earlier mark has.
    private static func depths(of ranges: [[Range<Int>]]) -> [Int] {
        var depths = Array(repeating: 0, count: ranges.count)
        let order = ranges.indices.filter { !ranges[$0].isEmpty }.sorted {
            (ranges[$0][0].lowerBound, -ranges[$0][0].upperBound, $0)
                < (ranges[$1][0].lowerBound, -ranges[$1][0].upperBound, $1)
        }
        var open: [(mark: Int, end: Int)] = []
        for mark in order {
            guard let first = ranges[mark].first, let last = ranges[mark].last else { continue }
            open.removeAll { $0.end <= first.lowerBound }
            let used = open.map { depths[$0.mark] }
            depths[mark] = (0...used.count).first { !used.contains($0) } ?? used.count
            open.append((mark, last.upperBound))
        }
        return depths
    }
}

extension PageMark {
    /// Returns the point whose line shows the mark: about the middle of its first line.
    fileprivate func anchor(lineHeight: Double) -> Point {
        let first = rects.first ?? box
        return Point(x: first.middle.x, y: first.top + min(first.height, lineHeight) / 2)
    }
}

extension Rect {
    /// Describes where a box is on a page of the given size: `top left`, `middle`, `bottom right`.
    package func place(width: Double, height: Double) -> String {
        func third(_ value: Double, of whole: Double) -> Int {
            whole > 0 && value >= 0 ? min(2, Int(saturating: 3 * value / whole)) : 0
        }
        let rows = ["top", "middle", "bottom"]
        let columns = ["left", "", "right"]
        let (row, column) = (rows[third(middle.y, of: height)], columns[third(middle.x, of: width)])
        return column.isEmpty ? row : row + " " + column
    }
}
