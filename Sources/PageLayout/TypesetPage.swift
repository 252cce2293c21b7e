package import Screen

/// A page set in terminal rows and columns: the reading view or the layout view of the same glyphs.
///
/// Column 0 of every row is a margin, blank or with the bracket of a mark that begins there. Build with `reading(_:width:opened:)` or `layout(_:zoom:)`.
package struct TypesetPage: Equatable, Sendable {
    package enum View: Hashable, Sendable { case reading, layout }

    package internal(set) var view: View
    package internal(set) var rows: [TypesetRow]
    /// Cells of the widest row, including both margins.
    package internal(set) var width: Int
    /// The spot of each glyph, by index. A hidden hyphen has the spot where its word continues; a glyph of a folded
    /// table has the spot of the table's placeholder.
    package internal(set) var spots: [Spot]

    package struct Spot: Hashable, Sendable {
        package var row: Int
        package var column: Int

        package init(row: Int, column: Int) { (self.row, self.column) = (row, column) }
    }
}

/// One row of a typeset page.
package struct TypesetRow: Equatable, Sendable {
    package enum Cell: Equatable, Sendable {
        case blank
        /// The glyph with this index; a wide one fills both of its cells.
        case glyph(Int)
        /// A character that is not on the page: a rule, a separator, part of a placeholder.
        case ornament(Character)
    }

    package enum Role: Hashable, Sendable {
        case body, heading, dim, rule
        /// The placeholder of the folded block with this index; Enter opens it.
        case placeholder(block: Int)
    }

    package var cells: [Cell]
    package var role: Role
}

extension TypesetPage {
    /// Returns the row as text for a canvas.
    package func text(of row: Int, in page: PageGlyphs) -> CleanText {
        var scalars = String.UnicodeScalarView()
        var previous: Int?
        for cell in rows[row].cells {
            switch cell {
            case .blank:
                scalars.append(" ")
                previous = nil
            case .ornament(let character):
                scalars += character.unicodeScalars
                previous = nil
            case .glyph(let index):
                if index != previous { scalars += page.glyphs[index].shown.scalars }
                previous = index
            }
        }
        return CleanText(cleaning: String(scalars))
    }

    package func spot(of glyph: Int) -> Spot? { spots.indices.contains(glyph) ? spots[glyph] : nil }

    /// Returns the glyph in a cell, or the nearest in its row or in the rows around it, the upper one first; nil on a
    /// page without text.
    package func glyph(nearest spot: Spot) -> Int? {
        guard !rows.isEmpty else { return nil }
        let middle = min(max(spot.row, 0), rows.count - 1)
        for distance in 0..<rows.count {
            for row in distance == 0 ? [middle] : [middle - distance, middle + distance] {
                if rows.indices.contains(row), let glyph = glyph(inRow: row, nearest: spot.column) { return glyph }
            }
        }
        return nil
    }

    /// Returns the glyph of a row nearest to a column, the left one if two are equally near; nil in a row
    /// without glyphs.
    package func glyph(inRow row: Int, nearest column: Int) -> Int? {
        let cells = rows[row].cells
        if case .placeholder = rows[row].role { return placeheld(row) }
        let column = min(column, cells.count)
        for distance in 0...cells.count {
            for place in distance == 0 ? [column] : [column - distance, column + distance] {
                if cells.indices.contains(place), case .glyph(let index) = cells[place] { return index }
            }
        }
        return nil
    }

    /// Returns the first glyph of a placeholder's block.
    private func placeheld(_ row: Int) -> Int? {
        let first = spots.partitionPoint { $0.row < row }
        return spots.indices.contains(first) && spots[first].row == row ? first : nil
    }
}
