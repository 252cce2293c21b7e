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

        /// - Throws: ``Refusal`` when the client's name for it is none.
        package init(_ name: String, at layer: Int64, of grant: Grant) throws(Refusal) {
            guard PresenceSign.isValidSession(name) else {
                throw Refusal(.badRequest, "a session is named by 1 to 64 letters, digits, _ and -")
            }
            self.layer = layer
            self.name = name
            user = grant.userID.map(ByteOrdered.init)
        }
    }

    /// Somebody at a layer, or who was there.
    package struct Whom: Hashable, Sendable {
        package var layer: Int64
        package var id: String

        package init(layer: Int64, id: String) {
            self.layer = layer
            self.id = id
        }
    }

    package struct Outcome: Hashable, Sendable {
        /// Of whom listeners of this server have to hear.
        package var told: Set<Whom> = []
        /// People of this server of whom others have to hear.
        package var forPeers: Set<Whom> = []

        package init(told: Set<Whom> = [], forPeers: Set<Whom> = []) {
            self.told = told
            self.forPeers = forPeers
        }
    }

    package struct Bound: Sendable {
        /// At one layer.
        var people = 1000
        /// Of one user at one layer.
        var sessions = 64

        package init(people: Int = 1000, sessions: Int = 64) {
            self.people = people
            self.sessions = sessions
        }
    }

    /// Milliseconds from the last sign of life.
    package static let life: Int64 = 45_000

    private var rooms: [Int64: Room] = [:]
    private var sessions: [Session: String] = [:]
    private var streams: [Session: Int] = [:]
    private var allowances = Allowances<Speaker>()
    private var changes = 0
    private var lastPerson = 0
    private let node: String
    private let bound: Bound

    private enum Speaker: Hashable, Sendable {
        case user(ByteOrdered)
        case session(Session)
    }

    /// - Parameter node: this server's own name, random: letters and digits.
    package init(node: String, bound: Bound = Bound()) {
        self.node = node
        self.bound = bound
    }

    // MARK: Signs of life

    /// - Throws: ``Refusal`` when the sign makes no sense, comes too fast, or is more than the token allows; then
    ///   nothing has changed.
    package mutating func announced(
        _ sign: PresenceSign, by grant: Grant, at layer: Int64, now: Timestamp
    ) throws(Refusal) -> (answer: PresenceAnswer, outcome: Outcome) {
        let session = try Session(sign.session, at: layer, of: grant)
        guard sign.whereabouts.isValid else {
            throw Refusal(.invalid, "the page, the selection or the record is none")
        }
        if sign.isPresenting, !grant.mayWrite {
            throw Refusal(.insufficientScope, Denial.lacks(.write).description)
        }
        guard allowances.take(session.user.map(Speaker.user) ?? .session(session), at: now) else {
            throw Refusal(.tooManyRequests, "so many signs of life are not needed: a few in a second will do")
        }
        if sign.hasLeft {
            let outcome = left(session)
            return (answer(nil, at: layer), outcome)
        }
        let id = if let known = sessions[session] { known } else { try newPerson(session) }
        var room = rooms[layer] ?? Room()
        var person = PresentPerson(
            id: id, userID: grant.userID, name: grant.creatorName, whereabouts: sign.whereabouts)
        var since: Timestamp?
        if sign.isPresenting, room.presenter == nil || room.presenter == id {
            since = room.people[id]?.presentingSince ?? now
            person.isPresenting = true
        }
        let entry = Room.Entry(
            person: person, session: session, expires: now + Self.life, presentingSince: since)
        let isNews = room.put(entry)
        rooms[layer] = room
        sessions[session] = id
        let whom = Whom(layer: layer, id: id)
        // A record that is not known yet is looked up first; then it is told.
        let told = isNews && !room.isWaiting(for: sign.whereabouts.record) ? [whom] : []
        return (answer(id, at: layer), outcome(told: Set(told), forPeers: [whom], isNews: isNews))
    }

    private func answer(_ id: String?, at layer: Int64) -> PresenceAnswer {
        PresenceAnswer(id: id, presenter: rooms[layer]?.presenter)
    }

    private mutating func newPerson(_ session: Session) throws(Refusal) -> String {
        let full = Refusal(.tooManyRequests, "there are too many people at this layer already")
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
    package mutating func streamEnded(_ session: Session) -> Outcome {
        let count = (streams[session] ?? 1) - 1
        streams[session] = count > 0 ? count : nil
        return count > 0 ? Outcome() : left(session)
    }

    private mutating func left(_ session: Session) -> Outcome {
        guard let id = sessions[session] else { return Outcome() }
        return remove([Whom(layer: session.layer, id: id)])
    }

    /// A layer is gone with everybody in it; or only what its records were.
    package mutating func layerEnded(_ layer: Int64, isLost: Bool) -> Outcome {
        forgetRecords(at: layer)
        guard isLost, let room = rooms[layer] else { return Outcome() }
        return remove(Set(room.people.keys.map { Whom(layer: layer, id: $0) }))
    }

    /// Who has not been heard of for too long is gone.
    package mutating func timePassed(at now: Timestamp) -> Outcome {
        allowances.timePassed(at: now)
        var gone: Set<Whom> = []
        for (layer, room) in rooms {
            for entry in room.people.values {
                if entry.expires <= now { gone.insert(Whom(layer: layer, id: entry.person.id)) }
                // The clock was set back: nobody stays for longer on that account.
                if entry.expires > now + Self.life { rooms[layer]?.people[entry.person.id]?.expires = now + Self.life }
            }
        }
        return remove(gone)
    }

    private mutating func remove(_ gone: Set<Whom>) -> Outcome {
        var outcome = Outcome()
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

    private mutating func outcome(told: Set<Whom>, forPeers: Set<Whom>, isNews: Bool) -> Outcome {
        guard isNews else { return Outcome(told: told, forPeers: forPeers) }
        changes += 1
        for layer in Set(told.union(forPeers).map(\.layer)) { rooms[layer]?.version = changes }
        return Outcome(told: told, forPeers: forPeers)
    }

    // MARK: Other servers

    /// This server's own people: what a server that comes later has to hear.
    package var own: Set<Whom> {
        Set(sessions.map { Whom(layer: $0.key.layer, id: $0.value) })
    }

    /// - Returns: nil: not there any more.
    package func peerPerson(_ whom: Whom) -> PeerPerson? {
        rooms[whom.layer]?.people[whom.id].map {
            PeerPerson(layer: whom.layer, person: $0.person, presentingSince: $0.presentingSince)
        }
    }

    /// Another server told of people who are with it.
    package mutating func heard(_ people: [PeerPerson], left: [Whom], now: Timestamp) -> Outcome {
        var gone = remove(Set(left.filter { !isOwn($0.id) && rooms[$0.layer]?.people[$0.id] != nil }))
        for peer in people where !isOwn(peer.person.id) && peer.person.whereabouts.isValid {
            var room = rooms[peer.layer] ?? Room()
            let id = peer.person.id
            guard room.people[id] != nil || room.people.count < bound.people else { continue }
            var person = peer.person
            person.isPresenting = peer.presentingSince != nil
            let isNews = room.put(
                Room.Entry(
                    person: person, session: nil, expires: now + Self.life, presentingSince: peer.presentingSince))
            // Two began to present at once, each at a server of its own: both servers come to the same end.
            let demoted = room.settlePresenter()
            rooms[peer.layer] = room
            var told = Set(demoted.map { Whom(layer: peer.layer, id: $0) })
            let own = told.filter { isOwn($0.id) }
            if isNews, !room.isWaiting(for: person.whereabouts.record) { told.insert(Whom(layer: peer.layer, id: id)) }
            let step = outcome(told: told, forPeers: own, isNews: isNews || !demoted.isEmpty)
            gone.told.formUnion(step.told)
            gone.forPeers.formUnion(step.forPeers)
        }
        return gone
    }

    private func isOwn(_ id: String) -> Bool { id.utf8.starts(with: "\(node)-".utf8) }

    // MARK: What views see

    /// How somebody stands now, as one view may see it.
    package func event(about whom: Whom, seenBy scope: ViewScope) -> PresenceEvent {
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
    package mutating func found(_ records: [StoredRecord], of wanted: [Record.ID], at layer: Int64) -> Outcome {
        guard var room = rooms[layer] else { return Outcome() }
        var ids = Set(wanted.flatMap { room.learn($0, subject: nil, revision: -1) })
        for record in records { ids.formUnion(room.learn(record)) }
        rooms[layer] = room
        return outcome(told: Set(ids.map { Whom(layer: layer, id: $0) }), forPeers: [], isNews: !ids.isEmpty)
    }

    /// A record may have moved to where others may see it, or may not.
    package mutating func committed(_ commit: Commit) -> Outcome {
        let layer = commit.layer.id
        guard var room = rooms[layer], room.hasRecords else { return Outcome() }
        var ids: Set<String> = []
        for record in commit.records { ids.formUnion(room.learn(record)) }
        rooms[layer] = room
        return outcome(told: Set(ids.map { Whom(layer: layer, id: $0) }), forPeers: [], isNews: !ids.isEmpty)
    }

    /// From here on nobody tells of commits to this layer, or what was known is of another history.
    package mutating func forgetRecords(at layer: Int64) { rooms[layer]?.forgetRecords() }
}

/// Somebody as one server tells others of them.
package struct PeerPerson: Hashable, Sendable {
    package var layer: Int64
    package var person: PresentPerson
    /// By the clock of the server they are with.
    package var presentingSince: Timestamp?

    package init(layer: Int64, person: PresentPerson, presentingSince: Timestamp?) {
        self.layer = layer
        self.person = person
        self.presentingSince = presentingSince
    }
}
