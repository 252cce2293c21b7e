/// The marks on one screen row.
package struct RowMarks: Equatable, Sendable {
    /// The cells that a mark covers.
    package struct Span: Equatable, Sendable {
        package var columns: Range<Int>
        /// Index of the mark.
        package var mark: Int
    }

    /// Every mark on the row, ascending.
    package internal(set) var marks: [Int] = []
    package internal(set) var spans: [Span] = []

    /// Returns the kinds on the row for the gutter: at most two letters, or one and `+` for more than two kinds.
    package func letters(_ all: [PageMark]) -> String {
        var kinds: [Character] = []
        for mark in marks where !kinds.contains(all[mark].letter) { kinds.append(all[mark].letter) }
        return kinds.count > 2 ? String(kinds[0]) + "+" : String(kinds)
    }
}

extension PageMarks {
    /// Returns what to draw of the marks, by row, without rows that have none.
    package func rows(in view: TypesetPage, of page: PageGlyphs) -> [Int: RowMarks] {
        var rows: [Int: RowMarks] = [:]
        for mark in marks.indices {
            if ranges[mark].isEmpty {
                if let anchor = anchors[mark] { rows[view.spots[anchor].row, default: .init()].add(mark) }
                continue
            }
            for range in ranges[mark] {
                for piece in view.pieces(of: range, page: page) {
                    rows[piece.row, default: .init()].add(mark)
                    if case .placeholder = view.rows[piece.row].role { continue }
                    rows[piece.row, default: .init()].spans.append(.init(columns: piece.columns, mark: mark))
                }
            }
        }
        return rows
    }
}

extension RowMarks {
    fileprivate mutating func add(_ mark: Int) {
        if marks.last != mark { marks.append(mark) }
    }
}

extension TypesetPage {
    /// Returns the stretches of cells that a range covers, row by row.
    package func pieces(of range: Range<Int>, page: PageGlyphs) -> [(row: Int, columns: Range<Int>)] {
        var pieces: [(row: Int, columns: Range<Int>, line: Int)] = []
        for index in range where !page.glyphs[index].isSpace && page.glyphs[index].role != .lineEndHyphen {
            let glyph = page.glyphs[index]
            let columns = spots[index].column..<spots[index].column + glyph.cells
            if let last = pieces.last, last.row == spots[index].row, view == .reading || last.line == glyph.line,
                columns.lowerBound >= last.columns.lowerBound
            {
                let end = max(last.columns.upperBound, columns.upperBound)
                pieces[pieces.count - 1] = (last.row, last.columns.lowerBound..<end, glyph.line)
            } else {
                pieces.append((spots[index].row, columns, glyph.line))
            }
        }
        return pieces.map { ($0.row, $0.columns) }
    }
}
