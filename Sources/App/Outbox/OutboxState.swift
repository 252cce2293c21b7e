import Annotations
import InstantCore

/// The list of edits that the server has not accepted.
struct OutboxState: Equatable, Sendable {
    var items: [OutboxItem] = []
    /// The drafts that no key opens any more, below the edits.
    var drafts: [DraftKey] = []
    var isOpen = false
    var cursor = 0
    /// Whether it must be reloaded.
    var isStale = true

    var count: Int { items.count + drafts.count }

    var currentDraft: DraftKey? {
        drafts.indices.contains(cursor - items.count) ? drafts[cursor - items.count] : nil
    }

    var current: OutboxItem? { items.indices.contains(cursor) ? items[cursor] : nil }

    /// Why the edit at the cursor cannot be dropped for theirs.
    var denialOfTheirs: String? {
        switch current?.delivery {
        case .conflict, .refused: nil
        case .delivered, .unsent, .parked: "not refused, only unsent; u undoes your last edit"
        case nil: currentDraft == nil ? "everything is sent" : "a draft has no other version"
        }
    }

    /// Why the draft at the cursor cannot be dropped.
    var denialOfDropping: String? {
        currentDraft == nil ? "only a draft whose annotation is gone; u undoes your last edit" : nil
    }

    mutating func take(drafts new: [DraftKey]) {
        guard new != drafts else { return }
        let draft = currentDraft
        drafts = new
        if let draft, let place = new.firstIndex(of: draft) { cursor = items.count + place }
        cursor = max(0, min(cursor, count - 1))
    }

    mutating func take(_ new: [OutboxItem]) {
        let (id, draft) = (current?.id, currentDraft)
        items = new
        let place = draft.flatMap(drafts.firstIndex).map { new.count + $0 }
        cursor = place ?? new.firstIndex { id.isExactly($0.id) } ?? max(0, min(cursor, count - 1))
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
