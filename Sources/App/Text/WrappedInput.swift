import Screen

/// A text being edited, wrapped at spaces into rows of cells, with the cell of its cursor.
struct WrappedInput {
    private(set) var rows: [CleanText] = []
    private(set) var cursor = Position(row: 0, column: 0)

    /// The character indices of a row; a line end belongs to the row that it ends.
    private typealias Row = Range<Int>

    /// - Parameter columns: The last column of each row stays free for the cursor.
    init(_ input: TextInput, columns: Int) {
        let cells = input.characters.map { $0.isNewline ? CleanText() : CleanText(cleaning: String($0)) }
        let room = max(2, columns) - 1
        for row in Self.rows(of: input.characters, widths: cells.map(\.width), room: room) {
            let isLast = row.upperBound == input.characters.count
            if row.contains(input.cursor) || isLast && input.cursor == row.upperBound {
                let before = cells[row.lowerBound..<input.cursor]
                cursor = Position(row: rows.count, column: before.reduce(0) { $0 + $1.width })
            }
            rows.append(cells[row].reduce(CleanText()) { $0 + $1 })
        }
    }

    private static func rows(of characters: [Character], widths: [Int], room: Int) -> [Row] {
        var rows: [Row] = []
        var start = 0
        var width = 0
        /// Where the row can be broken: after its last space.
        var breakAt: Int?
        for (index, character) in characters.enumerated() {
            if width + widths[index] > room, index > start {
                let end = breakAt ?? index
                rows.append(start..<end)
                start = end
                width = widths[end..<index].reduce(0, +)
                breakAt = nil
            }
            width += widths[index]
            if character.isNewline {
                rows.append(start..<index + 1)
                (start, width, breakAt) = (index + 1, 0, nil)
            } else if character == " " {
                breakAt = index + 1
            }
        }
        return rows + [start..<characters.count]
    }
}
