import Annotations
import Screen

extension AppState {
    fileprivate var helpTitle: CleanText {
        let name: CleanText =
            switch help?.subject {
            case .messages: "Messages"
            case .refusal: "Why this is refused"
            default: "Help: keys available here"
            }
        guard let filter = help?.filter, help?.isTyping == false else { return name }
        return name + art.dot + CleanText(cleaning: filter.text)
    }

    var helpBox: OverlayBox {
        OverlayBox(size, rows: helpRows.count + (help?.isTyping == true ? 1 : 0), columns: OverlayBox.maxColumns)
    }
}

extension Canvas {
    mutating func drawHelp(_ state: AppState) {
        guard let help = state.help else { return }
        let box = state.helpBox
        draw(box, state.helpTitle, state)
        var inside = box.inside
        if help.isTyping, let filter = help.filter {
            let (line, rest) = inside.split(top: 1)
            drawLine(filter, label: "Filter: ", state.theme, in: line)
            inside = rest
        }
        let rows = state.helpRows
        let top = max(0, min(help.top, rows.count - inside.rows))
        for (index, row) in rows.dropFirst(top).prefix(inside.rows).enumerated() {
            draw(row.left, state, in: inside, row: index, column: 0)
            if let right = row.right {
                draw(right, state, in: inside, row: index, column: state.helpColumn + AppState.helpGap)
            }
        }
        if rows.count > inside.rows {
            let edge = Area(
                row: box.frame.row + 1, column: box.frame.endColumn - 1, rows: box.frame.rows - 1, columns: 1)
            let track = box.hasFrame ? edge.split(bottom: 1).rest : inside.split(right: 1).right
            drawScrollBar(top: top, total: rows.count, shown: inside.rows, state.theme, in: track)
        }
    }

    private mutating func draw(_ line: HelpLine, _ state: AppState, in area: Area, row: Int, column: Int) {
        var column = column
        for part in line.parts {
            let style: Style =
                switch part.role {
                case .heading: state.theme.heading
                case .key: state.theme.footerKey
                case .text: state.theme.text
                case .denied: state.theme.dimmed
                case .person(let name): Style(foreground: state.markColors.person(name))
                }
            column += write(part.text, in: area, row: row, column: column, style: style)
        }
    }
}
