package import Annotations
package import SyncProtocol

/// One edit on its way to the server.
///
/// Unsealed entries of a record coalesce where possible. A sealed entry has its `n` and does not change until it is
/// answered, even after a restart.
package struct OutboxEntry: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case waiting
        case sealed(n: Int64)
        /// Denied by the current grant, with the reason. Stored and shown, but not sent.
        case parked(String)
        /// Applied, but the received rows have not caught up, so the entry still covers them.
        case applied(n: Int64, revision: Revision)
        /// Another client's change came first; with the server's reason or a default text.
        case conflict(String)
        /// Refused by the server, with its reason.
        case refused(String)

        package var stage: Stage {
            switch self {
            case .waiting: .waiting
            case .sealed: .sealed
            case .parked: .parked
            case .applied: .applied
            case .conflict: .conflict
            case .refused: .refused
            }
        }
    }

    /// The case of ``State`` alone, as stored.
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        case waiting, sealed, parked, applied, conflict, refused
    }

    /// The position in the queue; assigned by the store and never reused.
    package var seq: Int64
    package var id: Record.ID
    package var kind: ChangeKind
    /// The revision that the user saw when editing.
    package var baseRevision: Revision
    package var threadRevision: Revision?
    /// For a delete of a comment and for the restore that undoes it: the root deleted or restored with it, as far as
    /// this store can tell; nil if the root stays.
    package var takenRoot: Record.ID?
    package var group: String?
    /// For a restore: the text that the delete absorbed before the server saw it; sent as an update after the restore. For a
    /// delete: the text of an edit that never arrived and that it has taken up; shown again if the deletion is undone.
    package var content: Content?
    /// What the user saw before the edit; nil for a create.
    package var base: Record?
    package var state: State
    /// For an unsealed entry: it was sent under a number that is not used any more, so the server may have applied it.
    /// It is sent again as it is, and its answer shows what happened.
    package var wasSent = false
    /// Something between here and the server has refused it when it was sent alone, or it depends on such an edit. It is parked,
    /// or tried again alone.
    package var isAside = false
    package var madeAt: Timestamp

    package init(
        seq: Int64 = 0, id: Record.ID, kind: ChangeKind, baseRevision: Revision, threadRevision: Revision? = nil,
        takenRoot: Record.ID? = nil, group: String? = nil, content: Content? = nil, base: Record? = nil,
        state: State = .waiting,
        madeAt: Timestamp
    ) {
        self.seq = seq
        self.id = id
        self.kind = kind
        self.baseRevision = baseRevision
        self.threadRevision = threadRevision
        self.takenRoot = takenRoot
        self.group = group
        self.content = content
        self.base = base
        self.state = state
        self.madeAt = madeAt
    }

    package var stage: Stage { state.stage }

    /// Whether the server has not answered yet.
    package var isPending: Bool { stage == .waiting || stage == .sealed || stage == .parked }
    /// Whether the entry may still be changed or removed.
    package var isUnsealed: Bool { stage == .waiting || stage == .parked }

    /// Returns a sealed entry as one that waits again: whether the server applied it is unknown.
    var unsealed: OutboxEntry {
        var entry = self
        (entry.state, entry.wasSent) = (.waiting, true)
        return entry
    }
}
