public import Annotations
import InstantCore

public import enum SyncProtocol.ChangeKind

/// An edit that is only on this machine: it waits, is kept back, or did not get through.
public struct UnsentEdit: Hashable, Sendable, Identifiable {
    public enum State: Hashable, Sendable {
        case waiting
        /// Sent, and not answered yet.
        case sending
        /// The present token denies it: kept, not sent. With the reason.
        case parked(String)
        /// Someone else was first: see ``InstantDocumentDescriptor/conflicts()``.
        case conflict(String)
        /// The server refused it, with its reason.
        case refused(String)
    }

    /// Its place in the queue, never used twice; that of ``Conflict`` too.
    public let id: Int64
    public let recordID: Record.ID
    public let kind: ChangeKind
    /// What is to be written; nil for a delete.
    public let content: Content?
    /// What the person saw before the edit; nil for a new record.
    public let base: Record?
    public let state: State
    public let madeAt: Timestamp

    init(_ entry: OutboxEntry) {
        id = entry.seq
        recordID = entry.id
        kind = entry.kind
        content = entry.content
        base = entry.base
        madeAt = entry.madeAt
        state =
            switch entry.state {
            case .waiting: .waiting
            case .sealed, .applied: .sending
            case .parked(let why): .parked(why)
            case .conflict(let why): .conflict(why)
            case .refused(let why): .refused(why)
            }
    }
}

extension InstantError {
    /// The consent that removing needs when edits would go with it.
    static func unsent(_ edits: [UnsentEdit]) -> InstantError {
        let named = edits.prefix(5).map { "\($0.kind.rawValue) of \($0.recordID)" }.joined(separator: ", ")
        let more = edits.count > 5 ? " and \(edits.count - 5) more" : ""
        return InstantError(
            .unsentEdits,
            "\(edits.count) edits are only on this machine (\(named)\(more)): send, save or discard them first"
        )
    }
}
