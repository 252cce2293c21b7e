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
    /// An edit behind a restore that carries unsent text: while the edit waits, the text is not sent.
    var dropsFollowUp = false
    /// Comments of ours that went with a root before anything of it was sent.
    package internal(set) var swallowed: [OutboxEntry] = []
}

/// Why an edit was not made. Nothing was changed.
package enum EditError: Error, Hashable, Sendable, CustomStringConvertible {
    case denied(Denial)
    /// No token was ever accepted for this layer: nobody knows what may be done.
    case noGrant
    case noSuchRecord(Record.ID)
    case invalid(InvalidContent)
    /// No comment can stand under this record, whatever the token says.
    case noThread(NoThread)
    /// The annotation that the comment belongs to is gone.
    case rootGone
    /// A comment that names no root.
    case noRoot
    case notAComment
    case formatted(FormattingConflict)
    /// A record stays what it is.
    case otherKind
    case cannotUndo(String)
    case noSuchEntry

    package var description: String {
        switch self {
        case .denied(let denial): denial.description
        case .noGrant: "a token is needed first: it tells what may be changed"
        case .noSuchRecord: "this annotation is gone"
        case .invalid(let why): why.description
        case .noThread(let why): why.description
        case .rootGone: "the annotation this comment belongs to is gone"
        case .noRoot: #"a comment needs "rootId": the annotation it belongs to"#
        case .notAComment: "this is an annotation, not a comment"
        case .formatted(let why): why.description
        case .otherKind: "a record stays what it is: a comment of its thread, or an annotation"
        case .cannotUndo(let why): "not undone: \(why)"
        case .noSuchEntry: "this edit is no longer waiting"
        }
    }
}
