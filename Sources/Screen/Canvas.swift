/// One character cell: glyph and style.
package struct Cell: Hashable, Sendable {
    package static let blank = Cell(glyph: .blank, style: .normal)

    package var glyph: Glyph
    package var style: Style

    package init(glyph: Glyph, style: Style) {
        self.glyph = glyph
        self.style = style
    }
}

/// A screen as a value that views draw into, tests compare and the terminal shows. Drawing is clipped. A wide character
/// fills two cells; overwriting one of them blanks the other.
package struct Canvas: Hashable, Sendable {
    package let size: Size
    /// The characters that rules are drawn with.
    package let art: LineArt
    /// Row by row.
    package private(set) var cells: [Cell]
    /// Cells that terminals with hyperlinks (OSC 8) make clickable.
    package private(set) var links: [CanvasLink] = []
    /// Position of the terminal's cursor; nil hides it.
    package var cursor: Position?

    package init(size: Size, art: LineArt = .unicode) {
        self.size = size
        self.art = art
        cells = Array(repeating: .blank, count: size.rows * size.columns)
    }

    package var area: Area { Area(size) }

    /// Cells outside the canvas are blank.
    package subscript(row: Int, column: Int) -> Cell {
        guard area.contains(Position(row: row, column: column)) else { return .blank }
        return cells[row * size.columns + column]
    }

    /// Writes one line of text in at most `maxColumns` columns and returns the columns used, including clipped ones.
    /// With a negative `column`, the text begins left of the canvas.
    @discardableResult
    package mutating func write(
        _ text: CleanText, row: Int, column: Int, style: Style = .normal, maxColumns: Int = .max
    ) -> Int {
        let room = min(maxColumns, text.width)
        guard room > 0, (0..<size.rows).contains(row), column < size.columns, column > -text.width else {
            return max(0, room)
        }
        if text.isASCII {
            writeASCII(text, row: row, column: column, style: style, columns: room)
            return room
        }
        var used = 0
        for glyph in text.glyphs {
            let width = glyph.width
            if used + width > room { break }
            put(glyph, width: width, row: row, column: column + used, style: style)
            used += width
        }
        return used
    }

    /// Writes inside `area`, with row and column relative to it; clips to the area.
    @discardableResult
    package mutating func write(
        _ text: CleanText, in area: Area, row: Int = 0, column: Int = 0, style: Style = .normal
    ) -> Int {
        guard (0..<area.rows).contains(row), column >= 0, column < area.columns else { return 0 }
        return write(
            text, row: area.row + row, column: area.column + column, style: style, maxColumns: area.columns - column)
    }

    package mutating func fill(_ area: Area, with character: Character = " ", style: Style = .normal) {
        let clipped = area.intersection(self.area)
        // What is drawn over a link is not the link.
        if !links.isEmpty { unlink(clipped) }
        let text = CleanText(cleaning: String(character))
        let glyph = text.width == 1 ? text.glyphs.first { _ in true } ?? .blank : .blank
        for row in clipped.row..<clipped.endRow {
            for column in clipped.column..<clipped.endColumn {
                put(glyph, width: 1, row: row, column: column, style: style)
            }
        }
    }

    /// Draws a rule with a title: `─ Annotations 38 ─────`.
    package mutating func rule(
        _ title: CleanText = "", row: Int, column: Int = 0, columns: Int? = nil, style: Style = .normal,
        titleStyle: Style? = nil
    ) {
        let columns = columns ?? size.columns - column
        fill(Area(row: row, column: column, rows: 1, columns: columns), with: art.horizontal, style: style)
        guard !title.isEmpty, columns > 6 else { return }
        let shown: CleanText = " \(title.truncated(to: columns - 4)) "
        write(shown, row: row, column: column + 1, style: titleStyle ?? style)
    }

    /// Changes the style of drawn cells, for example for a selected row or a mark.
    package mutating func restyle(_ area: Area, _ change: (Style) -> Style) {
        let clipped = area.intersection(self.area)
        for row in clipped.row..<clipped.endRow {
            for index in (row * size.columns + clipped.column)..<(row * size.columns + clipped.endColumn) {
                cells[index].style = change(cells[index].style)
            }
        }
    }

    /// Makes cells lead to an address.
    package mutating func link(_ area: Area, to target: LinkTarget) {
        let clipped = area.intersection(self.area)
        guard clipped.columns > 0 else { return }
        for row in clipped.row..<clipped.endRow {
            links.append(CanvasLink(row: row, columns: clipped.column..<clipped.endColumn, target: target))
        }
    }

    private mutating func unlink(_ area: Area) {
        links.removeAll { link in
            let place = Area(row: link.row, column: link.columns.lowerBound, rows: 1, columns: link.columns.count)
            let shared = place.intersection(area)
            return shared.rows > 0 && shared.columns > 0
        }
    }

    /// Draws a line through the characters (U+0336), for terminals and fonts that show it.
    package mutating func strike(_ area: Area) {
        let clipped = area.intersection(self.area)
        for row in clipped.row..<clipped.endRow {
            for index in (row * size.columns + clipped.column)..<(row * size.columns + clipped.endColumn)
            where !cells[index].glyph.isContinuation && cells[index].glyph != .blank {
                _ = cells[index].glyph.add("\u{336}")
            }
        }
    }

    /// Puts one narrow cell.
    mutating func put(_ cell: Cell, row: Int, column: Int) {
        put(cell.glyph, width: 1, row: row, column: column, style: cell.style)
    }

    private mutating func writeASCII(_ text: CleanText, row: Int, column: Int, style: Style, columns: Int) {
        let skipped = max(0, -column)
        let visible = min(columns, size.columns - column) - skipped
        guard visible > 0 else { return }
        let start = row * size.columns + column + skipped
        split(before: start, row: row)
        split(before: start + visible, row: row)
        var index = start
        for byte in text.string.utf8.dropFirst(skipped).prefix(visible) {
            cells[index] = Cell(glyph: Glyph(Unicode.Scalar(byte)), style: style)
            index += 1
        }
    }

    private mutating func put(_ glyph: Glyph, width: Int, row: Int, column: Int, style: Style) {
        guard (0..<size.rows).contains(row), column + width > 0, column < size.columns else { return }
        let columns = max(0, column)..<min(size.columns, column + width)
        let start = row * size.columns + columns.lowerBound
        split(before: start, row: row)
        split(before: start + columns.count, row: row)
        guard columns.count == width else {
            cells[start] = Cell(glyph: .blank, style: style)
            return
        }
        cells[start] = Cell(glyph: glyph, style: style)
        if width == 2 { cells[start + 1] = Cell(glyph: .continuation, style: style) }
    }

    /// Blanks both halves of a wide character that spans this boundary.
    private mutating func split(before index: Int, row: Int) {
        guard index > row * size.columns, index < (row + 1) * size.columns, cells[index].glyph.isContinuation else {
            return
        }
        cells[index].glyph = .blank
        cells[index - 1].glyph = .blank
    }
}
