package import Annotations
package import Authorization
package import SyncProtocol

/// The participants of each layer, where they are in it, and who presents. Nothing is stored: a participant is present
/// while their announcements continue, or until they leave, or until some seconds after the last stream opened under the
/// same session ended: a lost connection is not a departure.
///
/// Methods are named after events and return the affected participants; what each view sees of them is queried
/// afterwards.
package struct Presence: Sendable {
    /// One opening of a layer by one person.
    package struct Session: Hashable, Sendable {
        package let layer: Int64
        fileprivate let user: ByteOrdered?
        fileprivate let name: String

        /// - Throws: ``APIError`` if the client's session name is invalid.
        package init(_ name: String, at layer: Int64, of grant: Grant) throws(APIError) {
            guard PresenceSign.isValidSession(name) else {
                throw APIError(.badRequest, "a session id must have 1 to 64 of the characters A-Z a-z 0-9 _ -")
            }
            self.layer = layer
            self.name = name
            user = grant.userID.map(ByteOrdered.init)
        }

        /// Tells other servers which of their participants has come here, without the name, which is a secret.
        var mark: String { Fingerprint.of("\(layer) \(name) \(user?.text ?? "")") }
    }

    /// A participant who has or had a layer open.
    package struct ParticipantKey: Hashable, Sendable {
        package var layer: Int64
        package var id: String

        package init(layer: Int64, id: String) {
            self.layer = layer
            self.id = id
        }
    }

    package struct Audience: Hashable, Sendable {
        /// Participants whose state must be sent to this server's listeners.
        package var told: Set<ParticipantKey> = []
        /// This server's participants whose state must be sent to other servers.
        package var forPeers: Set<ParticipantKey> = []

        package init(told: Set<ParticipantKey> = [], forPeers: Set<ParticipantKey> = []) {
            self.told = told
            self.forPeers = forPeers
        }
    }

    package struct Bound: Sendable {
        /// Per layer.
        let people: Int
        /// Per user and layer.
        let sessions: Int
        /// Per layer, without `user_id`: one holder of such a token must not keep all users out.
        var anonymous: Int { people / 2 }

        package init(people: Int = 1000, sessions: Int = 64) {
            self.people = people
            self.sessions = sessions
        }
    }

    /// The milliseconds a participant stays present after the last announcement.
    package static let life: Int64 = 45_000
    /// The default milliseconds a participant stays present after the last stream was cut.
    package static let grace: Int64 = 10_000

    var rooms: [Int64: PresenceRoom] = [:]
    var sessions: [Session: String] = [:]
    /// The open streams of each session.
    var streams: [Session: Int] = [:]
    /// Allows bursts of 40 announcements, and one every 50 ms sustained.
    private var allowances = RateLimiter<Source>(.init(interval: .milliseconds(50), burst: 40))
    private var changes = 0
    private var lastPerson = 0
    let node: String
    let bound: Bound
    private let grace: Int64

    private enum Source: Hashable, Sendable {
        case user(ByteOrdered)
        case session(Session)
    }

    /// - Parameters:
    ///   - node: this server's random name, of letters and digits.
    ///   - grace: the milliseconds a participant stays present after the last stream was cut.
    package init(node: String, bound: Bound = Bound(), grace: Int64 = Self.grace) {
        self.node = node
        self.bound = bound
        self.grace = min(grace, Self.life)
    }

    // MARK: Announcements

    /// - Throws: ``APIError`` if the announcement is invalid, too frequent or exceeds the token's permissions; nothing
    ///   changes in that case.
    package mutating func announced(
        _ sign: PresenceSign, by grant: Grant, at layer: Int64, now: Timestamp
    ) throws(APIError) -> (answer: PresenceAnswer, outcome: Audience) {
        let session = try Session(sign.session, at: layer, of: grant)
        guard sign.whereabouts.isValid else {
            throw APIError(.invalid, "the page, the selection or the record is invalid")
        }
        if sign.isPresenting, !grant.mayWrite {
            throw APIError(.insufficientScope, Denial.lacks(.write).description)
        }
        guard
            allowances.take(session.user.map(Source.user) ?? .session(session), at: .milliseconds(now.milliseconds))
                == nil
        else {
            throw APIError(.tooManyRequests, "too many presence updates; send a few per second")
        }
        if sign.hasLeft {
            let outcome = left(session)
            return (answer(nil, at: layer), outcome)
        }
        let id = if let known = sessions[session] { known } else { try newPerson(session) }
        var room = rooms[layer] ?? PresenceRoom()
        var person = PresentPerson(
            id: id, userID: grant.userID, name: grant.creatorName, whereabouts: sign.whereabouts)
        // The connection to another server was lost.
        let former = room.removeOther(of: session.mark, than: id)
        var since: Timestamp?
        if sign.isPresenting, room.presenter == nil || room.presenter == id {
            since = room.people[id]?.presentingSince ?? former?.presentingSince ?? now
            person.isPresenting = true
        }
        let entry = PresenceRoom.Entry(
            person: person, session: session, mark: session.mark, expires: now + Self.life, presentingSince: since)
        let isNews = room.put(entry) || former != nil
        rooms[layer] = room
        sessions[session] = id
        let key = ParticipantKey(layer: layer, id: id)
        // An unknown record is looked up first; listeners are notified after that.
        var told: Set<ParticipantKey> = isNews && !room.isWaiting(for: sign.whereabouts.record) ? [key] : []
        if let former { told.insert(ParticipantKey(layer: layer, id: former.person.id)) }
        return (answer(id, at: layer), outcome(told: told, forPeers: [key], isNews: isNews))
    }

    private func answer(_ id: String?, at layer: Int64) -> PresenceAnswer {
        PresenceAnswer(id: id, presenter: rooms[layer]?.presenter)
    }

    private mutating func newPerson(_ session: Session) throws(APIError) -> String {
        let full = APIError(.tooManyRequests, "too many participants in this layer")
        if let room = rooms[session.layer] {
            guard room.people.count < bound.people else { throw full }
            let own = room.people.values.count { $0.session.map { $0.user == session.user } ?? false }
            guard own < (session.user == nil ? bound.anonymous : bound.sessions) else { throw full }
        }
        lastPerson += 1
        return "\(node)-\(lastPerson)"
    }

    /// Notes that a stream was opened under this session.
    package mutating func streamOpened(_ session: Session) { streams[session, default: 0] += 1 }

    /// Lets the participant stay for a while when the session's last stream ends.
    ///
    /// - Parameter isFinal: whether the person cannot come back to this server under the same token.
    package mutating func streamEnded(_ session: Session, isFinal: Bool = false, at now: Timestamp) -> Audience {
        let count = (streams[session] ?? 1) - 1
        streams[session] = count > 0 ? count : nil
        guard count <= 0 else { return Audience() }
        guard !isFinal, grace > 0 else { return left(session) }
        guard let id = sessions[session], let entry = rooms[session.layer]?.people[id] else { return Audience() }
        rooms[session.layer]?.people[id]?.expires = min(entry.expires, now + grace)
        return Audience()
    }

    private mutating func left(_ session: Session) -> Audience {
        guard let id = sessions[session] else { return Audience() }
        return remove([ParticipantKey(layer: session.layer, id: id)])
    }

    /// Handles the end of a layer: forgets what is known about its records and, if it was lost, removes its
    /// participants.
    package mutating func layerEnded(_ layer: Int64, isLost: Bool) -> Audience {
        forgetRecords(at: layer)
        guard isLost, let room = rooms[layer] else { return Audience() }
        return remove(Set(room.people.keys.map { ParticipantKey(layer: layer, id: $0) }))
    }

    /// Removes participants whose announcements have stopped.
    package mutating func timePassed(at now: Timestamp) -> Audience {
        var gone: Set<ParticipantKey> = []
        for (layer, room) in rooms {
            for entry in room.people.values {
                if entry.expires <= now { gone.insert(ParticipantKey(layer: layer, id: entry.person.id)) }
                // The clock was set back: this must not extend the presence.
                if entry.expires > now + Self.life { rooms[layer]?.people[entry.person.id]?.expires = now + Self.life }
            }
        }
        return remove(gone)
    }

    mutating func remove(_ gone: Set<ParticipantKey>) -> Audience {
        var outcome = Audience()
        for key in gone {
            guard let entry = rooms[key.layer]?.people.removeValue(forKey: key.id) else { continue }
            if let session = entry.session {
                sessions[session] = nil
                outcome.forPeers.insert(key)
            }
            outcome.told.insert(key)
            if rooms[key.layer]?.people.isEmpty == true { rooms[key.layer] = nil }
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
