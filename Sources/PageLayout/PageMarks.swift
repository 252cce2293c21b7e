package import Annotations

/// What an annotation covers, as a page needs it to show it.
package struct PageMark: Hashable, Sendable {
    package var id: Record.ID
    /// The letter of its kind in the gutter.
    package var letter: Character
    /// The stretches of text it marks, in points, about one for each source line. Empty for what marks no text.
    package var rects: [Rect]
    package var box: Rect

    package init(id: Record.ID, letter: Character, rects: [Rect], box: Rect) {
        (self.id, self.letter, self.rects, self.box) = (id, letter, rects, box)
    }
}

extension PageMark {
    /// What a presenter has selected: no annotation, so nothing stands in the gutter for it.
    package static func presented(_ rects: [Rect]) -> PageMark {
        PageMark(id: "", letter: " ", rects: rects, box: .zero)
    }
}

/// The marks of a page, found on its glyphs: which text each one marks and where the others stand. Does not depend on
/// the view or its width; `rows(in:)` brings it to the screen.
package struct PageMarks: Equatable, Sendable {
    package let marks: [PageMark]
    /// By mark: the glyphs it marks, ascending. Empty for a mark on no text.
    package let ranges: [[Range<Int>]]
    /// By mark: the glyph it belongs to on the screen, the first one marked or the nearest; nil on a page without text.
    package let anchors: [Int?]
    /// By mark: 0 for most, more for one that overlaps marks before it, so that their brackets differ.
    let depths: [Int]

    package init(_ marks: [PageMark], on page: PageGlyphs) {
        self.marks = marks
        ranges = marks.map { page.ranges(in: $0.rects) }
        anchors = zip(marks, ranges).map { mark, ranges in
            ranges.first?.lowerBound ?? page.glyph(nearest: mark.anchor(lineHeight: page.lineHeight))
        }
        depths = Self.depths(of: ranges)
    }

    /// The marks on a glyph, as indices.
    package func marks(at glyph: Int) -> [Int] {
        marks.indices.filter { mark in
            ranges[mark].isEmpty ? anchors[mark] == glyph : ranges[mark].contains { $0.contains(glyph) }
        }
    }

    /// Gives each mark the lowest depth that no overlapping mark before it has.
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
    /// The point whose line the mark is shown at: about its first line.
    fileprivate func anchor(lineHeight: Double) -> Point {
        let first = rects.first ?? box
        return Point(x: first.middle.x, y: first.top + min(first.height, lineHeight) / 2)
    }
}

extension Rect {
    /// Where a box lies on a page of a size, in words: `top left`, `middle`, `bottom right`.
    package func place(width: Double, height: Double) -> String {
        func third(_ value: Double, of whole: Double) -> Int {
            whole > 0 && value >= 0 ? min(2, Int(3 * value / whole)) : 0
        }
        let rows = ["top", "middle", "bottom"]
        let columns = ["left", "", "right"]
        let (row, column) = (rows[third(middle.y, of: height)], columns[third(middle.x, of: width)])
        return column.isEmpty ? row : row + " " + column
    }
}
