import Annotations
import Authorization
import InstantCore
import Screen

/// The layout of the list's rows for a width and for the rows on the screen. No column is wider than these rows need,
/// and none is reserved for a state that no row has. As the width shrinks, columns are dropped in this order: date and
/// last editor, rights and group, age, author down to four letters, the marked words if the record has a note; never
/// state or kind.
struct RowFormat: Equatable, Sendable {
    /// What a piece of a row says, which decides its style.
    enum Role: Equatable, Sendable {
        /// Kind, page and other facts.
        case fact
        /// Who wrote it.
        case person(String)
        /// What a person wrote.
        case remark
        /// The marked words, and names in place of a remark.
        case quote
        /// Why the row is not what it seems.
        case warning
        /// Ages, dates, rights.
        case aside
    }

    typealias Piece = (text: CleanText, role: Role)

    private let columns: Int
    private let pageDigits: Int
    private let stateColumns: Int
    private let authorColumns: Int
    private let rightColumns: Int
    private let groupColumns: Int
    private let hasMarks: Bool
    private let rightsColumns: Int
    private let dateColumns: Int
    private let editorColumns: Int
    private let utcOffset: Int
    private let art: LineArt
    private let now: Timestamp

    /// - Parameters:
    ///   - rows: The rows on the screen.
    ///   - hasMarks: Whether the rows have a column for marks.
    init(
        columns: Int, rows: [ListRow], _ document: DocumentState, hasMarks: Bool, utcOffset: Int, at now: Timestamp,
        art: LineArt
    ) {
        self.columns = columns
        self.hasMarks = hasMarks
        self.utcOffset = utcOffset
        self.art = art
        self.now = now
        let hasRights = document.status.grant?.collaboration != nil
        let authors = rows.map { CleanText(cleaning: document.author(of: $0) ?? "-").width }.max() ?? 1
        pageDigits = rows.map { $0.pageIndex.map { String($0 + 1).count } ?? 1 }.max() ?? 1
        stateColumns = rows.contains { Self.state(of: $0, document) != " " } ? 1 : 0
        authorColumns = min(
            authors, columns >= 96 ? 16 : columns >= 72 ? 12 : columns >= 56 ? 9 : columns >= 44 ? 6 : 4)
        rightColumns =
            columns >= 36 ? rows.map { Self.right(of: $0, document, at: now).width }.max().map { $0 + 2 } ?? 0 : 0
        groupColumns = columns >= 96 && rows.contains { $0.group != nil } ? 12 : 0
        rightsColumns = columns >= 96 && hasRights ? 22 : 0
        dateColumns = columns >= 112 ? 18 : 0
        editorColumns = columns >= 112 ? 10 : 0
    }

    /// Returns one line, or two if the text does not fit one and two are wanted. Without the column of the cursor's bar.
    func lines(_ row: ListRow, isMarked: Bool = false, _ document: DocumentState, max: Int) -> [[Piece]] {
        let mark = hasMarks ? (isMarked ? "+" : " ") : ""
        let state = stateColumns > 0 ? String(Self.state(of: row, document)) : ""
        let page = CleanText(cleaning: row.pageIndex.map { String($0 + 1) } ?? "-").padded(
            to: pageDigits, align: .right)
        let author = document.author(of: row) ?? "-"
        let name = CleanText(cleaning: author).truncated(to: authorColumns, ellipsis: "").padded(to: authorColumns + 1)
        var head: [Piece] = [("\(mark)\(state)\(String(row.kind.letter)) \(page) ", .fact), (name, .person(author))]
        if groupColumns > 0 {
            let group = CleanText(cleaning: row.group ?? "").truncated(to: groupColumns - 1).padded(to: groupColumns)
            head.append((group, .aside))
        }
        let indent = head.reduce(0) { $0 + $1.text.width }
        // Where nothing is between text and age, each row's text goes on to its own age.
        let right = Self.right(of: row, document, at: now)
        let hasColumns = rightsColumns + dateColumns > 0
        let rightRoom = rightColumns == 0 || hasColumns ? rightColumns : right.width + 2
        let room = columns - indent - rightRoom - rightsColumns - dateColumns - editorColumns
        var lines = text(row, document, room: room, max: max)
        let used = lines[0].reduce(0) { $0 + $1.text.width }
        lines[0] = head + lines[0] + [(.blanks(room - used), .fact)] + tail(row, document)
        if rightRoom > 0 {
            let isWaiting = row.waitingWord != nil || document.pending.isSaving(row.id)
            lines[0].append((right.padded(to: rightRoom, align: .right), isWaiting ? .warning : .aside))
        }
        for index in lines.indices.dropFirst() { lines[index].insert((.blanks(indent), .fact), at: 0) }
        return lines
    }

