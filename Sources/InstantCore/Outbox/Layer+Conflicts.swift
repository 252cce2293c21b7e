public import Annotations
import Authorization
public import SyncProtocol

/// An edit that lost, with all three sides of it.
public struct Conflict: Hashable, Sendable, Identifiable {
    /// The entry in the outbox.
    public var id: Int64
    public var recordID: Record.ID
    public var kind: ChangeKind
    /// The record the edit was made on; nil for a create.
    public var base: Record?
    /// What the person wrote; nil when they deleted it.
    public var mine: Content?
    /// The record as it stands now; nil when it is gone.
    public var theirs: Record?
    public var reason: String
    /// Refused for good by the server rather than overtaken.
    public var isRefusal: Bool
}

/// What to do with an edit that lost.
public enum ConflictResolution: Hashable, Sendable {
    /// Send mine again, on top of theirs.
    case mine
    /// Drop mine.
    case theirs
    /// Send this in place of both.
    case merged(Content)
}

extension Layer {
    /// Edits that lost or were refused, oldest first.
    package func conflicts() throws -> [Conflict] {
        try store.read { store in
            try store.entries(in: [.conflict, .refused], limit: .max).map { entry in
                var conflict = Conflict(
                    id: entry.seq, recordID: entry.id, kind: entry.kind, base: entry.base, mine: entry.content,
                    theirs: try store.record(entry.id)?.record, reason: "", isRefusal: entry.stage == .refused)
                switch entry.state {
                case .conflict(let reason), .refused(let reason): conflict.reason = reason
                default: break
                }
                return conflict
            }
        }
    }

    /// Settles one conflict. Sending again is an edit like any other: the grant is asked first.
    ///
    /// - Parameter newID: for the case that the record is gone for good and mine has to become a new one.
    /// - Returns: the receipt of the edit, or nil when mine was dropped.
    @discardableResult
    package func resolve(
        _ seq: Int64, _ resolution: ConflictResolution, newID: Record.ID, at now: Timestamp
    ) throws -> EditReceipt? {
        try store.write { store in
            let facts = try metadata(in: store)
            guard let entry = try store.entry(seq), entry.stage == .conflict || entry.stage == .refused else {
                throw EditError.noSuchEntry
            }
            try store.removeEntry(seq)
            try store.refresh(entry.id, facts: facts)
            let mine: Content?
            switch resolution {
            case .theirs: return nil
            case .mine: mine = entry.kind == .delete ? nil : entry.content
            case .merged(let content): mine = content
            }
            guard let grant = facts.grant else { throw EditError.noGrant }
            let present = try store.overlay(entry.id, facts: facts).record
            switch (mine, present) {
            case (let mine?, let present?):
                try grant.require(.edit(Subject(present)))
                return try store.enqueue(
                    .update, entry.id, content: mine, group: present.group, at: now, facts: facts)
            case (let mine?, nil):
                try grant.require(try store.creation(of: mine, group: entry.group, facts: facts))
                return try store.enqueue(.create, newID, content: mine, group: entry.group, at: now, facts: facts)
            case (nil, let present?):
                try grant.require(.delete(Subject(present)))
                return try store.enqueue(
                    .delete, entry.id, content: nil, group: present.group, at: now, facts: facts)
            case (nil, nil): return nil
            }
        }
    }

    /// Takes back one waiting edit, whichever it was.
    package func discard(_ seq: Int64) throws {
        try store.write { store in
            guard let entry = try store.entry(seq),
                entry.isUnsealed || entry.stage == .conflict || entry.stage == .refused
            else { throw EditError.noSuchEntry }
            try store.removeEntry(seq)
            try store.refresh(entry.id, facts: metadata(in: store))
        }
    }
}
