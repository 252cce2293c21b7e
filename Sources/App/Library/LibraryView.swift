import Annotations
import Screen

extension Canvas {
    mutating func drawLibrary(_ state: AppState) {
        let (bar, below) = area.split(top: state.tabRows)
        drawTabs(state, in: bar)
        let (body, _) = below.split(bottom: 1)
        rule("Layers on this machine", row: body.row, style: state.theme.rule, titleStyle: state.theme.title)
        let inside = body.split(top: 1).rest
        if let entries = state.library.entries, !entries.isEmpty {
            draw(entries, state, in: inside)
        } else {
            drawEmpty(state, in: inside)
        }
    }

    /// Explains the program to a person who has no layer yet.
    private mutating func drawEmpty(_ state: AppState, in area: Area) {
        guard state.library.entries != nil else {
            write("Loading layers ...", in: area, row: 1, column: 2, style: state.theme.dimmed)
            return
        }
        let words: CleanText = """
            No layers yet. A layer is one set of annotations on a PDF, stored on a server. What you open is kept on \
            this machine too, so you can read and write offline.
            """
        var row = area.rows < 12 ? 0 : 1
        for line in words.wrapped(to: min(76, area.columns - 4)) {
            write(line, in: area, row: row, column: 2)
            row += 1
        }
        row += area.rows < 12 ? 0 : 1
        let ways: [(Command, CleanText)] = [
            (.startDemo, "Try it: a server with sample documents, on this machine"),
            (.addLayer, "Add a layer: the address of a server, then your token"),
            (.openFile, "Open a PDF from disk, to read it"), (.help, "All keys"),
        ]
        for (command, meaning) in ways {
            let binding = state.keymap.bindings(in: [.library, .everywhere]).first { $0.command == command }
            let key = CleanText(cleaning: binding?.shortName ?? ":" + command.rawValue).padded(to: 4)
            write(key, in: area, row: row, column: 2, style: state.theme.footerKey)
            for (index, line) in meaning.wrapped(to: max(8, area.columns - 8)).enumerated() {
                write(line, in: area, row: row + index, column: 2 + key.width)
            }
            row += meaning.wrapped(to: max(8, area.columns - 8)).count
        }
    }

    private mutating func draw(_ entries: [LibraryEntry], _ state: AppState, in area: Area) {
        let top = max(0, min(state.library.cursor - area.rows / 2, entries.count - area.rows))
        for (row, entry) in entries.dropFirst(top).prefix(area.rows).enumerated() {
            let isCurrent = top + row == state.library.cursor
            let style = isCurrent ? state.theme.selection : entry.unread > 0 ? state.theme.unread : state.theme.text
            write(entry.line(columns: area.columns, isCurrent: isCurrent, state), in: area, row: row, style: style)
            if isCurrent { cursor = Position(row: area.row + row, column: area.column) }
        }
    }
}

extension LibraryEntry {
    /// Returns document and layer. A long name keeps both, because layers of one document differ in the second.
    func name(columns: Int) -> CleanText {
        let document = CleanText(cleaning: DocumentTitle.name(title ?? "", of: id.documentID))
        let layer = CleanText(cleaning: id.layer.isEmpty ? "default layer" : id.layer)
        guard document.width + layer.width + 3 > columns else { return document + " / " + layer }
        let shown = layer.truncated(to: max(4, columns / 2 - 3))
        return document.truncated(to: max(1, columns - shown.width - 3)) + " / " + shown
    }

    /// `> hotos17 / review   1 unsent  2 new  clean  synced 5m  309 kB  ana  localhost:5000`
    fileprivate func line(columns: Int, isCurrent: Bool, _ state: AppState) -> CleanText {
        var facts: [CleanText] = []
        if unsent > 0 { facts.append("\(unsent) unsent") }
        if unread > 0 { facts.append("\(unread) new") }
        facts.append(
            problem.map { CleanText(cleaning: $0) } ?? CleanText(cleaning: isDownloaded ? self.state : "no PDF"))
        if let lastSync { facts.append("synced \(RelativeTime.age(of: lastSync, at: state.now))") }
        if let bytes { facts.append(CleanText(cleaning: ByteCount.text(bytes))) }
        facts.append(CleanText(cleaning: id.userID ?? "anonymous"))
        facts.append(CleanText(cleaning: id.server))
        let half = max(12, min(40, columns * 2 / 5))
        let start: CleanText = "\(isCurrent ? String(state.art.bar) : " ") \(name(columns: half).padded(to: half))"
        return facts.reduce(start) { $0 + "  " + $1 }.truncated(to: columns).padded(to: columns)
    }
}
