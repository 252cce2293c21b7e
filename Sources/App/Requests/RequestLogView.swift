import InstantCore
import Screen

extension Canvas {
    /// `  12:04:31  GET   session                     200     12 ms`
    mutating func drawRequests(_ state: AppState, _ log: RequestLog, in area: Area) {
        let requests = log.requests ?? []
        let presence: CleanText = log.leftOut > 0 ? ", \(log.leftOut) about presence left out" : ""
        rule(
            "Requests to the server: \(requests.count)\(presence), newest first (Esc to close)", row: area.row,
            columns: area.columns,
            style: state.theme.rule, titleStyle: state.theme.title)
        let inside = area.split(top: 1).rest
        if requests.isEmpty { write("No requests yet.", in: inside, row: 1, column: 2, style: state.theme.dimmed) }
        for (row, request) in requests.dropFirst(log.top).prefix(inside.rows).enumerated() {
            write(
                request.line(columns: area.columns, utcOffset: state.utcOffset).truncated(to: area.columns), in: inside,
                row: row)
        }
    }
}

extension SentRequest {
    /// The outcome is always shown; a narrow screen omits time and method.
    fileprivate func line(columns: Int, utcOffset: Int) -> CleanText {
        let time = CleanText(cleaning: RelativeTime.clock(at, utcOffset: utcOffset))
        let start: CleanText = columns < 60 ? " " : "  \(time)  \(CleanText(cleaning: method).padded(to: 5))"
        let took = CleanText(cleaning: milliseconds.map { "\($0) ms" } ?? "")
        let width = max(10, min(40, columns - 40))
        return start + CleanText(cleaning: path).truncated(to: width).padded(to: width + 1)
            + took.padded(to: columns < 60 ? 7 : 9, align: .right) + "  \(outcome ?? "pending")"
    }
}
