import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// Presence with manual events and the test's own clock.
@Suite("Presence") struct PresenceTests {
    private static let layer: Int64 = 7
    private let ana = World.grant("ana", name: "Ana")
    private let bo = World.grant("bo", name: "Bo")
    private var presence = Presence(node: "n1")
    private var now = World.now

    /// Sends a heartbeat under the user's own session.
    @discardableResult
    private mutating func say(
        _ grant: Grant, page: Int? = nil, record: Record.ID? = nil, presents: Bool = false, leaves: Bool = false,
        session: String? = nil, layer: Int64 = layer
    ) throws -> (answer: PresenceAnswer, outcome: Presence.Audience) {
        now = now + 100
        let sign = PresenceSign(
            session: session ?? grant.userID ?? "somebody", whereabouts: Location(pageIndex: page, record: record),
            isPresenting: presents, hasLeft: leaves)
        return try presence.announced(sign, by: grant, at: layer, now: now)
    }

    private func people(_ scope: ViewScope = .everything) -> [PresentPerson] {
        presence.list(of: Self.layer, seenBy: scope).people
    }

    private func pages() -> [Int?] { people().map(\.whereabouts.pageIndex) }

    private func whom(_ id: String?) throws -> Presence.ParticipantKey {
        .init(layer: Self.layer, id: try #require(id))
    }

    @Test mutating func whoComesIsSeenMovesAndLeaves() throws {
        let came = try say(ana, page: 3)
        let whom = try whom(came.answer.id)
        #expect(came.outcome == .init(told: [whom], forPeers: [whom]))
        #expect(
            people() == [
                PresentPerson(id: whom.id, userID: "ana", name: "Ana", whereabouts: Location(pageIndex: 3))
            ])
        #expect(try say(ana, page: 4).outcome.told == [whom])
        #expect(pages() == [4])
        let gone = try say(ana, leaves: true)
        #expect((gone.answer.id, gone.outcome) == (nil, .init(told: [whom], forPeers: [whom])))
        #expect(presence.event(about: whom, seenBy: .everything) == PresenceEvent(left: [whom.id]))
        #expect(people().isEmpty)
        #expect(try say(ana, leaves: true).outcome == .init(), "leaving again has no effect")
    }

    @Test mutating func theSameAgainIsNoNewsButKeepsThemHere() throws {
        let whom = try whom(try say(ana, page: 1).answer.id)
        now = now + 40_000
        #expect(try say(ana, page: 1).outcome == .init(told: [], forPeers: [whom]))
        now = now + 40_000
        #expect(presence.timePassed(at: now) == .init())
        now = now + 5_000
        #expect(presence.timePassed(at: now) == .init(told: [whom], forPeers: [whom]))
        #expect(people().isEmpty)
    }

    @Test mutating func aClockThatIsSetBackKeepsNobodyForLonger() throws {
        try say(ana)
        now = now + -3_600_000
        #expect(presence.timePassed(at: now) == .init())
        #expect(presence.timePassed(at: now + 45_000).told.count == 1)
    }

    @Test(arguments: [0, 10_000, 45_000]) mutating func theEndOfTheLastStreamIsTheEndAfterAWhile(grace: Int64) throws {
        presence = Presence(node: "n1", grace: grace)
        let session = try Presence.Session("ana", at: Self.layer, of: ana)
        presence.streamOpened(session)
        let outcome = presence.streamEnded(session, at: now)
        #expect(outcome == .init(), "a session that has announced nothing has no participant")
        presence.streamOpened(session)
        try say(ana)
        // A new token opens its stream before the old one closes.
        presence.streamOpened(session)
        #expect(presence.streamEnded(session, at: now) == .init())
        #expect(people().count == 1)
        let ended = presence.streamEnded(session, at: now)
        if grace > 0 {
            #expect(ended == .init())
            #expect(presence.timePassed(at: now + (grace - 1)) == .init())
            #expect(presence.timePassed(at: now + grace).told.count == 1)
        } else {
            #expect(ended.told.count == 1)
        }
        #expect(people().isEmpty)
    }

