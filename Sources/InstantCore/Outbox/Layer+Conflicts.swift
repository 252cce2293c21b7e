public import Annotations
import Authorization
public import SyncProtocol

/// An edit that lost a conflict or was refused, with the base and both versions.
public struct Conflict: Hashable, Sendable, Identifiable {
    /// The name of a conflict, never reused; older conflicts come first.
    public struct ID: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The number of the outbox entry.
        package let seq: Int64

        package init(seq: Int64) { self.seq = seq }

        public static func < (one: ID, other: ID) -> Bool { one.seq < other.seq }

        public var description: String { "\(seq)" }
    }

    public var id: ID
    public var recordID: Record.ID
    public var kind: ChangeKind
    /// The record on which the edit is based; nil for a create.
    public var base: Record?
    /// The user's content; nil for a deletion.
    public var mine: Content?
    /// The current record; nil if it no longer exists.
    public var theirs: Record?
    public var reason: String
    /// Whether the server refused the edit. Otherwise another client's change came first.
    public var isRefusal: Bool

    /// The two versions of a conflict; nil stands for a deletion.
    public struct Sides: Hashable, Sendable {
        public var mine: Content?
        public var theirs: Content?

        public init(mine: Content?, theirs: Content?) { (self.mine, self.theirs) = (mine, theirs) }
    }

    public var sides: Sides { Sides(mine: mine, theirs: theirs?.content) }
}

/// The resolution of a conflicting or refused edit.
public enum ConflictResolution: Hashable, Sendable {
    /// Send the user's version again, on top of the server's.
    case mine
    /// Discard the user's version.
    case theirs
    /// Send this content instead of both.
    case merged(Content)
}

extension Layer {
    /// Returns the conflicting and refused edits, oldest first.
    package func conflicts() throws -> [Conflict] {
        try store.read { store in
            try store.entries(in: [.conflict, .refused], limit: .max).map { try store.conflict($0) }
        }
    }

    /// Resolves one conflict. Sending again is an ordinary edit, which the grant must allow.
    ///
    /// - Parameters:
    ///   - sides: The versions that the user saw; nil to resolve the conflict as it stands.
    ///   - newID: The id of the new record if the old one no longer exists.
    /// - Returns: The receipt of the edit; nil if the resolution made no edit.
    /// - Throws: ``EditError/resolvedUnseen`` if either version differs from the one the user saw.
    @discardableResult
    package func resolve(
        _ id: Conflict.ID, _ resolution: ConflictResolution, between sides: Conflict.Sides? = nil, newID: Record.ID,
        at now: Timestamp
    ) throws -> EditReceipt? {
        try store.write { store in
            let metadata = try metadata(in: store)
            guard let entry = try store.entry(id.seq), entry.stage == .conflict || entry.stage == .refused else {
                throw EditError.noSuchEntry
            }
            if let sides, try store.conflict(entry).sides != sides { throw EditError.resolvedUnseen }
            try store.drop(entry, metadata: metadata)
            let mine: Content?
            switch resolution {
            case .theirs: return nil
            case .mine: mine = entry.kind == .delete ? nil : entry.content
            case .merged(let content): mine = content
            }
            var receipt = try store.send(mine, resolving: entry, newID: newID, at: now, metadata: metadata)
            receipt?.resolved = entry
            return receipt
        }
    }

    /// Discards one entry that is waiting or parked, or that lost a conflict or was refused.
    package func discard(_ seq: Int64) throws {
        try store.write { store in
            guard let entry = try store.entry(seq),
                entry.isUnsealed || entry.stage == .conflict || entry.stage == .refused
            else { throw EditError.noSuchEntry }
            try store.drop(entry, metadata: metadata(in: store))
        }
    }
}

extension Sequence<Conflict> {
    /// Returns the first conflict of a record.
    package func first(of id: Record.ID) -> Conflict? { first { $0.recordID.isExactly(id) } }
}

extension StoredLayer {
    fileprivate func conflict(_ entry: OutboxEntry) throws -> Conflict {
        let theirs = try record(entry.id)?.record
        var conflict = Conflict(
            id: Conflict.ID(seq: entry.seq), recordID: entry.id, kind: entry.kind, base: entry.base,
            mine: entry.kind == .delete ? nil : entry.content?.asEdit(entry.kind, of: theirs ?? entry.base),
            theirs: theirs, reason: "",
            isRefusal: entry.stage == .refused)
        switch entry.state {
        case .conflict(let reason), .refused(let reason): conflict.reason = reason
        default: break
        }
        return conflict
    }
}

extension WritableLayer {
    /// Sends the user's version of a conflict again.
    ///
    /// - Parameter mine: nil to delete the record.
    fileprivate func send(
        _ mine: Content?, resolving entry: OutboxEntry, newID: Record.ID, at now: Timestamp, metadata: LayerMetadata
    ) throws -> EditReceipt? {
        guard let grant = metadata.grant else { throw EditError.noGrant }
        switch (mine, try overlay(entry.id, metadata: metadata).record) {
        case (let mine?, let present?):
            try grant.require(.editing(present))
            return try enqueue(
                .update, entry.id, content: mine, group: present.group, at: now, metadata: metadata,
                joinsRejected: false)
        case (let given?, nil):
            let lost = entry.content ?? entry.base?.content
            let mine = lost.map(given.keepingOrigin) ?? given.withoutUsers
            try grant.require(try creation(of: mine, group: entry.group, metadata: metadata))
            // A refused record never existed, so it keeps its id. A deleted id cannot be used again: a new record takes its place.
            let id = entry.kind == .create && entry.stage == .refused ? entry.id : newID
            let receipt = try enqueue(.create, id, content: mine, group: entry.group, at: now, metadata: metadata)
            try appendThread(of: entry.id, under: id, metadata: metadata)
            return receipt
        case (nil, let present?):
            try grant.require(.delete(Subject(present)))
            return try enqueue(
                .delete, entry.id, content: nil, group: present.group, at: now, metadata: metadata,
                // A root that the user was not told about stays.
                leavingRoot: entry.takenRoot == nil, joinsRejected: false)
        case (nil, nil): return nil
        }
    }

    /// Removes an entry and shows what it covered.
    fileprivate func drop(_ entry: OutboxEntry, metadata: LayerMetadata) throws {
        try removeEntry(entry.seq)
        if entry.kind == .delete, entry.isUnsealed { try dropUndo(of: entry) }
        try refresh(entry.id, metadata: metadata)
        if let root = entry.takenRoot { try refresh(root, metadata: metadata) }
    }

    /// Removes the restore that undoes a deletion, because nothing is left to undo. A text that it carries stays as an edit.
    private func dropUndo(of deletion: OutboxEntry) throws {
        guard var next = try entries(of: deletion.id).first(where: { $0.seq > deletion.seq }), next.kind == .restore,
            next.isUnsealed
        else { return }
        guard next.content != nil else { return try removeEntry(next.seq) }
        (next.kind, next.takenRoot) = (.update, nil)
        try replace(next)
    }
}
