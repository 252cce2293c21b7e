import Annotations
import InstantCore

/// Unsent edits of this layer that were made under another address, which may be another name of the same server.
package struct OutboxCopy: Hashable, Sendable {
    package var server: String
    package var unsent: Int

    package init(server: String, unsent: Int) { (self.server, self.unsent) = (server, unsent) }

    /// `2 edits`
    var edits: String { unsent == 1 ? "1 edit" : "\(unsent) edits" }
}

/// The list of edits that the server has not accepted.
struct OutboxState: Equatable, Sendable {
    var items: [OutboxItem] = []
    /// The drafts that no key opens any more, below the edits.
    var drafts: [DraftKey] = []
    /// Below the drafts.
    var copies: [OutboxCopy] = []
    var isOpen = false
    var cursor = 0
    /// Whether it must be reloaded.
    var isStale = true

    var count: Int { items.count + drafts.count + copies.count }

    var currentDraft: DraftKey? {
        drafts.indices.contains(cursor - items.count) ? drafts[cursor - items.count] : nil
    }

    var currentCopy: OutboxCopy? {
        let place = cursor - items.count - drafts.count
        return copies.indices.contains(place) ? copies[place] : nil
    }

    var current: OutboxItem? { items.indices.contains(cursor) ? items[cursor] : nil }

    /// Why the edit at the cursor cannot be dropped for theirs.
    var denialOfTheirs: String? {
        switch current?.delivery {
        case .conflict, .refused: nil
        case .delivered, .unsent, .parked: "not refused, only unsent; u undoes your last edit"
        case nil where currentCopy != nil: "made under another address; Enter sends it here"
        case nil: currentDraft == nil ? "everything is sent" : "a draft has no other version"
        }
    }

    /// Why the draft at the cursor cannot be dropped.
    var denialOfDropping: String? {
        currentDraft == nil ? "only a draft whose annotation is gone; u undoes your last edit" : nil
    }

    mutating func take(drafts new: [DraftKey]) {
        guard new != drafts else { return }
        stayingInPlace { $0.drafts = new }
    }

    mutating func take(copies new: [OutboxCopy]) { stayingInPlace { $0.copies = new } }

    mutating func take(_ new: [OutboxItem]) { stayingInPlace { $0.items = new } }

    /// Leaves the cursor on what it is on, if that is still there.
    private mutating func stayingInPlace(_ change: (inout OutboxState) -> Void) {
        let (id, draft, server) = (current?.id, currentDraft, currentCopy?.server)
        change(&self)
        let place =
            if let id {
                items.firstIndex { $0.id.isExactly(id) }
            } else if let draft {
                drafts.firstIndex(of: draft).map { items.count + $0 }
            } else if let server {
                copies.firstIndex { $0.server.isExactly(server) }.map { items.count + drafts.count + $0 }
            } else { Int?.none }
        cursor = place ?? max(0, min(cursor, count - 1))
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
