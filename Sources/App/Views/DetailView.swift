import Annotations
import Authorization
import InstantCore
import Screen

extension Canvas {
    /// The whole text of the current record, and what is known of it.
    mutating func drawDetail(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        rule(row: area.row, column: area.column, columns: area.columns, style: state.theme.rule)
        guard let row = document.list.current else { return }
        let inside = area.split(top: 1).rest.inset(columns: 1)
        var lines = document.facts(of: row, at: state.now, utcOffset: state.utcOffset).wrapped(to: inside.columns)
        let facts = lines.count
        if let words = document.quotes.words(of: row), !words.isEmpty {
            lines += CleanText(cleaning: "\"\(words)\"").wrapped(to: inside.columns)
        }
        let text = document.detail.map { Annotation($0).text } ?? row.text
        lines += CleanText.lines(cleaning: text).flatMap { $0.wrapped(to: inside.columns) }
        for (index, line) in lines.prefix(inside.rows).enumerated() {
            let isLast = index == inside.rows - 1 && lines.count > inside.rows
            write(
                isLast ? "..." : line, in: inside, row: index,
                style: index < facts ? state.theme.dimmed : state.theme.text)
        }
    }
}

extension DocumentState {
    /// `highlight on page 3, by ana, 2026-05-30 14:05, group reviewers, read only: ...`
    fileprivate func facts(of row: ListRow, at now: Timestamp, utcOffset: Int) -> CleanText {
        var facts: [CleanText] = ["\(row.kind.name)\(row.pageIndex.map { " on page \($0 + 1)" } ?? "")"]
        if let author = row.author ?? row.createdBy { facts.append("by \(author)") }
        if let moment = row.changedAt {
            facts.append(CleanText(cleaning: RelativeTime.date(moment, utcOffset: utcOffset)))
        }
        if let group = row.group { facts.append("group \(group)") }
        if let target = detail.flatMap({ Annotation($0).target }) { facts.append("to \(target)") }
        if let warning = row.warning { facts.append("\(warning)") }
        if let why = denial({ _ in .edit(row.subject) }) { facts.append("read only: \(why)") }
        return facts.dropFirst().reduce(facts[0]) { $0 + ", " + $1 }
    }
}
