package import Annotations
package import Authorization
package import SyncProtocol

/// What of the people each view may see, and of the records that they point at.
extension Presence {
    /// How somebody stands now, as one view may see it.
    package func event(about whom: ParticipantKey, seenBy scope: ViewScope) -> PresenceEvent {
        guard let person = rooms[whom.layer]?.person(whom.id, seenBy: scope) else {
            return PresenceEvent(left: [whom.id])
        }
        return PresenceEvent(people: [person])
    }

    /// All who are at a layer, by their ids.
    package func list(of layer: Int64, seenBy scope: ViewScope) -> PresenceList {
        let ids = rooms[layer]?.people.keys.sorted() ?? []
        return PresenceList(
            version: "\(node)-\(rooms[layer]?.version ?? 0)",
            people: ids.compactMap { rooms[layer]?.person($0, seenBy: scope) })
    }

    // MARK: Records

    /// What people point at and nobody has looked up yet.
    package func unknownRecords(at layer: Int64) -> [Record.ID] { rooms[layer]?.unknownRecords ?? [] }

    /// Records were looked up; those that are not there nobody may see.
    package mutating func found(_ records: [ServerRecord], of wanted: [Record.ID], at layer: Int64) -> Audience {
        guard var room = rooms[layer] else { return Audience() }
        var ids = Set(wanted.flatMap { room.learn($0, subject: nil, revision: -1) })
        for record in records { ids.formUnion(room.learn(record)) }
        rooms[layer] = room
        return outcome(told: Set(ids.map { ParticipantKey(layer: layer, id: $0) }), forPeers: [], isNews: !ids.isEmpty)
    }

    /// A record may have moved to where others may see it, or may not.
    package mutating func committed(_ commit: Commit) -> Audience {
        let layer = commit.layer.id
        guard var room = rooms[layer], room.hasRecords else { return Audience() }
        var ids: Set<String> = []
        for record in commit.records { ids.formUnion(room.learn(record)) }
        rooms[layer] = room
        return outcome(told: Set(ids.map { ParticipantKey(layer: layer, id: $0) }), forPeers: [], isNews: !ids.isEmpty)
    }

    /// From here on nobody tells of commits to this layer, or what was known is of another history.
    package mutating func forgetRecords(at layer: Int64) { rooms[layer]?.forgetRecords() }
}
