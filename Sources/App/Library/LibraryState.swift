/// The layers on this machine, and the one the cursor is on.
struct LibraryState: Equatable, Sendable {
    /// nil: not yet loaded.
    var entries: [LibraryEntry]?
    var cursor = 0

    var current: LibraryEntry? {
        guard let entries, entries.indices.contains(cursor) else { return nil }
        return entries[cursor]
    }

    /// Takes a new list; the cursor stays on its layer.
    mutating func take(_ new: [LibraryEntry]) {
        let id = current?.id
        entries = new
        cursor = new.firstIndex { $0.id == id } ?? min(cursor, max(0, new.count - 1))
    }
}
