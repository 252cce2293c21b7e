import Annotations
import InstantCore
import Screen

extension Canvas {
    mutating func drawOutbox(_ state: AppState, _ document: DocumentState, in area: Area) {
        let outbox = document.outbox
        let drafts: CleanText =
            outbox.drafts.isEmpty ? "" : "\(art.dot)Drafts without an annotation: \(outbox.drafts.count)"
        let elsewhere = outbox.copies.reduce(0) { $0 + $1.unsent }
        let copies: CleanText = elsewhere == 0 ? "" : "\(art.dot)Under other addresses: \(elsewhere)"
        rule(
            (document.isLocal ? "Conflicts: \(outbox.items.count)" : "Unsent: \(outbox.items.count)") + drafts + copies,
            row: area.row,
            columns: area.columns,
            style: state.theme.rule, titleStyle: state.theme.title)
        let inside = area.split(top: 1).rest
        if outbox.count == 0 {
            write(
                document.isLocal ? "No conflicts." : "Everything is sent.", in: inside, row: 1, column: 2,
                style: state.theme.dimmed)
        }
        let top = max(0, min(outbox.cursor - inside.rows / 2, outbox.count - inside.rows))
        for (row, index) in (0..<outbox.count).dropFirst(top).prefix(inside.rows).enumerated() {
            let isCurrent = index == outbox.cursor
            let whole =
                if index < outbox.items.count {
                    outbox.items[index].line(
                        at: state.now, isCurrent: isCurrent,
                        isSaving: document.pending.isSaving(outbox.items[index].id), upload: document.upload,
                        bar: art.bar)
                } else if index < outbox.items.count + outbox.drafts.count {
                    document.line(of: outbox.drafts[index - outbox.items.count], isCurrent: isCurrent, bar: art.bar)
                } else {
                    outbox.copies[index - outbox.items.count - outbox.drafts.count]
                        .line(isCurrent: isCurrent, bar: art.bar)
                }
            let line = whole.truncated(to: area.columns).padded(to: area.columns)
            write(line, in: inside, row: row, style: isCurrent ? state.theme.selection : state.theme.text)
            if isCurrent { cursor = Position(row: inside.row + row, column: inside.column) }
        }
    }
}

extension OutboxCopy {
    /// `>     -  2 edits   made under http://127.0.0.1:8080, Enter to send them here`
    fileprivate func line(isCurrent: Bool, bar: Character) -> CleanText {
        let head: CleanText = "\(isCurrent ? String(bar) : " ")     -  \(edits)"
        return head.padded(to: 19) + "made under \(server), Enter to send \(unsent == 1 ? "it" : "them") here"
    }
}

extension DocumentState {
    /// `>       -  draft of a reply             its annotation is gone  text`
    fileprivate func line(of draft: DraftKey, isCurrent: Bool, bar: Character) -> CleanText {
        let page = draft.page.map { String($0 + 1) } ?? "-"
        let head: CleanText = "\(isCurrent ? String(bar) : " ")   "
        let middle: CleanText = "\(CleanText(cleaning: page).padded(to: 3, align: .right))  \(draft.name)"
        let why =
            switch draft {
            case .note, .comment: "its page is gone"
            case .merge: "its conflict is gone"
            case .record, .reply, .together: "its annotation is gone"
            }
        return head + middle.padded(to: 33) + "\(why)  \(drafts[draft] ?? "")"
    }
}

extension OutboxItem {
    /// The past tense of the action, for `note changed`.
    var done: String {
        switch action {
        case .create: "added"
        case .update: "changed"
        case .delete: "deleted"
        }
    }

    /// `> ^N  3  note changed  5m  unsent  "text"`
    fileprivate func line(
        at now: Timestamp, isCurrent: Bool, isSaving: Bool, upload: UploadStatus?, bar: Character
    ) -> CleanText {
        let page = pageIndex.map { String($0 + 1) } ?? "-"
        let standing =
            switch delivery {
            case _ where isSaving: "saving"
            case .unsent where upload != nil && upload?.file == mine?.attachmentID:
                "sending its file  \(upload?.transfer.brief ?? "")"
            case .delivered, .unsent: "unsent"
            case .parked where isAside: reason ?? "put aside"
            case .parked: "held"
            case .conflict: "conflict, Enter to compare"
            case .refused: "refused"
            }
        let age = since.map { RelativeTime.age(of: $0, at: now) } ?? ""
        let head: CleanText = "\(isCurrent ? String(bar) : " ") \(String(delivery.sign ?? " "))\(String(kind.letter))"
        let middle: CleanText = "\(CleanText(cleaning: page).padded(to: 3, align: .right))  \(kind.name) \(done)"
        let reason: CleanText = isAside ? "" : reason.map { ": \($0)" } ?? ""
        let text: CleanText = ConflictCard.text(mine ?? base).map { "  \($0)" } ?? ""
        return head + middle.padded(to: 28) + CleanText(cleaning: age).padded(to: 5) + "\(standing)\(reason)" + text
    }
}
