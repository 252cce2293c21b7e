/// Where a pane starts so that its cursor is in sight.
enum Scrolling {
    /// Small steps scroll no further than they must; a jump lands with something to read before and behind it.
    ///
    /// - Parameters:
    ///   - top: first row shown so far.
    ///   - cursor: the row that has to be seen, from 0.
    ///   - rows: that fit.
    ///   - count: rows in all.
    static func top(_ top: Int, cursor: Int, rows: Int, count: Int) -> Int {
        let rows = max(1, rows)
        let isJump = cursor < top - rows / 2 || cursor >= top + rows + rows / 2
        let wanted = isJump ? cursor - rows / 3 : min(max(top, cursor - rows + 1), cursor)
        return max(0, min(wanted, count - rows))
    }
}
