import Annotations
import InstantCore

/// The person's intentions, to check the outcome of each.
struct Ledger {
    enum Wish: Hashable {
        /// The record is to have this text.
        case text(String)
        case gone
    }

    /// One of these is to come true: the newest wish for a record, and those of which the program died before
    /// reporting which of them is on disk.
    struct Alternatives {
        var wishes: [Wish]
        /// The device whose store they moved here from; nil: they were made here.
        var origin: Int?
    }

    /// For each record the newest wish; several if they were made in different stores, each of which is to come true.
    private(set) var wishes: [Record.ID: [Alternatives]] = [:]
    /// How often a text may be written: more than once when the person sent it again.
    private(set) var repeats: [String: Int] = [:]

    /// Deletes that the server answered with "there is no such record" because the record was not visible. They cannot
    /// achieve more, even when repeated.
    private var vanished: Set<Record.ID> = []

    /// Texts of edits that the person discarded. An undo of a later edit may show one again; it is not kept.
    private var discarded: Set<String> = []

    mutating func wants(_ wish: Wish, of id: Record.ID, isCertain: Bool = true) {
        if case .text(let text) = wish, discarded.contains(text) { return forget(id) }
        if wish == .gone, vanished.contains(id) { return forget(id) }
        if isCertain {
            wishes[id] = [Alternatives(wishes: [wish])]
        } else {
            wishes[id] = wishes[id]?.map { Alternatives(wishes: $0.wishes + [wish], origin: $0.origin) }
        }
    }

    mutating func discards(_ text: String) { discarded.insert(text) }

    /// Drops the wishes for a record.
    mutating func forget(_ id: Record.ID) { wishes[id] = nil }

    mutating func isGone(_ id: Record.ID) {
        guard let all = wishes[id], all.contains(where: { $0.wishes.contains(.gone) }) else { return }
        vanished.insert(id)
        let others = all.filter { !$0.wishes.contains(.gone) }
        wishes[id] = others.isEmpty ? nil : others
    }

    /// Notes that a record is visible again.
    mutating func isBack(_ id: Record.ID) { vanished.remove(id) }

    /// Takes over the intentions for edits that moved here from another store. They replace earlier ones from there: that store
    /// may be used again, and an edit undone or redone in it that has moved already.
    mutating func merge(_ other: Ledger, from device: Int) {
        for (id, moved) in other.wishes {
            let kept = (wishes[id] ?? []).filter { $0.origin != device }
            wishes[id] = kept + moved.map { Alternatives(wishes: $0.wishes, origin: $0.origin ?? device) }
        }
        repeats.merge(other.repeats) { $0 + $1 }
        vanished.formUnion(other.vanished)
        discarded.formUnion(other.discarded)
    }

    mutating func sendsAgain(_ text: String) { repeats[text, default: 0] += 1 }
}
