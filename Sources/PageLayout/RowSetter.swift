/// Sets glyphs into rows and records the spot of each one, for both views.
struct RowSetter {
    let page: PageGlyphs
    private let brackets: MarkBrackets
    private(set) var rows: [TypesetRow] = []
    private(set) var spots: [TypesetPage.Spot]
    private var cells: [TypesetRow.Cell] = [.blank]

    init(page: PageGlyphs, brackets: MarkBrackets) {
        self.page = page
        self.brackets = brackets
        spots = Array(repeating: .init(row: -1, column: 0), count: page.count)
    }

    /// The next free column of the current row; 1 at its start, after the margin.
    var column: Int { cells.count }
    var isAtStart: Bool { cells.count == 1 }

    /// Returns the cells that a glyph and the brackets beside it need.
    func cells(of glyph: Int) -> Int { page.glyphs[glyph].cells + brackets.cells(beside: glyph) }

    /// Returns the cells that a range needs in one row.
    func width(of range: Range<Int>) -> Int { range.reduce(0) { $0 + cells(of: $1) } }

    mutating func set(_ glyph: Int) {
        let before = brackets.before(glyph)
        if !before.isEmpty, isAfterSpareBlank { cells.removeLast() }
        set(ornament: before)
        defer { set(ornament: brackets.after(glyph)) }
        spots[glyph] = .init(row: rows.count, column: cells.count)
        for _ in 0..<page.glyphs[glyph].cells { cells.append(.glyph(glyph)) }
    }

    /// Whether the last cell is blank and separates no words: the margin, an indent, or part of a wide gap.
    private var isAfterSpareBlank: Bool {
        cells.last == .blank && (cells.count == 1 || cells[cells.count - 2] == .blank)
    }

    mutating func set(ornament text: String) {
        for character in text { cells.append(character == " " ? .blank : .ornament(character)) }
    }

    mutating func advance(to column: Int) {
        while cells.count < column { cells.append(.blank) }
    }

    /// Records a glyph that is not drawn at the current end of the row.
    mutating func pass(_ glyph: Int) {
        spots[glyph] = .init(row: rows.count, column: cells.count)
    }

    mutating func endRow(_ role: TypesetRow.Role = .body) {
        rows.append(TypesetRow(cells: isAtStart ? [] : cells, role: role))
        cells = [.blank]
    }

    /// Adds a blank row, except at the start of the page or after another blank row.
    mutating func skipRow() {
        if let last = rows.last, !last.cells.isEmpty { endRow() }
    }

    func finished(_ view: TypesetPage.View) -> TypesetPage {
        var spots = spots
        // A glyph that was never set gets the spot of the next one; at the end of the page, the last row.
        for index in spots.indices.reversed() where spots[index].row < 0 {
            spots[index] = index + 1 < spots.count ? spots[index + 1] : .init(row: max(0, rows.count - 1), column: 1)
        }
        // A space after the last word of a row uses the margin.
        let last = rows.compactMap { row in
            row.cells.lastIndex { cell in
                switch cell {
                case .blank: false
                case .ornament: true
                case .glyph(let index): !page.glyphs[index].isSpace
                }
            }
        }.max()
        let width = last.map { $0 + 2 } ?? 0
        return TypesetPage(view: view, rows: rows, width: width, spots: spots)
    }
}
