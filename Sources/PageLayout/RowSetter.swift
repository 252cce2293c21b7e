/// Sets glyphs into rows and keeps the book of where each one went. Both views are written through it.
struct RowSetter {
    let page: PageGlyphs
    private(set) var rows: [TypesetRow] = []
    private(set) var spots: [TypesetPage.Spot]
    private var cells: [TypesetRow.Cell] = [.blank]

    init(page: PageGlyphs) {
        self.page = page
        spots = Array(repeating: .init(row: -1, column: 0), count: page.count)
    }

    /// The next free column of the row being set; 1 at its beginning, behind the margin.
    var column: Int { cells.count }
    var isAtStart: Bool { cells.count == 1 }

    mutating func set(_ glyph: Int) {
        spots[glyph] = .init(row: rows.count, column: cells.count)
        for _ in 0..<page.glyphs[glyph].cells { cells.append(.glyph(glyph)) }
    }

    mutating func set(ornament text: String) {
        for character in text { cells.append(character == " " ? .blank : .ornament(character)) }
    }

    mutating func advance(to column: Int) {
        while cells.count < column { cells.append(.blank) }
    }

    /// Notes a glyph that is not drawn: it stands where the row being set goes on.
    mutating func pass(_ glyph: Int) {
        spots[glyph] = .init(row: rows.count, column: cells.count)
    }

    mutating func endRow(_ role: TypesetRow.Role = .body) {
        rows.append(TypesetRow(cells: isAtStart ? [] : cells, role: role))
        cells = [.blank]
    }

    /// A row with nothing in it, unless the page begins here or one is there already.
    mutating func skipRow() {
        if let last = rows.last, !last.cells.isEmpty { endRow() }
    }

    func finished(_ view: TypesetPage.View) -> TypesetPage {
        var spots = spots
        // What was never set stands with what follows it; at the end of the page, with what comes before.
        for index in spots.indices.reversed() where spots[index].row < 0 {
            spots[index] = index + 1 < spots.count ? spots[index + 1] : .init(row: max(0, rows.count - 1), column: 1)
        }
        // A space behind the last word of a row stands in the margin.
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
