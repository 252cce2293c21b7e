import Annotations
import Authorization
import EngineCore
import SyncProtocol

/// Presence: announcements, and the passage of time for participants and listeners.
extension Engine {
    func announce(_ sign: PresenceSign, _ token: VerifiedToken) async throws -> PresenceAnswer {
        let layer = try await view(token) { $0.layer }
        let now = now()
        let (answer, outcome) = try live.withLock { live in
            let (answer, outcome) = try live.presence.announced(sign, by: token.grant, at: layer.id, now: now)
            live.tell(outcome)
            return (answer, outcome)
        }
        notifyPeers(outcome.forPeers)
        try await loadPresenceRecords(at: layer)
        return answer
    }

    /// Returns the participants of a layer as a token may see them.
    func people(at layer: ServerLayer, _ token: VerifiedToken) -> PresenceList {
        live.withLock { $0.presence.list(of: layer.id, seenBy: token.grant.viewScope) }
    }

    /// Looks up who may see the records that participants point at, if the layer has listeners.
    func loadPresenceRecords(at layer: ServerLayer) async throws {
        let wanted = live.withLock { live in
            live.feed.isHeard(layer.id) ? live.presence.unknownRecords(at: layer.id) : []
        }
        guard !wanted.isEmpty else { return }
        let found = try await read(of: layer.key.document) { store in
            guard let layer = try store.layer(layer.key) else { return [ServerRecord]() }
            return try wanted.compactMap { try store.intactRecord($0, in: layer) }
        }
        live.withLock { $0.tell($0.presence.found(found, of: wanted, at: layer.id)) }
    }

    /// Handles expired tokens, absent participants and due heartbeats; call it about once a second.
    func timePassed() {
        let now = now()
        updatePresence { $0.timePassed(at: now) }
        live.withLock { live in
            for (id, beat) in live.pulse.timePassed(at: now) { live.signal(Listener.Signals(beat), to: id) }
        }
    }

    // MARK: Other servers

    /// Applies another server's message about its participants.
    func receive(_ people: PresenceMessage) {
        let now = now()
        updatePresence { $0.heard(people.people, left: people.left, now: now) }
        for layer in Set(people.people.map(\.layer)) {
            let isWaiting = live.withLock { !$0.presence.unknownRecords(at: layer).isEmpty && $0.feed.isHeard(layer) }
            if isWaiting { lookups.add(.people(layer: layer)) }
        }
    }

    /// Sends this server's participants to a server that does not know them.
    func announceOwnParticipants() { notifyPeers(live.withLock { $0.presence.own }) }

    /// Returns the current state of these participants, in as many messages as needed.
    func notices(of people: Set<Presence.ParticipantKey>) -> [PresenceMessage] {
        let states = live.withLock { live in people.map { ($0, live.presence.peerPerson($0)) } }
        return PresenceMessage.pack(states.compactMap(\.1), left: states.filter { $0.1 == nil }.map(\.0))
    }

    func updatePresence(_ what: (inout Presence) -> Presence.Audience) {
        let outcome = live.withLock { live in
            let outcome = what(&live.presence)
            live.tell(outcome)
            return outcome
        }
        notifyPeers(outcome.forPeers)
    }

    private func notifyPeers(_ people: Set<Presence.ParticipantKey>) {
        for whom in people { peopleForPeers?.add(whom) }
    }
}

extension ListenerHub.State {
    mutating func tell(_ outcome: Presence.Audience) {
        let presence = presence
        for whom in outcome.told {
            tell { $0.tell(whom.layer, about: whom.id) { presence.event(about: whom, seenBy: $0) } }
        }
    }

    mutating func sendParticipants(at layer: Int64, to id: EventBroadcaster.ListenerID, seenBy scope: ViewScope) {
        let people = presence.list(of: layer, seenBy: scope).people
        fanout.tell(id, everybody: PresenceEvent(isComplete: true, people: people))
    }
}

extension Listener.Signals {
    fileprivate init(_ beat: HeartbeatTimer.Tick) {
        self =
            switch beat {
            case .heartbeat: .heartbeat
            case .expiring: .expiring
            case .over: .time
            }
    }
}