    @Test mutating func whoComesBackInTimeNeverLeft() throws {
        let session = try Presence.Session("ana", at: Self.layer, of: ana)
        presence.streamOpened(session)
        let before = try say(ana, page: 4, presents: true).answer
        #expect(presence.streamEnded(session, at: now) == .init())
        now = now + 9_000
        #expect(presence.timePassed(at: now) == .init())
        #expect(throws: Never.self) { try say(bo, page: 1, presents: true) }
        presence.streamOpened(session)
        let back = try say(ana, page: 4, presents: true)
        #expect(back.answer == before && back.outcome.told.isEmpty)
        #expect(people().filter(\.isPresenting).map(\.userID) == ["ana"])
        #expect(presence.timePassed(at: now + 30_000) == .init())
    }

    @Test mutating func whoDoesNotComeBackIsGoneAtOnce() throws {
        let session = try Presence.Session("ana", at: Self.layer, of: ana)
        presence.streamOpened(session)
        try say(ana)
        #expect(presence.streamEnded(session, isFinal: true, at: now).told.count == 1)
        presence.streamOpened(session)
        try say(ana)
        try say(ana, leaves: true)
        #expect(people().isEmpty)
    }

    // MARK: Several servers

    /// The connection to one server is lost, and the client reaches another one.
    @Test mutating func whoComesBackToAnotherServerIsThereOnce() throws {
        var other = Presence(node: "n2")
        var third = Presence(node: "n3")
        let session = try Presence.Session("ana", at: Self.layer, of: ana)
        presence.streamOpened(session)
        let firstEntry = try whom(try say(ana, page: 4, presents: true).answer.id)
        let known = try #require(presence.peerPerson(firstEntry))
        _ = other.heard([known], left: [], now: now)
        _ = third.heard([known], left: [], now: now)
        #expect(presence.streamEnded(session, at: now) == .init())

        now = now + 2_000
        let sign = PresenceSign(session: "ana", whereabouts: Location(pageIndex: 4), isPresenting: true)
        other.streamOpened(session)
        let (answer, there) = try other.announced(sign, by: ana, at: Self.layer, now: now)
        let newEntry = try whom(answer.id)
        #expect(answer.presenter == answer.id, "she still presents")
        #expect(there == .init(told: [firstEntry, newEntry], forPeers: [newEntry]))
        let moved = try #require(other.peerPerson(newEntry))
        #expect(third.heard([moved], left: [], now: now).told == [newEntry])
        let here = presence.heard([moved], left: [], now: now)
        #expect(here == .init(told: [firstEntry, newEntry], forPeers: [firstEntry]))
        #expect(third.heard([], left: [firstEntry], now: now).told == [firstEntry])
        // What was on its way does not bring back the former entry.
        #expect(other.heard([known], left: [], now: now) == .init())
        for presence in [presence, other, third] {
            let list = presence.list(of: Self.layer, seenBy: .everything).people
            #expect(list.map(\.id) == [newEntry.id] && list.allSatisfy(\.isPresenting))
        }
    }

    @Test mutating func aSessionIsOneUsersAndOneLayers() throws {
        try say(ana, page: 1, session: "s")
        try say(bo, page: 2, session: "s")
        try say(World.grant(nil), page: 3, session: "s")
        try say(ana, page: 4, session: "s", layer: 8)
        try say(World.grant("é"), page: 5, session: "s")
        try say(World.grant("e\u{301}"), page: 6, session: "s")
        #expect(Set(pages()) == [1, 2, 3, 5, 6])
        #expect(presence.list(of: 8, seenBy: .everything).people.count == 1)
        try say(bo, leaves: true, session: "s")
        #expect(Set(pages()) == [1, 3, 5, 6])
    }

    // MARK: Presenting

    @Test mutating func onePresentsUntilTheyStopOrGo() throws {
        let first = try say(ana, presents: true).answer
        #expect(first.presenter == first.id)
        let second = try say(bo, page: 2, presents: true).answer
        #expect(second.presenter == first.id, "the second one does not present")
        #expect(people().filter(\.isPresenting).map(\.userID) == ["ana"])
        #expect(try say(ana, page: 9, presents: true).answer.presenter == first.id)
        let stopped = try say(ana, page: 9)
        #expect((stopped.answer.presenter, stopped.outcome.told) == (nil, [try whom(first.id)]))
        #expect(people().allSatisfy { !$0.isPresenting }, "no one takes over automatically")
        #expect(try say(bo, presents: true).answer.presenter == second.id)
        #expect(try say(bo, leaves: true).answer.presenter == nil)
    }

