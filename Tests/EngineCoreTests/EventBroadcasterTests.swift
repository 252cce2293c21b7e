import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

/// Which listeners receive what, once a commit is durable.
@Suite("Fan-out") struct EventBroadcasterTests {
    private let world: World
    private let everything = World.grant().viewScope
    private let crew = World.grant("guest", ["annotations:view:group=crew"]).viewScope

    init() throws { world = try World() }

    private func commit(_ id: String, group: String? = nil) throws -> Commit {
        try world.push(.create, id, group: group, World.note("words"))
        return try #require(world.commits.last)
    }

    private func changes(_ delivery: QueuedEvents) throws -> [ChangeEvent] {
        try delivery.frames.map { frame in
            var parser = ServerSentEventParser()
            guard case .change(let event)? = try parser.feed(frame.bytes).first else { throw NoChange() }
            #expect(event.revision == frame.revision)
            return event
        }
    }

    private struct NoChange: Error {}

    @Test func equalSightsShareOneEncoding() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let one = fanout.add(layer, scope: everything, tokenID: nil)
        let two = fanout.add(layer, scope: everything, tokenID: nil)
        let other = fanout.add(layer, scope: crew, tokenID: nil)
        #expect(fanout.publish(try commit("a")) == [one, two])
        let delivery = fanout.take(one)
        #expect(delivery == fanout.take(two))
        #expect(try changes(delivery).map(\.revision) == [1])
        #expect(fanout.take(other).isEmpty)
        #expect(fanout.take(one).isEmpty, "already taken")
    }

    @Test func aClientIsNotToldWhatTheAnswerToItsPushHas() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let writer = fanout.add(layer, scope: everything, tokenID: nil, client: "c")
        let reader = fanout.add(layer, scope: everything, tokenID: nil, client: "d")
        let epoch = try world.look { $0.epoch }
        for (id, cursor) in [("a", Cursor(epoch: epoch, revision: 0)), ("b", nil)] {
            _ = try world.send(
                PushRequest(
                    clientID: "c", acked: 0, cursor: cursor,
                    changes: [
                        Change(
                            n: cursor == nil ? 2 : 1, kind: .create, id: id, baseRevision: 0,
                            content: World.note("x"))
                    ]), World.grant())
            let commit = try #require(world.commits.last)
            #expect(fanout.publish(commit) == [writer, reader])
        }
        let told = try changes(fanout.take(writer))
        #expect(told.map(\.revision) == [1, 2])
        #expect(told.map(\.previous) == [0, 1])
        // Without a cursor, the answer has no changes.
        #expect(told.map(\.isOmitted) == [true, false])
        #expect(told.map(\.changes.count) == [0, 1])
        #expect(try changes(fanout.take(reader)).map(\.changes.count) == [1, 1])
    }

    @Test func previousIsWhatThisViewWasLastToldOf() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let all = fanout.add(layer, scope: everything, tokenID: nil)
        let some = fanout.add(layer, scope: crew, tokenID: nil)
        for (id, group) in [("a", "crew"), ("b", "x"), ("c", "x"), ("d", "crew")] {
            _ = fanout.publish(try commit(id, group: group))
        }
        #expect(try changes(fanout.take(all)).map(\.previous) == [0, 1, 2, 3])
        let events = try changes(fanout.take(some))
        #expect(events.map(\.revision) == [1, 4])
        #expect(events.map(\.previous) == [0, 1])
        #expect(events[0].epoch != (try world.look { $0.epoch }))
    }

    /// Two similar-looking ids in one commit: one leaves the view, the other was never in it.
    @Test func aRecordIsNotTakenForOneThatLooksTheSame() throws {
        let ids = ["caf\u{E9}", "cafe\u{301}"]
        try world.push(.create, ids[0], group: "crew", World.note("seen"))
        try world.push(.create, ids[1], group: "secret", World.note("unseen"))
        var fanout = EventBroadcaster()
        let reader = fanout.add(try world.layer, scope: crew, tokenID: nil)
        try world.backend { writer in
            for id in ids { try writer.replace(id, World.note("moved"), user: nil, group: .some("other")) }
        }
        _ = fanout.publish(try #require(world.commits.last))
        let told = try changes(fanout.take(reader)).flatMap(\.changes).map(\.id)
        #expect(told.count == 1)
        #expect(try #require(told.first).utf8.elementsEqual(ids[0].utf8))
    }

    @Test func whoComesLaterIsNotToldWhatWasThere() throws {
        var fanout = EventBroadcaster()
        let first = try commit("a")
        let late = fanout.add(try world.layer, scope: everything, tokenID: nil)
        #expect(fanout.publish(first).isEmpty, "the listener has already pulled it")
        _ = fanout.publish(try commit("b"))
        #expect(try changes(fanout.take(late)).map(\.previous) == [1])
    }

    @Test func layersDoNotHearEachOther() throws {
        var fanout = EventBroadcaster()
        let other = try world.store.write { try $0.addLayer(LayerKey(document: "doc", name: "o"), generation: "o") }
        let id = fanout.add(other, scope: everything, tokenID: nil)
        #expect(fanout.publish(try commit("a")).isEmpty)
        #expect(fanout.take(id).isEmpty)
    }

    @Test func namesThatLookAlikeAreDifferentSights() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let one = fanout.add(
            layer, scope: World.grant("é", ["annotations:view:self"]).viewScope, tokenID: nil)
        let two = fanout.add(
            layer, scope: World.grant("e\u{301}", ["annotations:view:self"]).viewScope, tokenID: nil)
        try world.push(.create, "a", World.note("x"), client: "e", as: World.grant("é"))
        #expect(fanout.publish(try #require(world.commits.last)) == [one])
        #expect(fanout.take(two).isEmpty)
    }

    @Test func whoIsSlowIsToldToPull() throws {
        var fanout = EventBroadcaster(frames: 2)
        let slow = fanout.add(try world.layer, scope: everything, tokenID: nil)
        let quick = fanout.add(try world.layer, scope: everything, tokenID: nil)
        for id in ["a", "b", "c", "d"] {
            _ = fanout.publish(try commit(id))
            #expect(fanout.take(quick).frames.count == 1)
        }
        let delivery = fanout.take(slow)
        #expect((delivery.frames.count, delivery.end?.kind) == (0, .behind))
    }

    @Test func bytesCountToo() throws {
        var fanout = EventBroadcaster(bytes: 1000)
        let slow = fanout.add(try world.layer, scope: everything, tokenID: nil)
        for id in ["a", "b", "c", "d", "e"] { _ = fanout.publish(try commit(id)) }
        #expect(fanout.take(slow).end?.kind == .behind)
    }

    @Test func streamsEndForTheirReason() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let one = fanout.add(layer, scope: everything, tokenID: "é")
        let two = fanout.add(layer, scope: everything, tokenID: "e\u{301}")
        let three = fanout.add(layer, scope: everything, tokenID: nil)
        _ = fanout.publish(try commit("a"))
        #expect(fanout.revoke(["é", "unknown"]) == [one])
        let revoked = fanout.take(one)
        #expect((revoked.frames.count, revoked.end?.kind) == (0, .revoked), "a revoked token reads nothing more")
        #expect(fanout.close(layer: layer.id, with: SessionEvent(.lost)) == [one, two, three])
        let lost = fanout.take(two)
        #expect((lost.frames.count, lost.end?.kind) == (1, .lost), "earlier events are delivered before the end")
        _ = fanout.publish(try commit("b"))
        #expect(fanout.take(three).frames.count == 1, "nothing comes after the end")
        for id in [one, two, three] { fanout.remove(id) }
        #expect(fanout.listenerCount == 0)
        #expect(fanout.take(one).end?.kind == .closing)
    }

    @Test func theKeysOfTokensEndListeners() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let ids = ["", "one", "two"].map { fanout.add(layer, scope: everything, tokenID: nil, signer: $0) }
        _ = fanout.publish(try commit("a"))
        #expect(fanout.revoke(signersExcept: ["two", "three", ""]) == [ids[1]])
        let ended = fanout.take(ids[1])
        #expect((ended.frames.count, ended.end?.kind) == (0, .revoked), "a token without a key reads nothing more")
        #expect(fanout.take(ids[0]).end == nil && fanout.take(ids[2]).end == nil)
        #expect(fanout.revoke(signersExcept: []) == Set(ids))
    }

    // MARK: Presence

    private func told(_ person: String, page: Int) -> PresenceEvent {
        PresenceEvent(
            people: [.init(id: person, userID: nil, name: nil, whereabouts: Location(pageIndex: page))])
    }

    private func people(_ delivery: QueuedEvents) throws -> [PresenceEvent] {
        try delivery.presence.map { bytes in
            var parser = ServerSentEventParser()
            guard case .presence(let event)? = try parser.feed(bytes).first else { throw NoChange() }
            return event
        }
    }

    @Test func ofEachPersonOnlyTheLatestWaits() throws {
        var fanout = EventBroadcaster(frames: 2, bytes: 200)
        let layer = try world.layer
        let slow = fanout.add(layer, scope: everything, tokenID: nil)
        let elsewhere = try world.store.write { try $0.addLayer(LayerKey(document: "doc", name: "o"), generation: "o") }
        _ = fanout.add(elsewhere, scope: everything, tokenID: nil)
        for page in 0..<1000 {
            for person in ["a", "b"] {
                #expect(fanout.tell(layer.id, about: person) { _ in told(person, page: page) } == [slow])
            }
        }
        let delivery = fanout.take(slow)
        #expect(try people(delivery) == [told("a", page: 999), told("b", page: 999)])
        #expect(delivery.end == nil, "presence makes no listener fall behind")
        #expect(fanout.take(slow).isEmpty)
        // A complete list replaces everything before it.
        _ = fanout.tell(layer.id, about: "a") { _ in told("a", page: 1) }
        let everybody = PresenceEvent(isComplete: true, people: told("b", page: 7).people)
        fanout.tell(slow, everybody: everybody)
        _ = fanout.tell(layer.id, about: "b") { _ in told("b", page: 8) }
        #expect(try people(fanout.take(slow)) == [everybody, told("b", page: 8)])
    }

    @Test func eachViewIsToldByItsOwnSight() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let all = fanout.add(layer, scope: everything, tokenID: nil)
        let some = fanout.add(layer, scope: crew, tokenID: nil)
        _ = fanout.tell(layer.id, about: "a") { $0 == crew ? told("a", page: 1) : told("a", page: 2) }
        #expect(try people(fanout.take(all)) == [told("a", page: 2)])
        #expect(try people(fanout.take(some)) == [told("a", page: 1)])
        _ = fanout.close(layer: layer.id, with: SessionEvent(.lost))
        _ = fanout.tell(layer.id, about: "a") { _ in told("a", page: 3) }
        #expect(fanout.take(all).presence.isEmpty, "nothing comes after the end")
    }

    /// An event without news would reveal that a participant did something in a hidden record.
    @Test func aViewThatLearnsNothingNewIsSentNothing() throws {
        var fanout = EventBroadcaster()
        let layer = try world.layer
        let all = fanout.add(layer, scope: everything, tokenID: nil)
        let some = fanout.add(layer, scope: crew, tokenID: nil)
        #expect(fanout.tell(layer.id, about: "a") { _ in told("a", page: 1) } == [all, some])
        #expect(fanout.tell(layer.id, about: "a") { told("a", page: $0 == crew ? 1 : 2) } == [all])
        #expect(fanout.tell(layer.id, about: "b") { _ in told("b", page: 1) } == [all, some], "another participant")
        #expect(try people(fanout.take(some)) == [told("a", page: 1), told("b", page: 1)])
        #expect(fanout.tell(layer.id, about: "a") { _ in PresenceEvent(left: ["a"]) } == [all, some])
        #expect(fanout.tell(layer.id, about: "a") { _ in told("a", page: 1) } == [all, some], "back again")
        // The complete list counts as known.
        fanout.tell(some, everybody: PresenceEvent(isComplete: true, people: told("c", page: 3).people))
        #expect(fanout.tell(layer.id, about: "c") { _ in told("c", page: 3) } == [all])
    }
}
