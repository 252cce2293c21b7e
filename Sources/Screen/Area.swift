/// A size in rows and columns of cells; never negative.
package struct Size: Hashable, Sendable {
    package let rows: Int
    package let columns: Int

    package init(rows: Int, columns: Int) {
        self.rows = max(0, rows)
        self.columns = max(0, columns)
    }
}

/// A cell of a canvas, counted from 0 at the top left.
package struct Position: Hashable, Sendable {
    package var row: Int
    package var column: Int

    package init(row: Int, column: Int) {
        self.row = row
        self.column = column
    }
}

/// A rectangle of cells, such as a pane. Splitting off more than it has gives empty areas, so layouts need no checks
/// for a small terminal.
package struct Area: Hashable, Sendable {
    package let row: Int
    package let column: Int
    package let rows: Int
    package let columns: Int

    package init(row: Int, column: Int, rows: Int, columns: Int) {
        self.row = row
        self.column = column
        self.rows = max(0, rows)
        self.columns = max(0, columns)
    }

    package init(_ size: Size) {
        self.init(row: 0, column: 0, rows: size.rows, columns: size.columns)
    }

    package var size: Size { Size(rows: rows, columns: columns) }
    package var isEmpty: Bool { rows == 0 || columns == 0 }

    /// The first row and column after the area.
    package var endRow: Int { row + rows }
    package var endColumn: Int { column + columns }

    package func contains(_ position: Position) -> Bool {
        (row..<endRow).contains(position.row) && (column..<endColumn).contains(position.column)
    }

    /// Splits off the first `count` rows.
    package func split(top count: Int) -> (top: Area, rest: Area) {
        let cut = min(max(0, count), rows)
        return (
            Area(row: row, column: column, rows: cut, columns: columns),
            Area(row: row + cut, column: column, rows: rows - cut, columns: columns)
        )
    }

    /// Splits off the last `count` rows.
    package func split(bottom count: Int) -> (rest: Area, bottom: Area) {
        let (rest, bottom) = split(top: rows - min(max(0, count), rows))
        return (rest, bottom)
    }

    /// Splits off the first `count` columns.
    package func split(left count: Int) -> (left: Area, rest: Area) {
        let cut = min(max(0, count), columns)
        return (
            Area(row: row, column: column, rows: rows, columns: cut),
            Area(row: row, column: column + cut, rows: rows, columns: columns - cut)
        )
    }

    /// Splits off the last `count` columns.
    package func split(right count: Int) -> (rest: Area, right: Area) {
        let (rest, right) = split(left: columns - min(max(0, count), columns))
        return (rest, right)
    }

    package func inset(rows: Int = 0, columns: Int = 0) -> Area {
        split(top: rows).rest.split(bottom: rows).rest.split(left: columns).rest.split(right: columns).rest
    }

    package func intersection(_ other: Area) -> Area {
        let top = max(row, other.row)
        let left = max(column, other.column)
        return Area(
            row: top, column: left, rows: min(endRow, other.endRow) - top,
            columns: min(endColumn, other.endColumn) - left)
    }
}