    /// The columns between text and age.
    private func tail(_ row: ListRow, _ document: DocumentState) -> [Piece] {
        var pieces: [Piece] = []
        if rightsColumns > 0 {
            let rights = CleanText(cleaning: document.shortRights(over: row) ?? "")
            pieces.append(("  " + rights.truncated(to: rightsColumns - 2).padded(to: rightsColumns - 2), .aside))
        }
        if dateColumns > 0 {
            let date = CleanText(cleaning: row.changedAt.map { RelativeTime.date($0, utcOffset: utcOffset) } ?? "")
            let editor = CleanText(cleaning: document.editor(of: row) ?? "")
            pieces.append(("  " + date.padded(to: dateColumns - 2), .aside))
            pieces.append(("  " + editor.truncated(to: editorColumns - 2).padded(to: editorColumns - 2), .aside))
        }
        return pieces
    }

    /// Replies and age, or the state of an edit that has not arrived.
    private static func right(of row: ListRow, _ document: DocumentState, at now: Timestamp) -> CleanText {
        let replies: CleanText = row.remarks > 0 ? "+\(row.remarks)" : ""
        if document.pending.failure(of: row.id) != nil { return replies }
        let word =
            document.pending.isSaving(row.id)
            ? "saving" : row.waitingWord ?? row.changedAt.map { RelativeTime.age(of: $0, at: now) } ?? ""
        return [replies, CleanText(cleaning: word)].filter { !$0.isEmpty }.joined(separator: "  ")
    }

    private static func state(of row: ListRow, _ document: DocumentState) -> Character {
        if document.pending.isSaving(row.id) { return "^" }
        if document.pending.failure(of: row.id) != nil { return "!" }
        return row.delivery.sign ?? (row.isUnread ? "*" : " ")
    }

    /// Returns the remark, or the marked words if there is none or if both fit.
    private func text(_ row: ListRow, _ document: DocumentState, room: Int, max: Int) -> [[Piece]] {
        // The names of fields and files say little alone.
        let noun = row.text.isEmpty ? "" : row.kind == .formField ? "form field " : row.kind == .file ? "file " : ""
        let note = CleanText(cleaning: noun + row.text.onOneLine(maxLength: 400))
        let failure: CleanText = document.pending.failure(of: row.id).map { "not saved: \($0) " } ?? ""
        let state: CleanText = row.review.map { $0 == .unset ? "" : "(\($0.rawValue)) " } ?? ""
        let warning: CleanText = failure + state + (row.warning.map { "(\($0)) " } ?? "")
        let start: [Piece] = warning.isEmpty ? [] : [(warning.truncated(to: room), .warning)]
        let left = room - warning.width
        let words = row.kind.isMarkup ? CleanText(cleaning: document.quotes.words(of: row) ?? "") : ""
        guard !note.isEmpty else {
            if !words.isEmpty {
                let shown = words.truncated(to: Swift.max(1, left - 2))
                return [start + [(art.quotes.open + shown + art.quotes.close, .quote)]]
            }
            if case .unknown(let type) = row.kind { return [start + [(clean("\(type)").truncated(to: left), .quote)]] }
            return [start + [(CleanText(cleaning: row.name).truncated(to: left), .quote)]]
        }
        if note.width <= left {
            let space = left - note.width - 3
            guard !words.isEmpty, space >= min(words.width + 1, 16) else { return [start + [(note, .remark)]] }
            let quote = art.quotes.open + words.truncated(to: space - 1) + art.quotes.close
            return [start + [(note, .remark), ("  " + quote, .quote)]]
        }
        guard max > 1, left > 8 else { return [start + [(note.truncated(to: left), .remark)]] }
        let wrapped = note.wrapped(to: left)
        let rest = note.dropping(columns: wrapped[0].width).trimmingStart
        return [start + [(wrapped[0], .remark)], [(rest.truncated(to: room), .remark)]]
    }
}

extension CleanText {
    fileprivate var trimmingStart: CleanText {
        let blanks = string.prefix { $0 == " " }.count
        return dropping(columns: blanks)
    }
}

extension DocumentState {
    /// Returns the author; `me` for the user.
    func author(of row: ListRow) -> String? {
        if let user = row.createdBy, status.grant?.userID.isExactly(user) == true { return "me" }
        return row.author ?? row.createdBy
    }

    /// Returns the last editor; `me` for the user.
    fileprivate func editor(of row: ListRow) -> String? {
        row.updatedBy.map { status.grant?.userID.isExactly($0) == true ? "me" : $0 }
    }
}

extension String {
    /// Returns at most `maxLength` characters, with spaces for line ends. Most texts are one short line of ASCII,
    /// which is detected fast; splitting into characters costs more than the rest of a row.
    fileprivate func onOneLine(maxLength: Int) -> String {
        if utf8.count <= maxLength, utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        return String(prefix(maxLength).map { $0.isNewline ? " " : $0 })
    }
}

extension ListRow {
    /// The state of an undelivered edit, shown in place of the age.
    fileprivate var waitingWord: String? {
        switch delivery {
        case .delivered: nil
        case .unsent: "unsent"
        case .parked: "held"
        case .conflict: "conflict"
        case .refused: "refused"
        }
    }
}