    @Test mutating func presentingNeedsWrite() throws {
        let reader = World.grant("reader", general: [.readDocument, .download])
        try say(reader, page: 5)
        let refusal = #expect(throws: APIError.self) { try say(reader, page: 6, presents: true) }
        #expect(refusal?.reason == .insufficientScope)
        #expect(refusal?.description.contains(#""write""#) == true)
        #expect(pages() == [5], "no part of a refused announcement is applied")
    }

    @Test mutating func twoThatBeganAtOnceOnTwoServersAreSettledAlikeOnBoth() throws {
        var other = Presence(node: "n2")
        let anas = try whom(try say(ana, presents: true).answer.id)
        let sign = PresenceSign(session: "bo", isPresenting: true)
        let bos = try whom(try other.announced(sign, by: bo, at: Self.layer, now: now + 1).answer.id)
        let (fromHere, fromThere) = (try #require(presence.peerPerson(anas)), try #require(other.peerPerson(bos)))
        let here = presence.heard([fromThere], left: [], now: now)
        let there = other.heard([fromHere], left: [], now: now)
        #expect(here.told == [bos] && here.forPeers == [])
        #expect(there == .init(told: [anas, bos], forPeers: [bos]), "the loser and the others are notified")
        for presence in [presence, other] {
            let list = presence.list(of: Self.layer, seenBy: .everything).people
            #expect(list.filter(\.isPresenting).map(\.userID) == ["ana"])
            #expect(list.count == 2)
        }
    }

    // MARK: Records

    @Test mutating func aRecordIsNamedOnlyToWhoMaySeeIt() throws {
        let world = try World()
        try world.push(.create, "note", group: "crew", World.note("words"))
        let crew = World.grant("guest", ["annotations:view:group=crew"]).viewScope
        let others = World.grant("guest", ["annotations:view:group=others"]).viewScope
        let came = try say(ana, page: 1, record: "note")
        #expect(came.outcome.told.isEmpty, "sent once the record has been looked up")
        #expect(people().first?.whereabouts.record == nil)
        #expect(presence.unknownRecords(at: Self.layer) == ["note"])
        let found = presence.found([try #require(try world.record("note"))], of: ["note"], at: Self.layer)
        #expect(found.told == [try whom(came.answer.id)])
        func seen(_ scope: ViewScope) -> Record.ID? { people(scope).first?.whereabouts.record }
        #expect((seen(.everything), seen(crew), seen(others)) == ("note", "note", nil))

        // It moves or is deleted: viewers are notified that no participant points at it.
        try world.backend { try $0.replace("note", World.note("moved"), user: nil, group: .some("others")) }
        var commit = try #require(world.commits.last)
        commit.layer.id = Self.layer
        #expect(presence.committed(commit).told == found.told)
        #expect((seen(.everything), seen(crew), seen(others)) == ("note", nil, "note"))
        #expect(presence.committed(commit).told.isEmpty, "a repetition causes no event")
        try world.backend { try $0.delete("note", user: nil) }
        commit = try #require(world.commits.last)
        commit.layer.id = Self.layer
        #expect(presence.committed(commit).told == found.told)
        #expect((seen(.everything), seen(crew), seen(others)) == (nil, nil, nil))
    }

    /// The rectangles of a selected record show where a hidden record is.
    @Test mutating func aSelectionIsShownOnlyWithItsRecord() throws {
        let world = try World()
        try world.push(.create, "note", group: "crew", World.note("words"))
        let crew = World.grant("guest", ["annotations:view:group=crew"]).viewScope
        let others = World.grant("guest", ["annotations:view:group=others"]).viewScope
        let area = [PageArea(pageIndex: 3, rects: [Rect(left: 1, top: 2, width: 3, height: 4)])]
        for record in ["note", nil] {
            _ = try presence.announced(
                PresenceSign(session: "s", whereabouts: Location(pageIndex: 3, selection: area, record: record)),
                by: ana, at: Self.layer, now: World.now)
            _ = presence.found([try #require(try world.record("note"))], of: ["note"], at: Self.layer)
            let seen = [ViewScope.everything, crew, others].map { people($0).first?.whereabouts.selection }
            #expect(seen == [area, area, record == nil ? area : []])
            #expect(people(others).first?.whereabouts.pageIndex == 3)
        }
    }

    @Test mutating func aLookThatIsOlderThanACommitSaysNothing() throws {
        let world = try World()
        try world.push(.create, "note", group: "crew", World.note("words"))
        let old = try #require(try world.record("note"))
        try world.backend { try $0.replace("note", World.note("moved"), user: nil, group: .some("secret")) }
        try say(ana, record: "note")
        var commit = try #require(world.commits.last)
        commit.layer.id = Self.layer
        _ = presence.committed(commit)
        #expect(presence.found([old], of: ["note"], at: Self.layer).told.isEmpty)
        let crew = World.grant("guest", ["annotations:view:group=crew"]).viewScope
        #expect(people(crew).first?.whereabouts.record == nil)
    }

    @Test mutating func aRecordThatIsNotThereYetIsNamedWhenItComes() throws {
        let world = try World()
        let whom = try whom(try say(ana, record: "new").answer.id)
        #expect(presence.found([], of: ["new"], at: Self.layer).told == [whom])
        #expect(people().first?.whereabouts.record == nil)
        try world.push(.create, "new", World.note("words"))
        var commit = try #require(world.commits.last)
        commit.layer.id = Self.layer
        #expect(presence.committed(commit).told == [whom])
        #expect(people().first?.whereabouts.record == "new")
        presence.forgetRecords(at: Self.layer)
        #expect(people().first?.whereabouts.record == nil)
        #expect(presence.unknownRecords(at: Self.layer) == ["new"])
    }

    // MARK: Limits

    @Test(arguments: [
        Location(pageIndex: -1), Location(pageIndex: 1_000_000),
        Location(record: ""), Location(record: "two words"),
        Location(record: String(repeating: "x", count: 257)),
        Location(selection: [PageArea(pageIndex: -7, rects: [])]),
        Location(selection: [PageArea(pageIndex: 0, rects: [Rect(left: 1e300, top: 0, width: 1, height: 1)])]),
        Location(
            selection: [
                PageArea(
                    pageIndex: 0,
                    rects: Array(repeating: Rect(left: 0, top: 0, width: 1, height: 1), count: 101))
            ]),
        Location(selection: Array(repeating: PageArea(pageIndex: 0, rects: []), count: 101)),
    ])
    mutating func placesThatAreNoneAreRefused(_ whereabouts: Location) throws {
        let sign = PresenceSign(session: "s", whereabouts: whereabouts)
        let refusal = #expect(throws: APIError.self) { try presence.announced(sign, by: ana, at: 1, now: now) }
        #expect(refusal?.reason == .invalid)
    }

    @Test(arguments: ["", "two words", "é", String(repeating: "s", count: 65), "a\n"])
    mutating func aSessionHasAName(_ name: String) {
        let sign = PresenceSign(session: name)
        let refusal = #expect(throws: APIError.self) { try presence.announced(sign, by: ana, at: 1, now: now) }
        #expect(refusal?.reason == .badRequest)
    }

    @Test mutating func signsThatComeTooFastAreRefusedForThatUserAlone() throws {
        func sign(_ session: String) -> PresenceSign { PresenceSign(session: session) }
        for n in 0..<40 { _ = try presence.announced(sign("s\(n % 3)"), by: ana, at: 1, now: now) }
        let refusal = #expect(throws: APIError.self) { try presence.announced(sign("new"), by: ana, at: 1, now: now) }
        #expect(refusal?.reason == .tooManyRequests)
        _ = try presence.announced(sign("s"), by: bo, at: 1, now: now)
        _ = try presence.announced(sign("s"), by: ana, at: 1, now: now + 50)
        // Setting the clock back does not throttle anyone.
        _ = presence.timePassed(at: now + -9_999_999)
        _ = try presence.announced(sign("s"), by: ana, at: 1, now: now + -9_999_999)
    }

    @Test mutating func thereIsRoomForSoMany() throws {
        presence = Presence(node: "n1", bound: .init(people: 6, sessions: 2))
        for session in ["a", "b"] { try say(ana, session: session) }
        #expect(throws: APIError.self) { try say(ana, session: "c") }
        try say(ana, page: 2, session: "b")
        for session in ["c", "d", "e"] { try say(World.grant(nil), session: session) }
        #expect(throws: APIError.self, "half of the room is for users") { try say(World.grant(nil), session: "f") }
        try say(bo)
        let cy = World.grant("cy")
        #expect(throws: APIError.self) { try say(cy) }
        try say(ana, leaves: true, session: "a")
        try say(cy)
        #expect(people().count == 6)
        let crowd = (0..<9).map { n in
            PeerPerson(layer: Self.layer, person: .init(id: "n2-\(n)", userID: nil, name: nil), presentingSince: nil)
        }
        #expect(presence.heard(crowd, left: [], now: now).told.isEmpty)
    }

    @Test mutating func anotherServerSpeaksForItsOwnPeopleOnly() throws {
        let own = try whom(try say(ana, page: 1).answer.id)
        var mine = try #require(presence.peerPerson(own))
        mine.person.whereabouts.pageIndex = 99
        #expect(presence.heard([mine], left: [own], now: now) == .init())
        #expect(pages() == [1])
        mine.person.id = "n2-1"
        mine.session = "another"
        let theirs = Presence.ParticipantKey(layer: Self.layer, id: "n2-1")
        #expect(presence.heard([mine], left: [], now: now) == .init(told: [theirs], forPeers: []))
        #expect(presence.heard([mine], left: [], now: now) == .init(), "a repetition causes no event")
        #expect(presence.own == [own])
        // A crashed server sends nothing more.
        #expect(presence.timePassed(at: now + 45_000).told.contains(theirs))
    }

    @Test mutating func aLayerThatIsGoneIsEmpty() throws {
        try say(ana)
        #expect(presence.layerEnded(Self.layer, isLost: false).told.isEmpty)
        #expect(presence.layerEnded(Self.layer, isLost: true).told.count == 1)
        #expect(people().isEmpty)
    }

    /// In any order of events, the messages to a listener add up to the current state, a version identifies one list,
    /// and at most one participant presents.
    @Test(arguments: 0..<60) mutating func whatIsToldAddsUp(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        presence = Presence(node: "n1", bound: .init(people: 6, sessions: 3))
        var heard: [String: PresentPerson] = [:]
        var lists: [String: [PresentPerson]] = [:]
        let grants = [ana, bo, World.grant(nil), World.grant("reader", general: [.readDocument])]
        let records: [ServerRecord] = ["a", "b"].map { .init(base: Record(id: $0, content: World.note($0))) }
        for _ in 0..<300 {
            now = now + Int64.random(in: 0...9_000, using: &random)
            let grant = random.pick(grants)
            let session = random.pick(["s", "t"])
            var outcome = Presence.Audience()
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                let sign = PresenceSign(
                    session: session,
                    whereabouts: Location(
                        pageIndex: random.pick([nil, 1, 2]), record: random.pick([nil, "a", "b", "none"])),
                    isPresenting: random.chance(1, of: 3), hasLeft: random.chance(1, of: 9))
                guard let done = try? presence.announced(sign, by: grant, at: Self.layer, now: now) else { continue }
                outcome = done.outcome
            case 4: presence.streamOpened(try Presence.Session(session, at: Self.layer, of: grant))
            case 5:
                let ended = try Presence.Session(session, at: Self.layer, of: grant)
                outcome = presence.streamEnded(ended, isFinal: random.chance(1, of: 2), at: now)
            case 6: outcome = presence.timePassed(at: now)
            default:
                let peer = PeerPerson(
                    layer: Self.layer,
                    person: .init(
                        id: random.pick(["n2-1", "n2-2"]), userID: "peer", name: nil,
                        whereabouts: Location(record: random.pick([nil, "a"]))),
                    presentingSince: random.pick([nil, now, now + -20_000]))
                let gone = Presence.ParticipantKey(layer: Self.layer, id: random.pick(["n2-1", "n2-3"]))
                outcome = presence.heard([peer], left: random.chance(1, of: 2) ? [gone] : [], now: now)
            }
            let unknown = presence.unknownRecords(at: Self.layer)
            if !unknown.isEmpty {
                outcome.told.formUnion(
                    presence.found(records.filter { unknown.contains($0.id) }, of: unknown, at: Self.layer).told)
            }
            for whom in outcome.told {
                let event = presence.event(about: whom, seenBy: .everything)
                for person in event.people { heard[person.id] = person }
                for id in event.left { heard[id] = nil }
            }
            let list = presence.list(of: Self.layer, seenBy: .everything)
            #expect(heard.values.sorted { $0.id < $1.id } == list.people, "seed \(seed)")
            #expect(lists.updateValue(list.people, forKey: list.version) ?? list.people == list.people, "seed \(seed)")
            #expect(list.people.count <= 6 && list.people.filter(\.isPresenting).count <= 1, "seed \(seed)")
        }
    }
}
