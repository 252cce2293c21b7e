import Annotations
import InstantCore
import Screen

/// The reader: the whole text of the list's current annotation and its thread, over the list's pane, or over the screen
/// where that is narrow.
struct NoteReader: Equatable, Sendable {
    /// First line shown.
    var top = 0
}

// Reading, walking and copying.
extension AppState {
    mutating func openReader() -> [Effect] {
        guard document?.list.current != nil else { return only(.warning("The list is empty")) }
        document?.reader = NoteReader()
        return markCurrentRead()
    }

    mutating func runInReader(_ command: Command, count: Int?) -> [Effect] {
        guard let document, let reader = document.reader else { return [] }
        switch command {
        case .searchNext: return walk(by: max(1, count ?? 1))
        case .searchPrevious: return walk(by: -max(1, count ?? 1))
        case .goTo:
            self.document?.reader = nil
            return goToCurrent()
        case .copy: return copyNote(withQuote: false)
        case .copyAll: return copyNote(withQuote: true)
        default:
            let rows = readerArea.inset(rows: 1).rows
            let last = max(0, readerLines(columns: readerColumns).count - max(1, rows))
            if let top = command.row(from: min(reader.top, last), count: count, screen: rows, last: last) {
                self.document?.reader?.top = top
            }
            return []
        }
    }

    private mutating func walk(by step: Int) -> [Effect] {
        guard let list = document?.list else { return [] }
        let target = list.cursor + step
        guard (0..<list.total).contains(target) else {
            return only(.done(step > 0 ? "This is the last annotation" : "This is the first annotation"))
        }
        document?.reader = NoteReader()
        document?.list.move(to: target)
        return markCurrentRead() + followList()
    }

    /// Copies the selection on the page, the comment in the thread, or the text of the annotation.
    mutating func copyHere() -> [Effect] {
        switch document?.focus {
        case .list: return copyNote(withQuote: false)
        case .thread:
            guard let comment = document?.thread.current else { return [] }
            return [.copy(Annotation(comment).text, isAddress: false)]
        case .page, nil: return copySelection()
        }
    }

    mutating func copyNote(withQuote: Bool) -> [Effect] {
        guard let document, let row = document.list.current else { return [] }
        let text = document.text(of: row)
        let quote = document.quotes.words(of: row).map { $0.isEmpty ? "" : "“\($0)”\n" } ?? ""
        let all = (withQuote ? quote : "") + text
        guard !all.isEmpty else { return only(.warning("No text to copy")) }
        return [.copy(all, isAddress: false)]
    }

    // MARK: Layout

    /// The area of the reader: the list's pane with its detail, or everything between title and status line.
    var readerArea: Area {
        let layout = layout
        guard layout.form == .beside else { return layout.body }
        let rows = layout.body.rows
        let column = layout.listTitle.column
        return Area(row: layout.body.row, column: column, rows: rows, columns: size.columns - column)
    }

    /// Text wider than this is hard to read.
    private static let maxColumns = 76
    var readerColumns: Int { max(8, min(Self.maxColumns, readerArea.columns - 3)) }

    /// All lines of the reader: head, quote, text, and the thread as a tree.
    func readerLines(columns: Int) -> [ReaderLine] {
        guard let document, let row = document.list.current else { return [] }
        var lines: [ReaderLine] = []
        func add(_ text: String, _ role: ReaderRole, indent: CleanText = "", mentions: MentionStyle? = nil) {
            var mentions = mentions
            for line in CleanText.lines(cleaning: text) {
                for part in line.wrapped(to: columns - indent.width) {
                    let line = indent + part
                    lines.append(ReaderLine(text: line, role: role, mentions: mentions?.next(line) ?? []))
                }
            }
        }
        lines += document.facts(of: row, utcOffset: utcOffset).joined(separator: art.dot).wrapped(to: columns)
            .map { ReaderLine(text: $0, role: .fact) }
        let quote = document.quote(of: row, art)
        if !quote.isEmpty { lines += quote.wrapped(to: columns).map { ReaderLine(text: $0, role: .quote) } }
        let text = document.text(of: row)
        if !text.isEmpty {
            lines.append(ReaderLine(text: "", role: .text))
            add(text, .text)
        }
        for comment in document.thread.comments {
            lines.append(ReaderLine(text: "", role: .text))
            let head = art.branch + document.head(of: comment, at: now)
            lines.append(ReaderLine(text: head.truncated(to: columns), role: .person))
            let mentions = MentionStyle(comment.content.commentText, me: document.reference.userID, markColors)
            add(Annotation(comment).text, .text, indent: "  ", mentions: mentions)
        }
        return lines
    }
}

/// A line of the reader.
struct ReaderLine: Equatable, Sendable {
    var text: CleanText
    var role: ReaderRole
    var mentions: [MentionColumns] = []
}

/// What a line of the reader says, which decides its style.
enum ReaderRole: Equatable, Sendable { case fact, quote, text, person }

extension DocumentState {
    /// The whole text of a row, once its record is loaded; else its beginning.
    fileprivate func text(of row: ListRow) -> String {
        guard let detail, detail.id.isExactly(row.id) else { return row.text }
        return Annotation(detail).text
    }
}

extension Canvas {
    mutating func drawReader(_ state: AppState, _ document: DocumentState) {
        guard let reader = document.reader, let row = document.list.current else { return }
        let area = state.readerArea
        fill(area)
        let columns = state.readerColumns
        let lines = state.readerLines(columns: columns)
        let list = document.list
        let what: CleanText = document.isReviewing ? "Review: " : ""
        let title: CleanText = what + "\(row.name) \(list.cursor + 1) of \(list.total)"
        rule(
            clean(title), row: area.row, column: area.column, columns: area.columns, style: state.theme.accent,
            titleStyle: state.theme.accent)
        let inside = area.split(top: 1).rest
        let top = max(0, min(reader.top, lines.count - inside.rows))
        for (index, line) in lines.dropFirst(top).prefix(inside.rows).enumerated() {
            let style: Style =
                switch line.role {
                case .fact, .quote: state.theme.dimmed
                case .text: state.theme.text
                case .person: state.theme.heading
                }
            write(line.text, in: inside, row: index, column: 1, style: style)
            show(line.mentions, in: inside, row: index, column: 1)
        }
        if lines.count > inside.rows {
            drawScrollBar(
                top: top, total: lines.count, state.theme, in: inside.split(right: 1).right)
        }
        if let divider = state.layout.divider { fill(divider, with: art.vertical, style: state.theme.rule) }
        cursor = Position(row: inside.row, column: inside.column)
    }
}
