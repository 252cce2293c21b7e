/// The marks on one screen row.
package struct RowMarks: Equatable, Sendable {
    /// The cells that a mark covers.
    package struct Span: Equatable, Sendable {
        package var columns: Range<Int>
        /// Index of the mark.
        package var mark: Int
    }

    /// A symbol in a cell next to the words.
    package struct Bracket: Equatable, Sendable {
        package var column: Int
        package var character: Character
        /// The marks that begin or end here.
        package var marks: [Int]
    }

    /// Every mark on the row, ascending.
    package internal(set) var marks: [Int] = []
    package internal(set) var spans: [Span] = []
    package internal(set) var brackets: [Bracket] = []

    /// Returns the kinds on the row for the gutter: at most two letters, or one and `+` for more than two kinds.
    package func letters(_ all: [PageMark]) -> String {
        var kinds: [Character] = []
        for mark in marks where !kinds.contains(all[mark].letter) { kinds.append(all[mark].letter) }
        return kinds.count > 2 ? String(kinds[0]) + "+" : String(kinds)
    }
}

extension PageMarks {
    /// Returns what to draw of the marks, by row, without rows that have none.
    ///
    /// Brackets use the blank cells next to words, never cells of a word, so no text moves; a mark that begins within a
    /// word has its bracket before the word. In the reading view, a mark over several rows opens in the first and
    /// closes in the last; in the layout view, where other text is next to the mark, it does so in each row.
    ///
    /// - Parameter brackets: nil for annotation brackets, which differ where annotations overlap.
    package func rows(
        in view: TypesetPage, of page: PageGlyphs, brackets: (Character, Character)? = nil
    ) -> [Int: RowMarks] {
        var rows: [Int: RowMarks] = [:]
        for mark in marks.indices {
            if ranges[mark].isEmpty {
                if let anchor = anchors[mark] { rows[view.spots[anchor].row, default: .init()].add(mark) }
                continue
            }
            for range in ranges[mark] {
                let pieces = view.pieces(of: range, page: page)
                for (index, piece) in pieces.enumerated() {
                    rows[piece.row, default: .init()].add(mark)
                    if case .placeholder = view.rows[piece.row].role { continue }
                    rows[piece.row, default: .init()].spans.append(.init(columns: piece.columns, mark: mark))
                    let each = view.view == .layout
                    let (open, close) = brackets ?? Self.brackets(depth: depths[mark])
                    if index == 0 || each {
                        let column = view.blank(before: piece.columns.lowerBound, row: piece.row, page: page)
                        if let column { rows[piece.row]?.add(open, at: column, mark: mark, depth: depths[mark]) }
                    }
                    if index == pieces.count - 1 || each {
                        let column = view.blank(after: piece.columns.upperBound, row: piece.row, page: page)
                        if let column { rows[piece.row]?.add(close, at: column, mark: mark, depth: depths[mark]) }
                    }
                }
            }
        }
        return rows
    }

    private static func brackets(depth: Int) -> (Character, Character) {
        switch depth {
        case 0: ("[", "]")
        case 1: ("<", ">")
        default: ("(", ")")
        }
    }
}

extension RowMarks {
    fileprivate mutating func add(_ mark: Int) {
        if marks.last != mark { marks.append(mark) }
    }

    /// Merges the end of one mark and the start of another into one symbol; if several begin together, shows the
    /// outermost.
    fileprivate mutating func add(_ sign: Character, at column: Int, mark: Int, depth: Int) {
        guard let index = brackets.firstIndex(where: { $0.column == column }) else {
            brackets.append(.init(column: column, character: sign, marks: [mark]))
            return
        }
        let opening: Set<Character> = ["[", "<", "(", "{"]
        let there = brackets[index].character
        if there == "|" || opening.contains(there) != opening.contains(sign) {
            brackets[index].character = "|"
        } else if depth == 0 {
            brackets[index].character = sign
        }
        brackets[index].marks.append(mark)
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

    /// Returns the nearest cell without a letter to the left of a column, at the latest the margin; nil within a word
    /// longer than ``maxWordLength``.
    fileprivate func blank(before column: Int, row: Int, page: PageGlyphs) -> Int? {
        (max(0, column - Self.maxWordLength)..<max(column, 1)).last { isBlank(row: row, column: $0, page: page) }
    }

    /// Returns the nearest such cell at or to the right of a column, at the latest the one after the row.
    fileprivate func blank(after column: Int, row: Int, page: PageGlyphs) -> Int? {
        (column..<column + Self.maxWordLength).first { isBlank(row: row, column: $0, page: page) }
    }

    private static let maxWordLength = 100

    private func isBlank(row: Int, column: Int, page: PageGlyphs) -> Bool {
        guard rows[row].cells.indices.contains(column) else { return true }
        return switch rows[row].cells[column] {
        case .blank: true
        case .glyph(let index): page.glyphs[index].isSpace
        case .ornament: false
        }
    }
}
