import Annotations
import InstantCore

/// The list of edits that the server has not accepted.
struct OutboxState: Equatable, Sendable {
    var items: [OutboxItem] = []
    var isOpen = false
    var cursor = 0
    /// Whether it must be reloaded.
    var isStale = true

    var current: OutboxItem? { items.indices.contains(cursor) ? items[cursor] : nil }

    /// Why the edit at the cursor cannot be dropped for theirs.
    var denialOfTheirs: String? {
        switch current?.delivery {
        case .conflict, .refused: nil
        case .delivered, .unsent, .parked: "not refused, only unsent; u undoes your last edit"
        case nil: "everything is sent"
        }
    }

    mutating func take(_ new: [OutboxItem]) {
        let id = current?.id
        items = new
        cursor = new.firstIndex { id.isExactly($0.id) } ?? max(0, min(cursor, new.count - 1))
    }

    /// `1 highlight, 2 notes`
    var summary: String {
        var names: [String] = []
        var counts: [String: Int] = [:]
        for item in items {
            if counts[item.kind.name] == nil { names.append(item.kind.name) }
            counts[item.kind.name, default: 0] += 1
        }
        return names.map { name in
            let count = counts[name] ?? 0
            return "\(count) \(name)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }
}
