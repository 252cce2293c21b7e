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
            let text: CleanText =
                state.library.entries == nil
                ? "Loading layers ..."
                : "No layers yet. \(state.words(for: .startDemo, "demo")) · \(state.words(for: .addLayer, "add a server or token")) · \(state.words(for: .openFile, "open a PDF"))"
            for (row, line) in text.wrapped(to: inside.columns - 4).enumerated() {
                write(line, in: inside, row: row + 1, column: 2, style: state.theme.dimmed)
            }
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

extension AppState {
    /// Returns a key with its action: `d demo`.
    fileprivate func words(for command: Command, _ words: String) -> CleanText {
        let binding = keymap.bindings(in: [.library]).first { $0.command == command }
        return binding.map { "\($0.shortName) \(words)" } ?? ":\(command.rawValue) \(words)"
    }
}

extension LibraryEntry {
    /// `> hotos17 / review   1 unsent  2 new  clean  synced 5m  309 kB  ana  localhost:5000`
    fileprivate func line(columns: Int, isCurrent: Bool, _ state: AppState) -> CleanText {
        let name: CleanText = "\(title ?? id.documentID) / \(id.layer.isEmpty ? "default layer" : id.layer)"
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
        let start: CleanText = "\(isCurrent ? String(state.art.bar) : " ") \(name.truncated(to: half).padded(to: half))"
        return facts.reduce(start) { $0 + "  " + $1 }.truncated(to: columns).padded(to: columns)
    }
}
