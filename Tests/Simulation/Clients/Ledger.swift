import Annotations
import InstantCore

/// What a person wanted, so that it can be asked what became of it.
struct Ledger {
    enum Wish: Hashable {
        /// The record is to have this text.
        case text(String)
        case gone
    }

    /// The newest wish for each record. Several: the program died before it said which of them is on the disk.
    private(set) var wishes: [Record.ID: [Wish]] = [:]
    /// How often a text may come to be written: more than once when the person sent it again.
    private(set) var repeats: [String: Int] = [:]

    /// Deletes that the server answered with "there is no such record", because it was not to be seen: that is all they
    /// can come to, also when they are done again.
    private var vanished: Set<Record.ID> = []

    mutating func wants(_ wish: Wish, of id: Record.ID, isCertain: Bool = true) {
        if wish == .gone, vanished.contains(id) { return forget(id) }
        if isCertain { wishes[id] = [wish] } else if wishes[id] != nil { wishes[id]?.append(wish) }
    }

    /// The person let go of it.
    mutating func forget(_ id: Record.ID) { wishes[id] = nil }

    mutating func isGone(_ id: Record.ID) {
        guard wishes[id]?.contains(.gone) ?? false else { return }
        vanished.insert(id)
        forget(id)
    }

    /// It came into sight again.
    mutating func isBack(_ id: Record.ID) { vanished.remove(id) }

    mutating func sendsAgain(_ text: String) { repeats[text, default: 0] += 1 }
}
