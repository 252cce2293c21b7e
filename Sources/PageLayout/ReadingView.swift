extension TypesetPage {
    /// Sets the page reflowed: blocks in reading order, columns one after the other, running heads last.
    ///
    /// - Parameters:
    ///   - width: cells for text, without the two margins: `min(pane - 6, 76)` leaves a gutter of four.
    ///   - opened: block indices of the tables to show in full even if wider than `width`.
    package static func reading(
        _ page: PageGlyphs, width: Int, opened: Set<Int> = [], brackets: MarkBrackets = .none
    ) -> TypesetPage {
        var view = ReadingView(page: page, width: max(8, width), opened: opened, brackets: brackets)
        view.set()
        return view.filler.rows.finished(.reading)
    }
}

/// Sets the reading view of a page, block by block.
struct ReadingView {
    let page: PageGlyphs
    let width: Int
    let opened: Set<Int>
    var filler: RowFiller

    init(page: PageGlyphs, width: Int, opened: Set<Int>, brackets: MarkBrackets) {
        self.page = page
        self.width = width
        self.opened = opened
        filler = RowFiller(page: page, width: width, brackets: brackets)
    }

    mutating func set() {
        for (index, block) in page.blocks.enumerated() {
            separate(block, from: index > 0 ? page.blocks[index - 1] : nil)
            switch block.kind {
            case .paragraph: set(block, role: .body)
            case .heading: set(block, role: .heading)
            case .formula: set(block, role: .body, indent: 2)
            case .runningHead, .labels: set(block, role: .dim)
            case .turned: set(block, role: .dim, lead: "[turned] ")
            case .table(let table): set(table, number: index, glyphs: block.glyphs)
            }
        }
    }

    /// Adds a rule between columns, a blank row between paragraphs, nothing between a heading and its text.
    private mutating func separate(_ block: PageGlyphs.Block, from above: PageGlyphs.Block?) {
        guard let above else { return }
        if block.column > 1, above.column > 0, block.column > above.column {
            let name = " column \(block.column) "
            let left = max(1, (width - name.count) / 2)
            let right = max(1, width - name.count - left)
            filler.rows.set(ornament: String(repeating: "-", count: left) + name + String(repeating: "-", count: right))
            filler.rows.endRow(.rule)
        } else if above.kind == .heading, block.kind != .heading, block.kind.isMatter {
            return
        } else if above.kind == block.kind, !block.kind.isMatter {
            return
        } else {
            filler.rows.skipRow()
        }
    }

    private mutating func set(
        _ block: PageGlyphs.Block, role: TypesetRow.Role, indent: Int = 0, lead: String = ""
    ) {
        filler.begin(role, indent: indent, lead: lead)
        for line in block.lines { filler.add(page.lines[line], isFirst: line == block.lines.lowerBound) }
        filler.end()
    }

    /// Sets a table as rows of cells, or one placeholder row if it is too wide and not opened.
    private mutating func set(_ table: PageGlyphs.Table, number: Int, glyphs: Range<Int>) {
        let widths = table.rows.map { row in row.map { filler.rows.width(of: $0) } }
        let columns = (0..<table.columns).map { column in widths.map { $0[column] }.max() ?? 0 }
        let bars = 3 * max(0, table.columns - 1)
        if columns.reduce(bars, +) <= width {
            for row in table.rows { setRow(row, columns: columns) }
        } else if widths.allSatisfy({ $0.reduce(bars, +) <= width }) {
            for row in table.rows { setRow(row, columns: nil) }
        } else if opened.contains(number) {
            for row in table.rows { wrapRow(row) }
        } else {
            for glyph in glyphs { filler.rows.pass(glyph) }
            let size = "[table \(table.rows.count) x \(table.columns)"
            let whole = size + ": Enter shows it]"
            filler.rows.set(ornament: whole.count <= width ? whole : size + "]")
            filler.rows.endRow(.placeholder(block: number))
        }
    }

    private mutating func setRow(_ row: [Range<Int>], columns: [Int]?) {
        let last = row.lastIndex { !$0.isEmpty } ?? 0
        var edge = 1
        for (column, cell) in row.enumerated() where column <= last {
            for glyph in cell { filler.rows.set(glyph) }
            guard let columns else {
                if column < last { filler.rows.set(ornament: " | ") }
                continue
            }
            edge += columns[column]
            if column < last {
                filler.rows.advance(to: edge)
                filler.rows.set(ornament: " | ")
                edge += 3
            }
        }
        filler.rows.endRow()
    }

    private mutating func wrapRow(_ row: [Range<Int>]) {
        filler.begin(.body, indent: 2, outdent: true)
        let cells = row.filter { !$0.isEmpty }
        for (index, cell) in cells.enumerated() {
            filler.add(cell)
            if index < cells.count - 1 { filler.addBar() }
        }
        filler.end()
    }
}

extension PageGlyphs.Kind {
    /// Whether it is page content rather than a running head or foot.
    var isMatter: Bool {
        switch self {
        case .runningHead, .turned: false
        case .paragraph, .heading, .formula, .labels, .table: true
        }
    }
}
