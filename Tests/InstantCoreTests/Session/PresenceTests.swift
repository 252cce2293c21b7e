import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// What a client announces about itself and knows about others.
@Suite("Presence in a layer") struct PresenceTests {
    private var it = Bench()
    private var stream = StreamID(0)

    /// Starts live and listening, with an open stream.
    init() throws {
        stream = try it.goListening().id
        _ = it.give(.heard(stream, .session(SessionEvent(.open))))
    }

    private func page(_ index: Int, presents: Bool = false) -> OwnPresence {
        OwnPresence(Location(pageIndex: index), isPresenting: presents)
    }

    private func person(_ id: String, _ name: String? = nil, page: Int? = nil, presents: Bool = false) -> PresentPerson
    {
        PresentPerson(
            id: id, userID: nil, name: name, whereabouts: Location(pageIndex: page), isPresenting: presents)
    }

    /// The presence request that an input causes.
    private mutating func sign(_ input: Synchronizer.Input) -> (id: Int, sign: PresenceSign)? {
        it.give(input).sign
    }

    private mutating func answer(_ sent: (id: Int, sign: PresenceSign)?, presenter: String? = nil) throws
        -> [Synchronizer.Effect]
    {
        it.give(.answered(try #require(sent).id, .presence(PresenceAnswer(id: "me", presenter: presenter))))
    }

    private mutating func hear(_ event: PresenceEvent) -> [Synchronizer.Effect] {
        it.give(.heard(stream, .presence(event)))
    }

    @Test mutating func theOthersAreToldAtOnceAndThenNotTooOften() throws {
        let first = try #require(sign(.announced(page(1))))
        #expect((first.sign.session, first.sign.whereabouts.pageIndex) == ("s", 1))
        // Later announcements are coalesced until the response arrives, and for an interval after it.
        #expect(sign(.announced(page(2))) == nil)
        #expect(try answer(first).sign == nil)
        #expect(sign(.announced(page(3))) == nil)
        it.now = it.now + 199
        #expect(sign(.woke) == nil)
        it.now = it.now + 1
        let second = sign(.woke)
        #expect(second?.sign.whereabouts.pageIndex == 3)
        _ = try answer(second)
        #expect(sign(.announced(page(3))) == nil, "nothing new")
    }

    @Test mutating func itIsSaidAgainBeforeTheServerForgets() throws {
        _ = try answer(sign(.announced(page(1))))
        for _ in 0..<3 {
            it.now = it.now + 19_999
            _ = it.give(.heard(stream, .heartbeat))
            #expect(sign(.woke) == nil)
            it.now = it.now + 1
            let again = sign(.woke)
            #expect(again?.sign.whereabouts.pageIndex == 1)
            #expect(try answer(again).wake != nil, "a timer is set for the next one")
        }
        it.now = it.now + 1_000
        let last = sign(.announced(nil))
        #expect(last?.sign.hasLeft == true)
        _ = it.give(.answered(try #require(last).id, .presence(PresenceAnswer(id: nil, presenter: nil))))
        it.now = it.now + 30_000
        #expect(sign(.woke) == nil)
    }

    @Test mutating func aNewStreamIsToldAnew() throws {
        _ = hear(PresenceEvent(isComplete: true, people: [person("1", "Bo")]))
        _ = try answer(sign(.announced(page(1))))
        let effects = it.give(.streamEnded(stream, nil))
        #expect(effects.news == LayerPresence(people: [], own: page(1)), "nothing reports the others any more")
        it.now = it.now + 60_000
        let session = it.request(.woke)
        let pull = it.request(.answered(session, it.session()))
        let opened = it.give(.answered(pull, it.delta()))
        stream = try #require(opened.stream).id
        #expect(opened.sign == nil && opened.stream?.session == "s")
        let again = sign(.heard(stream, .session(SessionEvent(.open))))
        #expect(again?.sign.whereabouts.pageIndex == 1)
    }

    @Test mutating func whoDoesNotListenIsNotHere() throws {
        _ = try answer(sign(.announced(page(1))))
        it.now = it.now + 1
        let last = try #require(sign(.listening(false)), "the end of the stream would tell the others seconds later")
        #expect(last.sign.hasLeft)
        #expect(sign(.woke) == nil)
        _ = it.give(.answered(last.id, .presence(PresenceAnswer(id: nil, presenter: nil))))
        it.now = it.now + 60_000
        #expect(sign(.woke) == nil)
        #expect(sign(.announced(page(2))) == nil)
        let pull = it.request(.listening(true))
        stream = try #require(it.give(.answered(pull, it.delta())).stream).id
        #expect(sign(.heard(stream, .session(SessionEvent(.open))))?.sign.whereabouts.pageIndex == 2)
    }

    /// The program ends right after a motion: the last message must come after the one that is on its way.
    @Test mutating func whoLeavesWhileAMessageIsOnItsWayLeavesAfterIt() throws {
        let first = sign(.announced(page(1)))
        #expect(sign(.announced(nil)) == nil)
        #expect(sign(.listening(false)) == nil)
        let last = sign(.answered(try #require(first).id, .presence(PresenceAnswer(id: "me", presenter: nil))))
        #expect(last?.sign.hasLeft == true)
        _ = it.give(.answered(try #require(last).id, .presence(PresenceAnswer(id: nil, presenter: nil))))
    }

    @Test mutating func aDepartureThatFailsIsNotRepeated() throws {
        _ = try answer(sign(.announced(page(1))))
        let last = try #require(sign(.announced(nil)))
        #expect(sign(.failed(last.id, .unreachable("the connection was closed"))) == nil)
        it.now = it.now + 60_000
        #expect(sign(.woke) == nil)
    }

    @Test mutating func theOthersComeMoveAndLeave() throws {
        _ = try answer(sign(.announced(page(1))))
        let came = hear(PresenceEvent(isComplete: true, people: [person("2", "Bo"), person("1", "Ana"), person("me")]))
        #expect(came.news?.people.map(\.name) == ["Ana", "Bo"], "the others do not include oneself")
        #expect(hear(PresenceEvent(people: [person("2", "Bo")])).news == nil)
        let moved = hear(PresenceEvent(people: [person("2", "Bo", page: 7, presents: true)])).news
        #expect(moved?.presenter?.whereabouts.pageIndex == 7)
        #expect(hear(PresenceEvent(left: ["2", "9"])).news?.people.map(\.id) == ["1"])
        #expect(hear(PresenceEvent(isComplete: true, people: [])).news?.people == [])
    }

    @Test mutating func nobodyMeetsOneself() throws {
        let sent = sign(.announced(page(1)))
        #expect(hear(PresenceEvent(people: [person("me", page: 1), person("2", "Bo")])).news == nil)
        #expect(try answer(sent).news?.people.map(\.name) == ["Bo"])
        it.now = it.now + 1_000
        let last = try #require(sign(.announced(nil)))
        let effects = it.give(.answered(last.id, .presence(PresenceAnswer(id: nil, presenter: nil))))
        #expect(effects.news?.people.count ?? 1 == 1, "nor when the answer arrives before the event")
        #expect(hear(PresenceEvent(left: ["me"])).news?.people.map(\.name) ?? ["Bo"] == ["Bo"])
    }

    @Test mutating func whoPresentsSecondIsToldSo() throws {
        let refused = try answer(sign(.announced(page(1, presents: true))), presenter: "bo")
        #expect(refused.news?.own == page(1), "the page is announced anyway")
        it.now = it.now + 20_000
        #expect(sign(.heard(stream, .heartbeat))?.sign.isPresenting == false, "presenting is not requested again")
    }

    @Test mutating func whoLosesItAsksWhetherThatIsSo() throws {
        _ = try answer(sign(.announced(page(1, presents: true))), presenter: "me")
        _ = hear(PresenceEvent(people: [person("me", page: 1, presents: true)]))
        it.now = it.now + 1_000
        // Two servers found that another participant began first.
        let asked = hear(PresenceEvent(people: [person("me", page: 1)])).sign
        #expect(asked?.sign.isPresenting == true)
        #expect(try answer(asked, presenter: "bo").news?.own?.isPresenting == false)
    }

    @Test mutating func aRightThatIsMissingEndsPresentingAlone() throws {
        let sent = sign(.announced(page(1, presents: true)))
        let effects = it.give(.failed(try #require(sent).id, .forbidden(#"this token lacks "write""#)))
        #expect(effects.news?.own == page(1))
        #expect(it.synchronizer.connection == .live, "the layer stays readable")
        it.now = it.now + 200
        #expect(sign(.woke)?.sign.isPresenting == false)
    }

    @Test(
        arguments: [
            (SyncFailure.unreachable("slow down", retryAfterMilliseconds: 30_000), 30_000),
            (.unreachable("no answer"), 5_000), (.token(.expired), 5_000), (.invalidServer("what?"), 600_000),
        ] as [(SyncFailure, Int64)])
    mutating func aSignThatFailsDisturbsNothing(_ failure: SyncFailure, milliseconds: Int64) throws {
        let sent = try #require(sign(.announced(page(1))))
        #expect(it.names(.failed(sent.id, failure)) == ["here: "])
        #expect(it.synchronizer.connection == .live)
        let end = it.now + milliseconds
        while it.now + 30_000 < end {
            it.now = it.now + 30_000
            #expect(it.give(.heard(stream, .heartbeat)).sign == nil)
        }
        it.now = end + -1
        #expect(it.give(.heard(stream, .heartbeat)).sign == nil)
        it.now = end
        #expect(sign(.woke)?.sign.whereabouts.pageIndex == 1)
    }

    @Test mutating func nothingIsSaidWithoutAConnection() throws {
        _ = try answer(sign(.announced(page(1))))
        #expect(it.give(.wentOffline).sign == nil)
        it.now = it.now + 100_000
        #expect(sign(.announced(page(2))) == nil)
        #expect(sign(.woke) == nil)
    }

    @Test mutating func aCrowdThatNobodyCouldLookAtIsCut() {
        let crowd = (0..<2_000).map { person("p\($0)") }
        #expect(hear(PresenceEvent(isComplete: true, people: crowd)).news?.people.count == 1_000)
    }

    @Test mutating func aSelectionIsCutToWhatCanBeTold() throws {
        let rects = Array(repeating: Rect(left: 0, top: 0, width: 1, height: 1), count: 70)
        let own = OwnPresence(
            Location(selection: (0..<3).map { PageArea(pageIndex: $0, rects: rects) }))
        let sent = try #require(sign(.announced(own)))
        #expect(sent.sign.whereabouts.selection.map(\.rects.count) == [70, 30])
    }

    @Test func aClientWithoutASessionSaysNothing() throws {
        var silent = Bench()
        silent.synchronizer = Synchronizer(layer: silent.layer)
        _ = silent.goLive()
        #expect(silent.give(.announced(page(1))).sign == nil)
    }
}

extension [Synchronizer.Effect] {
    /// The presence request to send.
    fileprivate var sign: (id: Int, sign: PresenceSign)? {
        for case .send(let request) in self { if case .presence(let sign) = request.kind { return (request.id, sign) } }
        return nil
    }

    /// The presence state, if it changed.
    fileprivate var news: LayerPresence? {
        for case .announce(.presence(let presence)) in self { return presence }
        return nil
    }
}
