import Annotations
import InstantCore
import Screen

// The list of edits that are not sent yet.
extension AppState {
    mutating func outboxCame(_ items: [OutboxItem]) {
        document?.outbox.take(items)
    }

    mutating func runInOutbox(_ command: Command, count: Int?) -> [Effect] {
        guard let outbox = document?.outbox else { return [] }
        let last = max(0, outbox.items.count - 1)
        if let row = command.row(from: outbox.cursor, count: count, screen: layout.body.rows - 1, last: last) {
            document?.outbox.cursor = row
            return []
        }
        guard command == .goTo, let item = outbox.current else { return [] }
        if item.delivery == .conflict {
            document?.conflict = ConflictCard(
                id: item.id, kind: item.kind, pageIndex: item.pageIndex, base: item.base, theirs: item.theirs,
                mine: item.mine, theirAuthor: item.theirAuthor)
            return []
        }
        document?.outbox.isOpen = false
        document?.focus = .list
        return seek(item.id)
    }
}
