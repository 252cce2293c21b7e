package import Annotations
package import Authorization
package import SyncProtocol

/// What each view may see of participants and of the records they point at.
extension Presence {
    /// Returns a participant's current state as one view may see it.
    package func event(about key: ParticipantKey, seenBy scope: ViewScope) -> PresenceEvent {
        guard let person = rooms[key.layer]?.person(key.id, seenBy: scope) else {
            return PresenceEvent(left: [key.id])
        }
        return PresenceEvent(people: [person])
    }

    /// Returns all participants of a layer, ordered by id.
    package func list(of layer: Int64, seenBy scope: ViewScope) -> PresenceList {
        let ids = rooms[layer]?.people.keys.sorted() ?? []
        return PresenceList(
            version: "\(node)-\(rooms[layer]?.version ?? 0)",
            people: ids.compactMap { rooms[layer]?.person($0, seenBy: scope) })
    }

    // MARK: Records

    /// Returns the records that participants point at and that have not been looked up yet.
    package func unknownRecords(at layer: Int64) -> [Record.ID] { rooms[layer]?.unknownRecords ?? [] }

    /// Stores the result of a lookup; a record that was not found is visible to no one.
    package mutating func found(_ records: [ServerRecord], of wanted: [Record.ID], at layer: Int64) -> Audience {
        guard var room = rooms[layer] else { return Audience() }
        var ids = Set(wanted.flatMap { room.learn($0, subject: nil, revision: -1) })
        for record in records { ids.formUnion(room.learn(record)) }
        rooms[layer] = room
        return outcome(told: Set(ids.map { ParticipantKey(layer: layer, id: $0) }), forPeers: [], isNews: !ids.isEmpty)
    }

    /// Updates record visibility after a commit, which may have changed who can see a record.
    package mutating func committed(_ commit: Commit) -> Audience {
        let layer = commit.layer.id
        guard var room = rooms[layer], room.hasRecords else { return Audience() }
        var ids: Set<String> = []
        for record in commit.records { ids.formUnion(room.learn(record)) }
        rooms[layer] = room
        return outcome(told: Set(ids.map { ParticipantKey(layer: layer, id: $0) }), forPeers: [], isNews: !ids.isEmpty)
    }

    /// Forgets what is known about a layer's records, because its commits are no longer followed here or its history
    /// changed.
    package mutating func forgetRecords(at layer: Int64) { rooms[layer]?.forgetRecords() }
}
