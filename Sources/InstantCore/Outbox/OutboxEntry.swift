package import Annotations
package import SyncProtocol

/// One edit on its way to the server.
///
/// Unsealed entries coalesce: there is at most one for each record. A sealed one has its `n` and never changes until
/// it is answered, also after a restart.
package struct OutboxEntry: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case waiting
        case sealed(n: Int64)
        /// The present grant denies it: kept, shown, not sent. With the reason.
        case parked(String)
        /// Applied, and still laid over the server's rows until these have caught up.
        case applied(n: Int64, revision: Revision)
        /// Someone else was first. With the server's words, if it had any.
        case conflict(String)
        /// The server refused it, with its reason.
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

    /// The case of ``State`` alone, as a store keeps it.
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        case waiting, sealed, parked, applied, conflict, refused
    }

    /// The place in the queue; given by the store, never used twice.
    package var seq: Int64
    package var id: Record.ID
    package var kind: ChangeKind
    /// The revision the person saw when the edit was made.
    package var baseRevision: Revision
    package var threadRevision: Revision?
    package var group: String?
    /// Of a create or update. Of a restore: what the delete swallowed before the server saw it, sent as an update behind.
    package var content: Content?
    /// What the person saw before the edit; nil for a create.
    package var base: Record?
    package var state: State
    package var madeAt: Timestamp

    package init(
        seq: Int64 = 0, id: Record.ID, kind: ChangeKind, baseRevision: Revision, threadRevision: Revision? = nil,
        group: String? = nil, content: Content? = nil, base: Record? = nil, state: State = .waiting,
        madeAt: Timestamp
    ) {
        self.seq = seq
        self.id = id
        self.kind = kind
        self.baseRevision = baseRevision
        self.threadRevision = threadRevision
        self.group = group
        self.content = content
        self.base = base
        self.state = state
        self.madeAt = madeAt
    }

    package var stage: Stage { state.stage }

    /// Not yet answered by the server.
    package var isPending: Bool { stage == .waiting || stage == .sealed || stage == .parked }
    /// May still be changed or taken back as if it had never been.
    package var isUnsealed: Bool { stage == .waiting || stage == .parked }
}
