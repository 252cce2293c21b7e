import Annotations
import Authorization
import InstantCore
import Screen

/// The layout of a list row for a width. Columns are dropped in this order: date and last editor, rights and group,
/// age, author down to three letters, the marked words if the record has a note; never state or kind.
struct RowFormat: Equatable, Sendable {
    private let columns: Int
    private let pageDigits: Int
    private let authorColumns: Int
    private let ageColumns: Int
    private let groupColumns: Int
    private let hasMarks: Bool
    private let rightsColumns: Int
    private let dateColumns: Int
    private let editorColumns: Int
    private let utcOffset: Int

    /// - Parameters:
    ///   - hasMarks: Whether the rows have a column for marks.
    ///   - hasRights: Whether permissions differ between records.
    init(columns: Int, pages: Int, hasMarks: Bool, hasRights: Bool, utcOffset: Int) {
        self.columns = columns
        self.hasMarks = hasMarks
        pageDigits = max(3, String(pages).count)
        authorColumns = columns >= 56 ? 7 : columns >= 44 ? 6 : 4
        ageColumns = columns >= 44 ? 11 : 0
        groupColumns = columns >= 96 ? 12 : 0
        rightsColumns = columns >= 96 && hasRights ? 22 : 0
        dateColumns = columns >= 112 ? 18 : 0
        editorColumns = columns >= 112 ? 10 : 0
        self.utcOffset = utcOffset
    }

    func line(_ row: ListRow, isCurrent: Bool, isMarked: Bool = false, _ document: DocumentState, at now: Timestamp)
        -> CleanText
    {
        let isSaving = document.pending.isSaving(row.id)
        let hasFailed = document.pending.failure(of: row.id) != nil
        let state = isSaving ? "^" : hasFailed ? "!" : row.delivery.sign ?? (row.isUnread ? "*" : " ")
        let page = row.pageIndex.map { String($0 + 1) } ?? "-"
        let author = CleanText(cleaning: document.author(of: row) ?? "-")
        let mark = hasMarks ? (isMarked ? "+" : " ") : ""
        var line: CleanText = "\(isCurrent ? ">" : " ")\(mark) \(String(state))\(String(row.kind.letter))"
        line += CleanText(cleaning: page).padded(to: pageDigits, align: .right) + .blanks(columns >= 44 ? 2 : 1)
        line += author.truncated(to: authorColumns - 1, ellipsis: "").padded(to: authorColumns)
        if groupColumns > 0 {
            line += CleanText(cleaning: row.group ?? "").truncated(to: groupColumns - 1).padded(to: groupColumns)
        }
        let room = columns - line.width - ageColumns - rightsColumns - dateColumns - editorColumns - 1
        line += text(row, document, room: room).truncated(to: max(0, room)).padded(to: max(0, room))
        if rightsColumns > 0 {
            let rights = CleanText(cleaning: document.shortRights(over: row) ?? "")
            line += "  " + rights.truncated(to: rightsColumns - 2).padded(to: rightsColumns - 2)
        }
        if dateColumns > 0 {
            let date = CleanText(cleaning: row.changedAt.map { RelativeTime.date($0, utcOffset: utcOffset) } ?? "")
            let editor = CleanText(cleaning: document.editor(of: row) ?? "")
            line += "  " + date.padded(to: dateColumns - 2)
            line += "  " + editor.truncated(to: editorColumns - 2).padded(to: editorColumns - 2)
        }
        guard ageColumns > 0 else { return line }
        let replies: CleanText = row.remarks > 0 ? "+\(row.remarks)\(row.delivery == .conflict ? " " : "")" : ""
        let age =
            isSaving
            ? "saving"
            : hasFailed ? "" : row.waitingWord ?? row.changedAt.map { RelativeTime.age(of: $0, at: now) } ?? ""
        let right = replies.padded(to: 4, align: .right) + CleanText(cleaning: age).padded(to: 7, align: .right)
        return line + right
    }

    /// Returns the marked words in quotation marks, then the text of the record.
    private func text(_ row: ListRow, _ document: DocumentState, room: Int) -> CleanText {
        let note = CleanText(cleaning: row.text.onOneLine(maxLength: 400))
        let failure: CleanText = document.pending.failure(of: row.id).map { "not saved: \($0) " } ?? ""
        let state: CleanText = row.review.map { $0 == .unset ? "" : "(\($0.rawValue)) " } ?? ""
        let warning: CleanText = failure + state + (row.warning.map { "(\($0)) " } ?? "")
        guard row.kind.isMarkup else {
            if case .unknown(let type) = row.kind, note.isEmpty { return warning + CleanText(cleaning: type) }
            // Their names say little alone.
            if !note.isEmpty, row.kind == .formField { return warning + "form field " + note }
            if !note.isEmpty, row.kind == .file { return warning + "file " + note }
            return note.isEmpty && warning.isEmpty ? CleanText(cleaning: row.name) : warning + note
        }
        let words = document.quotes.words(of: row) ?? ""
        if words.isEmpty { return warning + (note.isEmpty ? CleanText(cleaning: row.kind.name) : note) }
        if !note.isEmpty, room < 34 { return warning + note }
        let maxColumns = note.isEmpty ? max(4, room - 2) : max(12, room * 3 / 5)
        let quote: CleanText = "\"\(CleanText(cleaning: words).truncated(to: maxColumns))\""
        return warning + (note.isEmpty ? quote : quote + " " + note)
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
