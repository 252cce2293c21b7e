package import Annotations
package import Authorization
package import SyncProtocol

/// The result of an edit, with enough to undo it.
package struct EditReceipt: Hashable, Sendable {
    package var id: Record.ID
    package var kind: ChangeKind
    /// The record before the edit; nil for a create.
    package var before: Record?
    /// The record after the edit; nil for a delete.
    package var after: Record?
    /// The outbox entry of the edit. It may no longer exist, because it was sent and removed, or merged.
    var seq: Int64
    /// The entry before the edit was merged into it.
    var previous: OutboxEntry?
    /// The edit waits behind a restore that carries unsent text; while it waits, the text is not sent.
    var dropsFollowUp = false
    /// The earlier edit of the record, if there is one, that the server had not answered: it may never get its text. A create
    /// counts more than an update.
    var unanswered: ChangeKind?
    /// Unsent comments that were removed with their unsent root.
    package internal(set) var swallowed: [OutboxEntry] = []
    /// What a delete also deletes, as far as this store can tell: the comments of a root, or the root of a last
    /// comment.
    package internal(set) var along: [Record.ID] = []
    /// The conflict or refusal that the edit resolved. An undo opens it again, so that the user's text is not lost.
    var resolved: OutboxEntry?
}

/// The reason why an edit failed. Nothing was changed.
package enum EditError: Error, Hashable, Sendable, CustomStringConvertible {
    case denied(Denial)
    /// No token has been accepted for this layer yet, so the permissions are unknown.
    case noGrant
    case noSuchRecord(Record.ID)
    case invalid(InvalidContent)
    /// This record cannot have comments, whatever the token allows.
    case noThread(NoThread)
    /// The comment's root no longer exists.
    case rootGone
    /// A comment without a root.
    case noRoot
    case notAComment
    case formatted(FormattingConflict)
    /// An edit cannot change the type of a record or move a comment to another root.
    case otherKind
    /// Others have commented on the annotation since the user was asked whether to delete it.
    case threadGrew
    case cannotUndo(String)
    case noSuchEntry
    /// Either version of the conflict differs from the one the user saw.
    case resolvedUnseen

    package var description: String {
        switch self {
        case .denied(let denial): denial.description
        case .noGrant: "editing needs a token"
        case .noSuchRecord: "this annotation no longer exists"
        case .invalid(let why): why.description
        case .noThread(let why): why.description
        case .rootGone: "the annotation of this comment no longer exists"
        case .noRoot: #"a comment needs "rootId", the id of its annotation"#
        case .notAComment: "this is an annotation, not a comment"
        case .formatted(let why): why.description
        case .otherKind: "a record cannot change between annotation and comment, or move to another thread"
        case .threadGrew: "others have commented on it meanwhile; nothing was deleted"
        case .cannotUndo(let why): "cannot undo: \(why)"
        case .noSuchEntry: "this edit is no longer pending"
        case .resolvedUnseen: "the conflict has changed since it was shown; nothing was decided; look at it again"
        }
    }
}
