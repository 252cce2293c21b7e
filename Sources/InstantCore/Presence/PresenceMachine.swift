import Annotations
import SyncProtocol

/// What is known of the others at a layer, and when they are told of oneself: at once, but not too often; again and
/// again while it is true; and anew when the server may have forgotten it.
///
/// Methods are named by what happened. It sends nothing: ``sign(at:)`` says what is to be sent now.
struct PresenceMachine: Hashable, Sendable {
    /// Milliseconds between two signs of life, however much happens.
    static let pace: Int64 = 200
    /// Milliseconds until the same is said again; a server forgets after 45 s.
    static let repetition: Int64 = 20_000
    /// Milliseconds until another try, and until one with a server that does not know the question.
    static let retry: Int64 = 5_000
    static let longRetry: Int64 = 600_000
    /// More people than anybody looks at; a server that names more is not believed.
    static let maxPeople = 1_000

    /// Of this opening of the layer; random. Whoever knows it can speak for it.
    let session: String?
    private var people: [String: PresentPerson] = [:]
    /// Under which the server tells others of this session, or did last.
    private var ownID: String?
    /// The server tells others of this session.
    private var isKnown = false
    private var wish: OwnPresence?
    private var underWay: PresenceSign?
    /// The server has to hear it before the next repetition.
    private var isOwed = false
    private var notBefore = Timestamp(milliseconds: 0)
    private var again = Timestamp(milliseconds: 0)
    /// What anybody may look at is another than when it was last taken.
    private var isNews = false

    /// - Parameter session: nil: others are never told of this client.
    init(session: String?) { self.session = session }

    // MARK: Oneself

    /// - Parameter own: nil: the others are told nothing any more.
    mutating func setOwn(_ own: OwnPresence?) {
        let own = own.map { OwnPresence($0.whereabouts.bounded, isPresenting: $0.isPresenting) }
        guard own != wish else { return }
        wish = own
        isOwed = true
        isNews = true
    }

    /// What is to be sent now, if anything; from then on it is under way.
    mutating func sign(at now: Timestamp) -> PresenceSign? {
        guard let due, due <= now, let session else { return nil }
        let sign = PresenceSign(
            session: session, whereabouts: wish?.whereabouts ?? Location(),
            isPresenting: wish?.isPresenting ?? false, hasLeft: wish == nil)
        underWay = sign
        isOwed = false
        notBefore = now + Self.pace
        again = now + Self.repetition
        return sign
    }

    /// When ``sign(at:)`` will have something; nil: not for now.
    var due: Timestamp? {
        guard session != nil, underWay == nil, wish != nil || isKnown else { return nil }
        return max(notBefore, isOwed ? notBefore : again)
    }

    mutating func answered(_ answer: PresenceAnswer) {
        guard let sign = underWay else { return }
        underWay = nil
        // Oneself is not among the others.
        isNews = isNews || answer.id != ownID
        isKnown = answer.id != nil
        // What was told before the end may still be on its way.
        ownID = answer.id ?? ownID
        if sign.isPresenting, answer.presenter == nil || !answer.presenter.isExactly(answer.id) { stopPresenting() }
    }

    mutating func failed(_ failure: SyncFailure, at now: Timestamp) {
        guard let sign = underWay else { return }
        underWay = nil
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

    // MARK: The others

    /// A live channel is open: what was said before may have ended with the last one.
    mutating func channelOpened() { isOwed = isOwed || wish != nil }

    /// There is no live channel any more.
    mutating func cutOff() {
        isNews = isNews || !people.isEmpty
        people = [:]
        isKnown = false
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
        // Another one presents, or this session was forgotten: the answer to the next sign says what is true.
        guard isKnown, let ownID, wish != nil, underWay == nil else { return }
        let isPresenting = people[ownID]?.isPresenting ?? false
        if people[ownID] == nil && before[ownID] != nil
            || wish?.isPresenting == true && !isPresenting
                && before[ownID]?.isPresenting == true
        {
            isOwed = true
        }
    }

    /// How it looks now, if that is another picture than when this was last asked.
    mutating func takeChanges() -> LayerPresence? {
        // Oneself may be told of before the answer says under which name.
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
