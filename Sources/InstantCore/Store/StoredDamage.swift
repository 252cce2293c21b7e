package import Annotations

/// Something in a stored layer that is not what was written.
package enum StoredDamage: Hashable, Sendable, CustomStringConvertible {
    /// A record as the server sent it, which the server still has.
    case record(Record.ID)
    /// A record of the snapshot being loaded.
    case staged(Record.ID)
    /// The row of a record in the list.
    case row(Record.ID)
    /// A local edit. It may exist nowhere else.
    case edit(Int64, of: Record.ID)
    /// The note of an applied edit, which undo needs.
    case ownWrite(Record.ID)
    /// The last commits of the write-ahead log are unreadable: the store is as it was before them.
    case lostCommits(Int)
    /// A table or an index, as SQLite describes it.
    case structure(String)

    package var description: String {
        switch self {
        case .record(let id): "record \(Self.quoted(id))"
        case .staged(let id): "record \(Self.quoted(id)), not shown yet"
        case .row(let id): "the list's row of \(Self.quoted(id))"
        case .edit(let number, let id): "unsent edit \(number) of \(Self.quoted(id))"
        case .ownWrite(let id): "the note of an edit of \(Self.quoted(id))"
        case .lostCommits(let count): "the last \(count) writes are unreadable, so this is an earlier state"
        case .structure(let what): what
        }
    }

    /// On one line: a damaged id may contain anything.
    private static func quoted(_ id: Record.ID) -> String { "\"\(String(id.escapingInvisible.prefix(scalars: 100)))\"" }
}
