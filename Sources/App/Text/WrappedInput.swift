import Screen

/// A text being written, broken into rows of cells, with the cell of its cursor.
struct WrappedInput {
    private(set) var rows: [CleanText] = []
    private(set) var cursor = Position(row: 0, column: 0)

    init(_ input: TextInput, columns: Int) {
        let columns = max(2, columns)
        var row = CleanText()
        for (index, character) in input.characters.enumerated() {
            let isEnd = character == "\n" || character == "\r\n" || character == "\r"
            let cell = isEnd ? CleanText() : CleanText(cleaning: String(character))
            if row.width + cell.width > columns - 1 {
                rows.append(row)
                row = CleanText()
            }
            if index == input.cursor { cursor = Position(row: rows.count, column: row.width) }
            if isEnd {
                rows.append(row)
                row = CleanText()
            } else {
                row += cell
            }
        }
        if input.cursor == input.characters.count { cursor = Position(row: rows.count, column: row.width) }
        rows.append(row)
    }
}
