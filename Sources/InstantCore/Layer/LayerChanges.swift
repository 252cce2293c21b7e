package import Annotations
import SyncProtocol

/// The changes made by one step.
package struct LayerChanges: Hashable, Sendable {
    /// Rows that changed or were removed.
    package var ids: Set<ByteOrdered> = []
    /// The subset that other users changed.
    package var byOthers: Set<ByteOrdered> = []
    /// The server lost track of what this store had sent: continue under a new clientID.
    package var startedAnew = false
    /// The cursor is invalid: load a snapshot.
    package var needsSnapshot = false
    /// A change was missed: pull.
    package var needsPull = false
    /// The server did not accept an edit, or an edit can no longer be sent.
    package var hasRejections = false

    package init() {}

    /// Notes a change of a row.
    mutating func touch(_ id: Record.ID, byOthers isByOthers: Bool = false) {
        ids.insert(ByteOrdered(id))
        if isByOthers { byOthers.insert(ByteOrdered(id)) }
    }

    /// Notes a change of an entry, and so of the rows that it affects.
    mutating func touch(_ entry: OutboxEntry) {
        touch(entry.id)
        if let root = entry.takenRoot { touch(root) }
    }

    package mutating func merge(_ other: LayerChanges) {
        ids.formUnion(other.ids)
        byOthers.formUnion(other.byOthers)
        startedAnew = startedAnew || other.startedAnew
        needsSnapshot = needsSnapshot || other.needsSnapshot
        needsPull = needsPull || other.needsPull
        hasRejections = hasRejections || other.hasRejections
    }
}

/// Invalid data from the server. None of it has been applied.
package struct InvalidServerData: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

extension SyncItem {
    /// - Throws: ``InvalidServerData`` if the id is invalid or the revision negative.
    func check() throws {
        guard Record.isAcceptedID(id) else { throw InvalidServerData("the server sent a record with an invalid id") }
        guard revision >= 0 else { throw InvalidServerData("the server sent a record with a negative revision") }
    }
}
