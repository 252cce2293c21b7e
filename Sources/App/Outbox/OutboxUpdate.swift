import Annotations
import InstantCore
import Screen

// The list of edits that are not sent yet, and of drafts that no key opens any more.
extension AppState {
    mutating func outboxCame(_ items: [OutboxItem]) {
        document?.outbox.take(items)
    }

    mutating func otherCopiesCame(_ copies: [OutboxCopy]) {
        let known = document?.outbox.copies ?? []
        document?.outbox.take(copies: copies)
        guard let first = copies.first, copies != known, document?.outbox.isOpen == false else { return }
        let count = OutboxCopy(server: "", unsent: copies.reduce(0) { $0 + $1.unsent }).edits
        let others = copies.count > 1 ? " and elsewhere" : ""
        notice = .warning(
            "\(count) of this layer unsent under \(first.server)\(others)",
            hint: .init(command: .outbox, effect: "to see them"))
    }

    /// Saves the draft at the cursor to a file; elsewhere all unsent edits.
    mutating func saveUnsent() -> [Effect] {
        guard let document else { return [] }
        if overlay == .outbox, let key = document.outbox.currentDraft {
            return document.drafts[key].map { [.saveText($0)] } ?? []
        }
        return [.saveUnsent(document.reference)]
    }

    mutating func dropDraft(_ key: DraftKey) -> [Effect] {
        notice = .done("Draft dropped")
        let effects = forgetDraft(key)
        document?.gone.remove(key)
        return effects
    }

    mutating func runInOutbox(_ command: Command, count: Int?) -> [Effect] {
        guard let outbox = document?.outbox else { return [] }
        let last = max(0, outbox.count - 1)
        if let row = command.row(from: outbox.cursor, count: count, screen: layout.body.rows - 1, last: last) {
            document?.outbox.cursor = row
            return []
        }
        if command == .dropDraft, let key = outbox.currentDraft {
            prompt = Prompt(.confirm(.dropDraft(key)), label: "Drop this text for good? y/N ")
            return []
        }
        if command == .goTo, outbox.currentDraft != nil {
            return only(
                .done("Its annotation is gone", hint: .init(command: .saveUnsent, effect: "to save the text to a file"))
            )
        }
        if command == .goTo, let copy = outbox.currentCopy, let here = document?.reference.server {
            prompt = Prompt(
                .confirm(.takeCopy(copy.server)),
                label: "Is \(copy.server) the same server? Send its \(copy.edits) to \(here)? y/N ")
            return []
        }
        guard command == .goTo, let item = outbox.current else { return [] }
        if item.delivery == .conflict {
            document?.conflict = ConflictCard(
                id: item.id, kind: item.kind, pageIndex: item.pageIndex, base: item.base, theirs: item.theirs,
                mine: item.mine, theirAuthor: item.theirAuthor, sides: item.sides)
            return []
        }
        document?.outbox.isOpen = false
        document?.focus = .list
        return seek(item.id)
    }
}
