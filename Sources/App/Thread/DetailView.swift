import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen

extension Canvas {
    /// Draws the full text of the current record, its facts and its thread.
    mutating func drawDetail(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let isInThread = document.focus == .thread
        let title: CleanText =
            isInThread ? "Thread \(document.thread.cursor + 1)/\(document.thread.comments.count)" : ""
        rule(
            title, row: area.row, column: area.column, columns: area.columns,
            style: isInThread ? state.theme.accent : state.theme.rule, titleStyle: state.theme.accent)
        guard let row = document.list.current else { return }
        let inside = area.split(top: 1).rest.inset(columns: 1)
        let text = DetailText(row, document, state, columns: inside.columns)
        let current = isInThread ? text.comments[safe: document.thread.cursor] ?? 0 : 0
        let top = max(0, min(current - inside.rows / 3, text.lines.count - inside.rows))
        let more: CleanText =
            isInThread || text.comments.isEmpty ? "..." : "... \(state.keyName(of: .otherPane)) to enter the thread"
        var lines = Array(text.lines.dropFirst(top).prefix(inside.rows))
        if !lines.isEmpty, text.lines.count > top + inside.rows {
            lines[lines.count - 1].text = more
            // The newest comment is shown even if the thread does not fit.
            if !isInThread, let newest = text.newest, lines.count >= 4 { lines[lines.count - 2] = newest }
        }
        for (index, line) in lines.enumerated() {
            write(line.text, in: inside, row: index, style: line.style)
            show(line.mentions, in: inside, row: index)
        }
        guard isInThread, (top..<top + inside.rows).contains(current) else { return }
        let place = Area(row: inside.row + current - top, column: inside.column, rows: 1, columns: inside.columns)
        restyle(place) { _ in state.theme.selection }
        cursor = Position(row: place.row, column: place.column)
    }

    /// Draws who created and last changed the current record, and when.
    mutating func drawBlame(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let text = document.blame(at: state.now, utcOffset: state.utcOffset, columns: area.columns)
        fill(area)
        write(text.truncated(to: area.columns - 2), in: area, column: 2, style: state.theme.dimmed)
    }
}

/// The detail text of the current record, wrapped to a width.
private struct DetailText {
    struct Line {
        var text: CleanText
        var style: Style
        var mentions: [MentionColumns] = []
    }

    var lines: [Line] = []
    /// The first line of each comment in the thread.
    var comments: [Int] = []
    /// The newest comment on one line.
    private(set) var newest: Line?

    init(_ row: ListRow, _ document: DocumentState, _ state: AppState, columns: Int) {
        let theme = state.theme
        let facts = document.facts(of: row, utcOffset: state.utcOffset).joined(separator: state.art.dot)
        for text in [facts, document.quote(of: row, state.art)] {
            lines += text.wrapped(to: columns).map { Line(text: $0, style: theme.dimmed) }
        }
        let text = document.detail.map { Annotation($0).text } ?? row.text
        if !text.isEmpty || document.thread.comments.isEmpty { add(text, theme.text, columns) }
        for comment in document.thread.comments {
            comments.append(lines.count)
            let flash = document.highlights.contains(comment.id, at: state.now) ? theme.flash : .normal
            let head = document.head(of: comment, at: state.now).truncated(to: columns)
            if let state = comment.content.state {
                let said = (head + " \(state.said)").truncated(to: columns)
                lines.append(Line(text: said, style: theme.dimmed.adding(flash)))
                continue
            }
            lines.append(Line(text: head, style: theme.heading.adding(flash)))
            let mentions = MentionStyle(comment.content.commentText, me: document.reference.userID, state.markColors)
            add(Annotation(comment).text, theme.text, columns, indent: 2, mentions: mentions)
        }
        guard let last = document.thread.comments.last, let head = comments.last else { return }
        guard last.content.state == nil else {
            newest = lines[head]
            return
        }
        let words = CleanText.lines(cleaning: Annotation(last).text).first ?? ""
        let start = lines[head].text.width + 1
        var mentions = MentionStyle(last.content.commentText, me: document.reference.userID, state.markColors)
        newest = Line(
            text: (lines[head].text + " " + words).truncated(to: columns), style: lines[head].style,
            mentions: mentions.next(words).map { mention in
                MentionColumns(
                    columns: start + mention.columns.lowerBound..<start + mention.columns.upperBound,
                    style: mention.style)
            })
    }

    private mutating func add(
        _ text: String, _ style: Style, _ columns: Int, indent: Int = 0, mentions: MentionStyle? = nil
    ) {
        var mentions = mentions
        for line in CleanText.lines(cleaning: text) {
            for part in line.wrapped(to: columns - indent) {
                let line: CleanText = .blanks(indent) + part
                lines.append(Line(text: line, style: style, mentions: mentions?.next(line) ?? []))
            }
        }
    }
}

