public import Annotations
public import FoundationEssentials
public import InstantCore

public import enum SyncProtocol.ChangeKind

/// An edit that exists only on this machine: it waits, is parked, or was rejected.
public struct UnsentEdit: Hashable, Sendable, Identifiable {
    public enum State: Hashable, Sendable {
        case waiting
        /// Sent, but not answered yet.
        case sending
        /// Denied by the current token, or put aside, with the reason. Stored, but not sent.
        case parked(String)
        /// Another client's change came first: see ``InstantDocumentDescriptor/conflicts()``.
        case conflict(String)
        /// Refused by the server, with its reason.
        case refused(String)
    }

    /// The name of an edit, never reused; older edits come first.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number in the queue.
        package let seq: Int64

        package init(seq: Int64) { self.seq = seq }

        public static func < (one: ID, other: ID) -> Bool { one.seq < other.seq }

        public var description: String { "\(seq)" }
    }

    public let id: ID
    public let recordID: Record.ID
    public let kind: ChangeKind
    /// The content to write; nil for a delete.
    public let content: Content?
    /// What the user saw before the edit; nil for a new record.
    public let base: Record?
    public let state: State
    /// Whether something between here and the server refused it. It is parked, and tried again by the next program that
    /// listens.
    public let isAside: Bool
    /// By the local clock.
    public let madeAt: Date

    init(_ entry: OutboxEntry) {
        id = ID(seq: entry.seq)
        recordID = entry.id
        kind = entry.kind
        content = entry.content
        base = entry.base
        madeAt = entry.madeAt.date
        isAside = entry.isAside && entry.stage == .parked
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

extension UnsentEdit {
    /// The id of the ``Conflict`` with this edit; nil unless it is in conflict or was refused.
    public var conflictID: Conflict.ID? {
        switch state {
        case .conflict, .refused: Conflict.ID(seq: id.seq)
        case .waiting, .sending, .parked: nil
        }
    }
}

extension InstantError {
    /// Returns the error of a removal that needs consent to lose edits.
    static func unsent(_ edits: [UnsentEdit]) -> InstantError {
        let named = edits.prefix(5).map { "\($0.kind.rawValue) of \($0.recordID)" }.joined(separator: ", ")
        let more = edits.count > 5 ? " and \(edits.count - 5) more" : ""
        let (noun, them) = edits.count == 1 ? ("edit", "it") : ("edits", "them")
        return InstantError(
            .unsentEdits, "\(edits.count) unsent \(noun) (\(named)\(more)); send, save or discard \(them) first")
    }
}
