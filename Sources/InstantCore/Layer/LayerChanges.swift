package import Annotations
import SyncProtocol

/// What a step changed, for whoever shows the layer.
package struct LayerChanges: Hashable, Sendable {
    /// Rows that look different now or are gone.
    package var ids: Set<Record.ID> = []
    /// Those of them that someone else changed.
    package var byOthers: Set<Record.ID> = []
    /// The server lost track of what this store had sent: it goes on under a new clientID.
    package var startedAnew = false
    /// The cursor is no longer good for anything: load a snapshot.
    package var needsSnapshot = false
    /// Something was missed: pull.
    package var needsPull = false

    package init() {}

    package mutating func merge(_ other: LayerChanges) {
        ids.formUnion(other.ids)
        byOthers.formUnion(other.byOthers)
        startedAnew = startedAnew || other.startedAnew
        needsSnapshot = needsSnapshot || other.needsSnapshot
        needsPull = needsPull || other.needsPull
    }
}

/// The server sent what cannot be. Nothing of it was taken.
package struct InvalidServerData: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    init(_ description: String) { self.description = description }
}

extension SyncItem {
    /// - Throws: ``InvalidServerData`` when its id or revision cannot be.
    func check() throws {
        guard Record.isValidID(id) else { throw InvalidServerData("the server sent a record with an impossible id") }
        guard revision >= 0 else { throw InvalidServerData("the server sent a record with a negative revision") }
    }
}
