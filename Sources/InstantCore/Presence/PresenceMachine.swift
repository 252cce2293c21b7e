import Annotations
import SyncProtocol

/// The other participants of a layer, and the schedule for sending the local user's own presence: at once but
/// throttled, repeated while it is current, and sent again when the server may have forgotten it.
///
/// Methods are named after events. The machine sends nothing: ``sign(at:)`` returns what to send now.
struct PresenceMachine: Hashable, Sendable {
    /// Minimum milliseconds between two messages.
    static let pace: Int64 = 200
    /// Milliseconds until the same message is repeated; a server forgets one after 45 s.
    static let repetition: Int64 = 20_000
    /// Milliseconds until a retry, and until a retry with a server that rejects or does not support presence.
    static let retry: Int64 = 5_000
    static let longRetry: Int64 = 600_000
    /// The maximum number of participants; any others that a server lists are ignored.
    static let maxPeople = 1_000

    /// The random id of this presence session. Secret, because it is all that is needed to send presence as this
    /// session.
    let session: String?
    private var people: [String: PresentPerson] = [:]
    /// The id under which the server shows, or last showed, this session to others.
    private var ownID: String?
    /// Whether the server shows this session to others.
    private var isKnown = false
    private var wish: OwnPresence?
    /// Who does not listen is not shown.
    private var listens = false
    private var shownToOthers: OwnPresence? { listens ? wish : nil }
    private var underWay: PresenceSign?
    /// Whether to send before the next repetition.
    private var isOwed = false
    private var notBefore = Timestamp(milliseconds: 0)
    private var again = Timestamp(milliseconds: 0)
    /// Whether the visible state changed since it was last read.
    private var isNews = false

    /// - Parameter session: nil if this client never shows its presence.
    init(session: String?) { self.session = session }

    // MARK: Own presence

    /// - Parameter own: nil to show nothing to others.
    mutating func setOwn(_ own: OwnPresence?) {
        let own = own.map { OwnPresence($0.whereabouts.bounded, isPresenting: $0.isPresenting) }
        guard own != wish else { return }
        wish = own
        isOwed = true
        isNews = true
    }

    /// - Parameter listens: Whether the application wants to hear changes, so that there is a live channel.
    mutating func setListening(_ listens: Bool) {
        isOwed = isOwed || listens && !self.listens && wish != nil
        self.listens = listens
    }

    /// Returns the message to send now, if any. It counts as in flight from then on.
    mutating func sign(at now: Timestamp) -> PresenceSign? {
        guard let due, due <= now, let session else { return nil }
        let sign = PresenceSign(
            session: session, whereabouts: shownToOthers?.whereabouts ?? Location(),
            isPresenting: shownToOthers?.isPresenting ?? false, hasLeft: shownToOthers == nil)
        underWay = sign
        isOwed = false
        notBefore = now + Self.pace
        again = now + Self.repetition
        return sign
    }

    /// When ``sign(at:)`` will have a message; nil if none is due.
    var due: Timestamp? {
        guard session != nil, underWay == nil else { return nil }
        // The last message does not wait for its turn: the program may be about to end.
        guard shownToOthers != nil else { return isKnown ? Timestamp(milliseconds: 0) : nil }
        return max(notBefore, isOwed ? notBefore : again)
    }

    /// Whether the server still has to be told that this session leaves.
    var isLeaving: Bool { session != nil && shownToOthers == nil && (isKnown || underWay != nil) }

    mutating func answered(_ answer: PresenceAnswer) {
        guard let sign = underWay else { return }
        underWay = nil
        // The list of the others excludes this session.
        isNews = isNews || answer.id != ownID
        isKnown = answer.id != nil
        // Events from before the end of the presence may still arrive.
        ownID = answer.id ?? ownID
        if sign.isPresenting, answer.presenter == nil || !answer.presenter.isExactly(answer.id) { stopPresenting() }
    }

    mutating func failed(_ failure: SyncFailure, at now: Timestamp) {
        guard let sign = underWay else { return }
        underWay = nil
        // The server will notice.
        if sign.hasLeft { isKnown = false }
        isOwed = true
        switch failure {
        case .forbidden where sign.isPresenting: stopPresenting()
        case .unreachable(_, let retryAfter): notBefore = now + max(Self.retry, retryAfter ?? 0)
        case .invalidServer, .oldServer, .forbidden: notBefore = now + Self.longRetry
        default: notBefore = now + Self.retry
        }
    }

    private mutating func stopPresenting() {
        guard wish?.isPresenting == true else { return }
        wish?.isPresenting = false
        isNews = true
    }

    // MARK: Other participants

    /// Handles a new live channel: sends again, because earlier presence may have ended with the previous one.
    mutating func channelOpened() { isOwed = isOwed || wish != nil }

    /// Handles the end of the live channel.
    mutating func cutOff() {
        isNews = isNews || !people.isEmpty
        people = [:]
        isKnown = isKnown && shownToOthers == nil
        isOwed = wish != nil
    }

    mutating func heard(_ event: PresenceEvent) {
        let before = people
        if event.isComplete { people = [:] }
        for person in event.people where people.count < Self.maxPeople || people[person.id] != nil {
            people[person.id] = person
        }
        for id in event.left { people[id] = nil }
        isNews = isNews || people != before
        // Another participant is presenting, or the server forgot this session; the next response shows which.
        guard isKnown, let ownID, wish != nil, underWay == nil else { return }
        let isPresenting = people[ownID]?.isPresenting ?? false
        if people[ownID] == nil && before[ownID] != nil
            || wish?.isPresenting == true && !isPresenting
                && before[ownID]?.isPresenting == true
        {
            isOwed = true
        }
    }

    /// Returns the current state if it changed since the last call.
    mutating func takeChanges() -> LayerPresence? {
        // An event can refer to this session before the response with its id arrives.
        guard isNews, underWay == nil || isKnown else { return nil }
        isNews = false
        return shown
    }

    var shown: LayerPresence {
        let others = people.values.filter { $0.id != ownID }.map(LayerPerson.init)
        return LayerPresence(people: others.sorted { ($0.name ?? "", $0.id) < ($1.name ?? "", $1.id) }, own: wish)
    }

    mutating func clockWentBack(by milliseconds: Int64) {
        notBefore = notBefore + -milliseconds
        again = again + -milliseconds
    }
}

extension LayerPerson {
    fileprivate init(_ person: PresentPerson) {
        self.init(
            id: person.id, userID: person.userID, name: person.name, whereabouts: person.whereabouts,
            isPresenting: person.isPresenting)
    }
}
