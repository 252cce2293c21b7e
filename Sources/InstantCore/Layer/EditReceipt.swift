package import Annotations
package import Authorization
package import SyncProtocol

/// What an edit did, enough to undo it later.
package struct EditReceipt: Hashable, Sendable {
    package var id: Record.ID
    package var kind: ChangeKind
    /// The record before; nil for a create.
    package var before: Record?
    /// The record after; nil for a delete.
    package var after: Record?
    /// The entry that carries the edit. It may be gone since: sent and forgotten, or merged away.
    var seq: Int64
    /// The entry as it stood before the edit was merged into it.
    var previous: OutboxEntry?
}

/// Why an edit was not made. Nothing was changed.
package enum EditProblem: Error, Hashable, Sendable, CustomStringConvertible {
    case denied(Denial)
    /// No token was ever accepted for this layer: nobody knows what may be done.
    case noGrant
    case noSuchRecord(Record.ID)
    case invalid(InvalidContent)
    case cannotUndo(String)
    case noSuchEntry

    package var description: String {
        switch self {
        case .denied(let denial): denial.description
        case .noGrant: "a token is needed first: it tells what may be changed"
        case .noSuchRecord: "this annotation is gone"
        case .invalid(let why): why.description
        case .cannotUndo(let why): "not undone: \(why)"
        case .noSuchEntry: "this edit is no longer waiting"
        }
    }
}
