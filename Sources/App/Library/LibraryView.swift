import Annotations
import Screen

extension LibraryState {
    /// Files elsewhere are listed if something is not written into them.
    fileprivate var filesTitle: CleanText {
        files.contains { $0.path.contains(scalar: "/") }
            ? "PDFs here, and unwritten elsewhere" : "PDFs in this folder"
    }
}

extension Canvas {
    mutating func drawLibrary(_ state: AppState) {
        let (bar, below) = area.split(top: state.tabRows)
        drawTabs(state, in: bar)
        let library = state.library
        let whole = state.currentLibraryRow(columns: area.columns)
        let (above, _) = below.split(bottom: 1)
        let (body, foot) = above.split(bottom: min(whole.count, above.rows / 3))
        for (row, line) in whole.enumerated() { write(line, in: foot, row: row, column: 2, style: state.theme.dimmed) }
        var rest = body
        if !library.files.isEmpty {
            // Below the files, room for the layers' title and a few of them.
            let least = min(body.rows / 2, 2 + max(3, library.entries?.count ?? 0))
            let (top, below) = body.split(top: min(library.files.count + 1, body.rows - least))
            let inside = draw(library.filesTitle, state, in: top)
            draw(library.files.count, at: library.cursor, state, in: inside) { index, isCurrent in
                let file = library.files[index]
                let style = file.unwritten > 0 || file.isMissing ? state.theme.unsent : state.theme.text
                return (file.line(columns: inside.columns, isCurrent: isCurrent, state), style)
            }
            rest = below.split(top: 1).rest
        }
        let inside = draw("Layers on this machine", state, in: rest)
        guard let entries = library.entries, !entries.isEmpty else { return drawEmpty(state, in: inside) }
        draw(entries.count, at: library.cursor - library.files.count, state, in: inside) { index, isCurrent in
            let entry = entries[index]
            let style = entry.unread > 0 ? state.theme.unread : state.theme.text
            return (entry.line(columns: inside.columns, isCurrent: isCurrent, state), style)
        }
    }

    /// Draws a title; returns what is below it.
    private mutating func draw(_ title: CleanText, _ state: AppState, in area: Area) -> Area {
        guard !area.isEmpty else { return area }
        rule(title, row: area.row, style: state.theme.rule, titleStyle: state.theme.title)
        return area.split(top: 1).rest
    }

    /// Draws as many rows as fit, the cursor's among them.
    ///
    /// - Parameter cursor: The row of the cursor; out of range if it is elsewhere.
    private mutating func draw(
        _ count: Int, at cursor: Int, _ state: AppState, in area: Area,
        line: (_ index: Int, _ isCurrent: Bool) -> (CleanText, Style)
    ) {
        let near = max(0, min(cursor, count - 1))
        let top = max(0, min(near - area.rows / 2, count - area.rows))
        for (row, index) in (top..<max(top, min(count, top + area.rows))).enumerated() {
            let (text, style) = line(index, index == cursor)
            write(text, in: area, row: row, style: index == cursor ? state.theme.selection : style)
            if index == cursor { self.cursor = Position(row: area.row + row, column: area.column) }
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

}

extension AppState {
    /// Returns all of the row at the cursor, wrapped; empty if it fits into its row.
    fileprivate func currentLibraryRow(columns: Int) -> [CleanText] {
        let (name, facts, room): (CleanText, [CleanText], Int)
        if let file = library.currentFile {
            (name, facts, room) = (CleanText(cleaning: file.path), file.facts(self), LibraryFile.columns(of: columns))
        } else if let entry = library.current {
            (name, facts, room) = (entry.name(columns: .max), entry.facts(self), LibraryEntry.columns(of: columns))
        } else {
            return []
        }
        let width = 2 + room + facts.reduce(0) { $0 + 2 + $1.width }
        guard name.width > room || width > columns else { return [] }
        return ([name] + facts).joined(separator: art.dot).wrapped(to: max(8, columns - 3))
    }
}

extension LibraryFile {
    /// Returns the columns of a name.
    fileprivate static func columns(of columns: Int) -> Int { max(12, min(48, columns / 2)) }

    fileprivate func facts(_ state: AppState) -> [CleanText] {
        var facts: [CleanText] = []
        if isMissing { facts.append("file missing") }
        if unwritten > 0 {
            facts.append(isMissing ? "\(FileStatus.changes(unwritten)) kept" : "\(unwritten) not in the file")
        }
        if let bytes { facts.append(CleanText(cleaning: ByteCount.text(bytes))) }
        if let modified { facts.append(CleanText(cleaning: RelativeTime.age(of: modified, at: state.now))) }
        return facts
    }

    /// `> paper.pdf   3 not in the file  309 kB  2h`
    fileprivate func line(columns: Int, isCurrent: Bool, _ state: AppState) -> CleanText {
        let half = Self.columns(of: columns)
        let name = CleanText(cleaning: path).truncated(to: half).padded(to: half)
        let start: CleanText = "\(isCurrent ? String(state.art.bar) : " ") \(name)"
        return facts(state).reduce(start) { $0 + "  " + $1 }.truncated(to: columns).padded(to: columns)
    }
}

extension LibraryEntry {
    /// Returns the columns of a name.
    fileprivate static func columns(of columns: Int) -> Int { max(12, min(40, columns * 2 / 5)) }

    /// Returns document and layer. A long name keeps both, because layers of one document differ in the second.
    func name(columns: Int) -> CleanText {
        let document = CleanText(cleaning: DocumentTitle.name(title ?? "", of: id.documentID))
        let layer = CleanText(cleaning: id.layer.isEmpty ? "default layer" : id.layer)
        guard document.width + layer.width + 3 > columns else { return document + " / " + layer }
        let shown = layer.truncated(to: max(4, columns / 2 - 3))
        return document.truncated(to: max(1, columns - shown.width - 3)) + " / " + shown
    }

    fileprivate func facts(_ state: AppState) -> [CleanText] {
        var facts: [CleanText] = []
        if unsent > 0 { facts.append("\(unsent) unsent") }
        if unread > 0 { facts.append("\(unread) new") }
        if let problem { facts.append(CleanText(cleaning: problem)) } else if !isDownloaded { facts.append("no PDF") }
        if let lastSync { facts.append("synced \(RelativeTime.age(of: lastSync, at: state.now))") }
        if let bytes { facts.append(CleanText(cleaning: ByteCount.text(bytes))) }
        facts.append(CleanText(cleaning: id.userID ?? "anonymous"))
        facts.append(CleanText(cleaning: id.server))
        return facts
    }

    /// `> hotos17 / review   1 unsent  2 new  synced 5m  309 kB  ana  localhost:5000`
    fileprivate func line(columns: Int, isCurrent: Bool, _ state: AppState) -> CleanText {
        let half = Self.columns(of: columns)
        let start: CleanText = "\(isCurrent ? String(state.art.bar) : " ") \(name(columns: half).padded(to: half))"
        return facts(state).reduce(start) { $0 + "  " + $1 }.truncated(to: columns).padded(to: columns)
    }
}
