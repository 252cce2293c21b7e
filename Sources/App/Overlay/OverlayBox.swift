import Screen

/// The place of an overlay: a box in the middle of the screen, as tall as it needs. On a small screen it takes all rows
/// but the last, without a frame, and its keys stand in the last row.
struct OverlayBox: Equatable, Sendable {
    let frame: Area
    let inside: Area
    /// The row of its keys.
    let keys: Area
    let hasFrame: Bool

    static let maxColumns = 100

    /// - Parameters:
    ///   - rows: Rows that the content needs.
    ///   - columns: Columns that the content needs, of at most ``maxColumns``.
    init(_ size: Size, rows: Int, columns: Int) {
        let (screen, last) = Area(size).split(bottom: 1)
        hasFrame = Self.hasFrame(size)
        guard hasFrame else {
            frame = screen
            inside = screen.split(top: 1).rest.inset(columns: 1)
            keys = last
            return
        }
        // The status line stays visible.
        let room = screen.split(bottom: 1).rest
        let height = min(room.rows, rows + 4)
        let width = Self.columns(size, columns) + 4
        frame = Area(
            row: (room.rows - height) / 2, column: (room.columns - width) / 2, rows: height, columns: width)
        let content = frame.inset(rows: 1, columns: 2)
        keys = content.split(bottom: 1).bottom
        inside = content.split(bottom: 2).rest
    }

    static func hasFrame(_ size: Size) -> Bool { size.rows >= 14 && size.columns >= 60 }

    /// Returns the columns of the content.
    static func columns(_ size: Size, _ wanted: Int = maxColumns) -> Int {
        hasFrame(size) ? max(30, min(wanted, maxColumns - 4, size.columns - 8)) : size.columns - 2
    }
}

extension Canvas {
    /// Dims what is drawn so far, and draws the empty box with its title and keys.
    mutating func draw(_ box: OverlayBox, _ title: CleanText, _ state: AppState) {
        cursor = nil
        let theme = state.theme
        if box.hasFrame { restyle(area) { _ in theme.covered } }
        fill(box.frame, style: theme.card)
        let columns = box.frame.columns
        if box.hasFrame { frame(box.frame, style: theme.rule) }
        let top = Area(row: box.frame.row, column: box.frame.column, rows: 1, columns: columns)
        let rule = box.hasFrame ? top.inset(columns: 1) : top
        fill(rule, with: art.horizontal, style: theme.accent)
        write(" \(title.truncated(to: max(1, columns - 6))) ", in: rule, column: 1, style: theme.cardTitle)
        if box.hasFrame { drawKeys(state, in: box.keys) }
    }

    private mutating func frame(_ area: Area, style: Style) {
        let corners = art.corners.map { CleanText(cleaning: String($0)) }
        let (left, right) = (area.split(left: 1).left, area.split(right: 1).right)
        fill(left, with: art.vertical, style: style)
        fill(right, with: art.vertical, style: style)
        fill(area.split(bottom: 1).bottom, with: art.horizontal, style: style)
        write(corners[0], in: left, style: style)
        write(corners[1], in: right, style: style)
        write(corners[2], in: left, row: area.rows - 1, style: style)
        write(corners[3], in: right, row: area.rows - 1, style: style)
    }
}
