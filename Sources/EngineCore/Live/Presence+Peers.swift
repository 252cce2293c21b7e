package import Annotations
package import SyncProtocol

/// Presence shared between servers on one database.
extension Presence {
    /// This server's own participants, to be sent to a server that starts later.
    package var own: Set<ParticipantKey> {
        Set(sessions.map { ParticipantKey(layer: $0.key.layer, id: $0.value) })
    }

    /// - Returns: nil if the participant has left.
    package func peerPerson(_ key: ParticipantKey) -> PeerPerson? {
        rooms[key.layer]?.people[key.id].map {
            PeerPerson(layer: key.layer, person: $0.person, presentingSince: $0.presentingSince, session: $0.mark)
        }
    }

    /// Applies another server's message about its participants.
    package mutating func heard(_ people: [PeerPerson], left: [ParticipantKey], now: Timestamp) -> Audience {
        var gone = remove(Set(left.filter { !isOwn($0.id) && rooms[$0.layer]?.people[$0.id] != nil }))
        for peer in people where !isOwn(peer.person.id) && peer.person.whereabouts.isValid {
            if let own = ownEntry(of: peer) {
                // The session is where its stream is.
                guard let session = own.session, streams[session] == nil else { continue }
                let moved = remove([ParticipantKey(layer: peer.layer, id: own.person.id)])
                gone.told.formUnion(moved.told)
                gone.forPeers.formUnion(moved.forPeers)
            }
            var room = rooms[peer.layer] ?? PresenceRoom()
            let id = peer.person.id
            guard room.people[id] != nil || room.people.count < bound.people else { continue }
            var person = peer.person
            person.isPresenting = peer.presentingSince != nil
            let isNews = room.put(
                PresenceRoom.Entry(
                    person: person, session: nil, mark: peer.session, expires: now + Self.life,
                    presentingSince: peer.presentingSince))
            // Two participants may start presenting at once on different servers; both servers reach the same result.
            let demoted = room.settlePresenter()
            rooms[peer.layer] = room
            var told = Set(demoted.map { ParticipantKey(layer: peer.layer, id: $0) })
            let own = told.filter { isOwn($0.id) }
            if isNews, !room.isWaiting(for: person.whereabouts.record) {
                told.insert(ParticipantKey(layer: peer.layer, id: id))
            }
            let step = outcome(told: told, forPeers: own, isNews: isNews || !demoted.isEmpty)
            gone.told.formUnion(step.told)
            gone.forPeers.formUnion(step.forPeers)
        }
        return gone
    }

    /// Returns this server's entry for the session of a participant at another server.
    private func ownEntry(of peer: PeerPerson) -> PresenceRoom.Entry? {
        guard let mark = peer.session else { return nil }
        return rooms[peer.layer]?.people.values.first { $0.session != nil && $0.mark == mark }
    }

    private func isOwn(_ id: String) -> Bool { id.utf8.starts(with: "\(node)-".utf8) }
}

/// A participant as one server describes them to the others.
package struct PeerPerson: Hashable, Sendable {
    package var layer: Int64
    package var person: PresentPerson
    /// By the clock of the participant's own server.
    package var presentingSince: Timestamp?
    /// Names the session without telling its name; nil from a server that does not send it.
    package var session: String?

    package init(layer: Int64, person: PresentPerson, presentingSince: Timestamp?, session: String? = nil) {
        self.layer = layer
        self.person = person
        self.presentingSince = presentingSince
        self.session = session
    }
}