extension DocumentState {
    /// `Highlight by ana`, `page 3`, `2026-05-30 14:05`, `changed 2026-06-01 09:00 by ben`, `yellow`, `group reviewers`,
    /// `read-only: ...`
    func facts(of row: ListRow, utcOffset: Int) -> [CleanText] {
        let author = Author.name(row.author, user: row.createdBy).map { " by \($0)" } ?? ""
        var facts: [CleanText] = [
            "\(row.name.prefix(scalars: 1).uppercased() + row.name.dropFirst(scalars: 1))\(author)"
        ]
        if let page = row.pageIndex { facts.append("page \(page + 1)") }
        let annotation = detail.flatMap { $0.id.isExactly(row.id) ? Annotation($0) : nil }
        func date(_ moment: Timestamp) -> String { RelativeTime.date(moment, utcOffset: utcOffset) }
        let made = annotation?.createdAt
        if let moment = made ?? row.changedAt { facts.append("\(date(moment))") }
        if let made, let changed = annotation?.updatedAt, date(changed) != date(made) {
            let changer = row.updatedBy.map { " by \(status.grant?.userID.isExactly($0) == true ? "me" : $0)" } ?? ""
            facts.append("changed \(date(changed))\(changer)")
        }
        if let color = annotation?.color { facts.append("\(Colors.name(color))") }
        if let group = row.group { facts.append("group \(group)") }
        if let state = row.review, state != .unset { facts.append("\(state.rawValue)") }
        if let target = annotation?.target { facts.append("to \(target)") }
        if let warning = row.warning { facts.append("\(warning)") }
        let rights = fullRights(over: row)
        if !rights.isEmpty { facts.append(CleanText(cleaning: rights)) }
        return facts
    }

    /// The marked words, or those that a replacement replaces; empty if there are none, or they are not read yet.
    func quote(of row: ListRow, _ art: LineArt) -> CleanText {
        func quoted(_ words: String) -> CleanText { art.quotes.open + CleanText(cleaning: words) + art.quotes.close }
        if let words = quotes.words(of: row), !words.isEmpty { return quoted(words) }
        // Drawn at every key press: other kinds replace nothing, and a page can have thousands of rows.
        guard row.kind == .caret, page.index == row.pageIndex, let glyphs = page.glyphs else { return "" }
        let parts = page.rows.filter { $0.kind == .strikeOut && $0.head.isExactly(row.id) }
        let words = parts.map { glyphs.words(under: $0.rects) }.filter { !$0.isEmpty }.joined(separator: " ")
        return words.isEmpty ? "" : "replaces " + quoted(words)
    }

    /// `ben, 5m:`
    func head(of comment: Record, at now: Timestamp) -> CleanText {
        let annotation = Annotation(comment)
        let isOwn = comment.createdBy != nil && comment.createdBy.isExactly(status.grant?.userID)
        let name = Author.name(annotation.author, user: comment.createdBy)
        let who = CleanText(cleaning: isOwn ? "me" : name ?? "-")
        let age = (annotation.createdAt ?? annotation.updatedAt).map { ", \(RelativeTime.age(of: $0, at: now))" } ?? ""
        let saving: CleanText = pending.isSaving(comment.id) ? ", saving" : ""
        let failure: CleanText = pending.failure(of: comment.id).map { ", not saved: \($0)" } ?? ""
        return who + CleanText(cleaning: age) + saving + failure + ":"
    }
}

extension AnnotationState {
    /// What the person did who set it.
    package var said: String {
        switch self {
        case .unset: "removed the state"
        case .marked: "marked it"
        case .unmarked: "removed the mark"
        default: rawValue + " it"
        }
    }
}

/// An author in detailed views. Where the token names none, users choose their own name, so their id stands beside it.
package enum Author {
    /// Returns `Ana Lopes (ana)`; only one of them if they differ only in case, or the other is missing.
    package static func name(_ name: String?, user: String?) -> String? {
        guard let name, let user, name.lowercased() != user.lowercased() else { return name ?? user }
        return "\(name) (\(user))"
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension DocumentState {
    fileprivate func blame(at now: Timestamp, utcOffset: Int, columns: Int) -> CleanText {
        guard let record = detail else { return "" }
        let annotation = Annotation(record)
        func moment(_ moment: Timestamp?) -> String {
            guard let moment else { return "" }
            let age = RelativeTime.age(of: moment, at: now)
            return columns < 60 ? " \(age)" : " \(RelativeTime.date(moment, utcOffset: utcOffset)) (\(age))"
        }
        let maker = Author.name(annotation.author, user: record.createdBy)
        let made = (maker.map { "created by \($0)" } ?? "part of the PDF") + moment(annotation.createdAt)
        guard let updated = annotation.updatedAt, updated != annotation.createdAt else {
            return CleanText(cleaning: made)
        }
        let changer =
            record.updatedBy.map { status.grant?.userID.isExactly($0) == true ? "me" : $0 } ?? "an unknown user"
        return CleanText(cleaning: "changed by \(changer)\(moment(updated)), \(made)")
    }
}
