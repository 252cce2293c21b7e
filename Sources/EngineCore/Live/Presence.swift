package import Annotations
package import Authorization
package import SyncProtocol

/// Who is at which layer, where in it, and who presents. Nothing of it is stored: people are here for as long as they
/// say so, or until the stream ends that they opened under the same session.
///
/// Methods are named by what happened and return whom that concerns; what each view gets to see of them is asked for
/// afterwards.
package struct Presence: Sendable {
    /// One opening of a layer by one person.
    package struct Session: Hashable, Sendable {
        package let layer: Int64
        fileprivate let user: ByteOrdered?
        fileprivate let name: String

        /// - Throws: ``APIError`` when the client's name for it is none.
        package init(_ name: String, at layer: Int64, of grant: Grant) throws(APIError) {
            guard PresenceSign.isValidSession(name) else {
                throw APIError(.badRequest, "a session is named by 1 to 64 letters, digits, _ and -")
            }
            self.layer = layer
            self.name = name
            user = grant.userID.map(ByteOrdered.init)
        }
    }

    /// Somebody at a layer, or who was there.
    package struct ParticipantKey: Hashable, Sendable {
        package var layer: Int64
        package var id: String

        package init(layer: Int64, id: String) {
            self.layer = layer
            self.id = id
        }
    }

    package struct Audience: Hashable, Sendable {
        /// Of whom listeners of this server have to hear.
        package var told: Set<ParticipantKey> = []
        /// People of this server of whom others have to hear.
        package var forPeers: Set<ParticipantKey> = []

        package init(told: Set<ParticipantKey> = [], forPeers: Set<ParticipantKey> = []) {
            self.told = told
            self.forPeers = forPeers
        }
    }

    package struct Bound: Sendable {
        /// At one layer.
        let people: Int
        /// Of one user at one layer.
        let sessions: Int

        package init(people: Int = 1000, sessions: Int = 64) {
            self.people = people
            self.sessions = sessions
        }
    }

    /// Milliseconds from the last sign of life.
    package static let life: Int64 = 45_000

    var rooms: [Int64: PresenceRoom] = [:]
    var sessions: [Session: String] = [:]
    private var streams: [Session: Int] = [:]
    /// A few in a row now and then, and one every 50 ms in the long run.
    private var allowances = RateLimiter<Source>(.init(interval: .milliseconds(50), burst: 40))
    private var changes = 0
    private var lastPerson = 0
    let node: String
    let bound: Bound

    private enum Source: Hashable, Sendable {
        case user(ByteOrdered)
        case session(Session)
    }

    /// - Parameter node: this server's own name, random: letters and digits.
    package init(node: String, bound: Bound = Bound()) {
        self.node = node
        self.bound = bound
    }

    // MARK: Signs of life

    /// - Throws: ``APIError`` when the sign makes no sense, comes too fast, or is more than the token allows; then
    ///   nothing has changed.
    package mutating func announced(
        _ sign: PresenceSign, by grant: Grant, at layer: Int64, now: Timestamp
    ) throws(APIError) -> (answer: PresenceAnswer, outcome: Audience) {
        let session = try Session(sign.session, at: layer, of: grant)
        guard sign.whereabouts.isValid else {
            throw APIError(.invalid, "the page, the selection or the record is none")
        }
        if sign.isPresenting, !grant.mayWrite {
            throw APIError(.insufficientScope, Denial.lacks(.write).description)
        }
        guard
            allowances.take(session.user.map(Source.user) ?? .session(session), at: .milliseconds(now.milliseconds))
                == nil
        else {
            throw APIError(.tooManyRequests, "so many signs of life are not needed: a few in a second will do")
        }
        if sign.hasLeft {
            let outcome = left(session)
            return (answer(nil, at: layer), outcome)
        }
        let id = if let known = sessions[session] { known } else { try newPerson(session) }
        var room = rooms[layer] ?? PresenceRoom()
        var person = PresentPerson(
            id: id, userID: grant.userID, name: grant.creatorName, whereabouts: sign.whereabouts)
        var since: Timestamp?
        if sign.isPresenting, room.presenter == nil || room.presenter == id {
            since = room.people[id]?.presentingSince ?? now
            person.isPresenting = true
        }
        let entry = PresenceRoom.Entry(
            person: person, session: session, expires: now + Self.life, presentingSince: since)
        let isNews = room.put(entry)
        rooms[layer] = room
        sessions[session] = id
        let whom = ParticipantKey(layer: layer, id: id)
        // A record that is not known yet is looked up first; then it is told.
        let told = isNews && !room.isWaiting(for: sign.whereabouts.record) ? [whom] : []
        return (answer(id, at: layer), outcome(told: Set(told), forPeers: [whom], isNews: isNews))
    }

    private func answer(_ id: String?, at layer: Int64) -> PresenceAnswer {
        PresenceAnswer(id: id, presenter: rooms[layer]?.presenter)
    }

    private mutating func newPerson(_ session: Session) throws(APIError) -> String {
        let full = APIError(.tooManyRequests, "there are too many people at this layer already")
        if let room = rooms[session.layer] {
            guard room.people.count < bound.people else { throw full }
            let own = room.people.values.filter { session.user != nil && $0.session?.user == session.user }
            guard own.count < bound.sessions else { throw full }
        }
        lastPerson += 1
        return "\(node)-\(lastPerson)"
    }

    /// A stream is read by whoever uses this session.
    package mutating func streamOpened(_ session: Session) { streams[session, default: 0] += 1 }

    /// When it was the last one, they are gone.
    package mutating func streamEnded(_ session: Session) -> Audience {
        let count = (streams[session] ?? 1) - 1
        streams[session] = count > 0 ? count : nil
        return count > 0 ? Audience() : left(session)
    }

    private mutating func left(_ session: Session) -> Audience {
        guard let id = sessions[session] else { return Audience() }
        return remove([ParticipantKey(layer: session.layer, id: id)])
    }

    /// A layer is gone with everybody in it; or only what its records were.
    package mutating func layerEnded(_ layer: Int64, isLost: Bool) -> Audience {
        forgetRecords(at: layer)
        guard isLost, let room = rooms[layer] else { return Audience() }
        return remove(Set(room.people.keys.map { ParticipantKey(layer: layer, id: $0) }))
    }

    /// Who has not been heard of for too long is gone.
    package mutating func timePassed(at now: Timestamp) -> Audience {
        var gone: Set<ParticipantKey> = []
        for (layer, room) in rooms {
            for entry in room.people.values {
                if entry.expires <= now { gone.insert(ParticipantKey(layer: layer, id: entry.person.id)) }
                // The clock was set back: nobody stays for longer on that account.
                if entry.expires > now + Self.life { rooms[layer]?.people[entry.person.id]?.expires = now + Self.life }
            }
        }
        return remove(gone)
    }

    mutating func remove(_ gone: Set<ParticipantKey>) -> Audience {
        var outcome = Audience()
        for whom in gone {
            guard let entry = rooms[whom.layer]?.people.removeValue(forKey: whom.id) else { continue }
            if let session = entry.session {
                sessions[session] = nil
                outcome.forPeers.insert(whom)
            }
            outcome.told.insert(whom)
            if rooms[whom.layer]?.people.isEmpty == true { rooms[whom.layer] = nil }
        }
        return self.outcome(told: outcome.told, forPeers: outcome.forPeers, isNews: !outcome.told.isEmpty)
    }

    mutating func outcome(told: Set<ParticipantKey>, forPeers: Set<ParticipantKey>, isNews: Bool) -> Audience {
        guard isNews else { return Audience(told: told, forPeers: forPeers) }
        changes += 1
        for layer in Set(told.union(forPeers).map(\.layer)) { rooms[layer]?.version = changes }
        return Audience(told: told, forPeers: forPeers)
    }
}
