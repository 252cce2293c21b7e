import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Synchronization
import TestSupport
import Testing

@Suite("The live channel of a layer") struct StreamTests {
    @Test func aSilentStreamIsDead() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = it.give(.heard(stream.id, .session(SessionEvent(.open))))
        it.now = it.now + 39_000
        _ = it.give(.heard(stream.id, .heartbeat))
        it.now = it.now + 39_000
        #expect(it.names(.woke) == [])
        it.now = it.now + 1_000
        #expect(it.names(.woke) == ["close stream"])
    }

    /// A proxy that buffers the server's events before it forwards them.
    @Test func aStreamThatSaysNothingIsReplacedByPolling() throws {
        var it = Bench()
        let stream = try it.goListening()
        #expect(stream.channel == .events)
        it.now = it.now + 10_000
        let effects = it.give(.woke)
        #expect(effects.contains(.closeStream(stream.id)))
        let polling = try #require(effects.stream)
        #expect(polling.channel == .polling)
        #expect(it.synchronizer.connection == .live)
        // Changes arrive this way too.
        let change = ChangeEvent(epoch: "e", revision: 3, previous: 0, changes: [item("1", "one", 3)])
        #expect(
            it.names(.heard(polling.id, .change(change))) == [
                "changed 1", "began", "receivingChanges", "clean", "finished",
            ])
        // From time to time, a stream is tried in addition to polling.
        it.now = it.now + 600_000
        #expect(it.give(.heard(polling.id, .heartbeat)).stream?.channel == .events)
    }

    private func change(_ revision: Revision, after previous: Revision) -> LiveEvent {
        .change(
            ChangeEvent(
                epoch: "e", revision: revision, previous: previous,
                changes: [item("\(revision)", "theirs", revision)]))
    }

    private func answer(upTo revision: Revision) -> SyncAnswer {
        .push(
            PushAnswer(
                results: [ChangeResult(n: 1, status: .applied, revision: revision)],
                delta: Delta(epoch: "e", changes: [item("n", "text", revision)], upTo: revision, more: false)))
    }

    /// The server sends what this client writes only with the answer, and that may be on its way.
    @Test func aChangeThatFollowsAPushWaitsForItsAnswer() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        #expect(it.names(.heard(stream.id, change(2, after: 1))) == [])
        #expect(it.names(.heard(stream.id, change(3, after: 2))) == [])
        #expect(try it.layer.metadata().cursor?.revision == 0)
        let names = it.names(.answered(push, answer(upTo: 1)))
        #expect(names.prefix(3) == ["changed n", "changed 2", "changed 3"])
        #expect(!names.contains { $0.hasPrefix("pull") })
        #expect(try it.layer.metadata().cursor?.revision == 3)
        #expect(names.contains("finished"))
    }

    @Test func aChangeThatPrecedesAPushIsTakenAtOnce() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        _ = it.request(.syncRequested)
        #expect(it.names(.heard(stream.id, change(1, after: 0))).first == "changed 1")
    }

    @Test func withoutTheAnswerItIsPulled() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        _ = it.give(.heard(stream.id, change(2, after: 1)))
        let pull = it.give(.failed(push, .notSent("the disk is full")))
        #expect(pull.compactMap(\.name).last == "pull since 0")
        let items = [item("n", "text", 1), item("2", "theirs", 2)]
        #expect(it.names(.answered(try #require(pull.request), it.delta(items, upTo: 2))).first == "changed 2 n")
    }

    @Test func whatAStreamThatHasEndedHeldBackIsDropped() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        _ = it.give(.heard(stream.id, change(2, after: 1)))
        // Its end gives up the push, so that nothing is held back any longer.
        let names = it.names(.streamEnded(stream.id, .unreachable("gone")))
        #expect(names == ["cancel", "dirty", "failed: gone"])
        #expect(it.names(.answered(push, answer(upTo: 1))) == [])
        #expect(try it.layer.metadata().cursor?.revision == 0)
    }

    /// A store that was copied has the same clientID, and the other copy pushes.
    @Test func whatIsLeftOutIsPulledUnlessAnAnswerHasIt() throws {
        var it = Bench()
        let stream = try it.goListening()
        let omitted = LiveEvent.change(ChangeEvent(epoch: "e", revision: 1, previous: 0, changes: [], isOmitted: true))
        #expect(it.names(.heard(stream.id, omitted)) == ["began", "receivingChanges", "pull since 0"])
        it = Bench()
        _ = try it.goListening()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        #expect(it.names(.heard(stream.id, omitted)) == [])
        #expect(it.names(.answered(push, answer(upTo: 1))).contains("finished"))
        #expect(it.names(.heard(stream.id, omitted)) == [])
    }

    @Test func stoppingDropsWhatIsHeldBack() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        _ = it.request(.syncRequested)
        _ = it.give(.heard(stream.id, change(2, after: 1)))
        let effects = it.give(.syncStopped)
        #expect(
            effects.compactMap(\.name) == [
                "cancel", "dirty", "failed: the sync was stopped", "close stream", "open stream",
            ])
        // The new stream catches up.
        #expect(effects.stream?.cursor.revision == 0)
    }

    @Test func onlySomeAreHeldBack() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        for revision in Revision(2)...40 { _ = it.give(.heard(stream.id, change(revision, after: revision - 1))) }
        #expect(it.names(.answered(push, answer(upTo: 1))).contains("pull since 1"))
    }

    /// On a slow link, sending takes minutes.
    @Test func theChannelOpensBetweenTwoPushes() throws {
        var it = Bench()
        _ = try it.goListening()
        _ = it.give(.wentOffline)
        for id in ["a", "b"] {
            try it.layer.create(note(String(repeating: id, count: 20_000)), id: id, author: nil, at: it.now)
        }
        let first = it.give(.answered(it.request(.wentOnline), it.session()))
        #expect(first.stream == nil)
        let delta = Delta(epoch: "e", changes: [], upTo: 1, more: false)
        let results = [ChangeResult(n: 1, status: .applied, revision: 1)]
        let next = it.give(
            .answered(try #require(first.request), .push(PushAnswer(results: results, delta: delta))))
        #expect(next.compactMap(\.name).contains("push 1"))
        #expect(next.stream?.cursor.revision == 1)
        #expect(next.stream?.client == "me")
    }

    /// A write and the queries it causes share one transaction: each one costs disk access.
    @Test func aChangeIsOneTransaction() throws {
        let turns = Turns()
        var it = Bench(watching: turns.watching)
        let stream = try it.goListening()
        let before = turns.count
        let change = ChangeEvent(epoch: "e", revision: 3, previous: 0, changes: [item("1", "one", 3)])
        #expect(it.names(.heard(stream.id, .change(change))).contains("changed 1"))
        #expect(turns.count == before + 1)
    }

    @Test func aChangeBesideAnEditThatWaitsLeavesTheLayerDirty() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        let change = ChangeEvent(epoch: "e", revision: 3, previous: 0, changes: [item("1", "one", 3)])
        #expect(
            it.names(.heard(stream.id, .change(change))) == [
                "changed 1", "began", "receivingChanges", "dirty", "finished",
            ])
    }

    @Test func aServerThatIsBehindAtOnceIsNotAskedInARow() throws {
        var it = Bench()
        var stream = try it.goListening()
        #expect(
            it.names(.heard(stream.id, .session(SessionEvent(.behind)))) == ["close stream"])
        guard case .offline = it.synchronizer.connection else {
            Issue.record("\(it.synchronizer.connection)")
            return
        }
        let pull = it.request(.answered(it.request(.retryRequested), it.session()))
        stream = try #require(it.give(.answered(pull, it.delta())).stream)
        // On a working stream it causes a pull.
        _ = it.give(.heard(stream.id, .heartbeat))
        #expect(
            it.names(.heard(stream.id, .session(SessionEvent(.behind)))) == [
                "close stream", "began", "receivingChanges", "pull since 0",
            ])
    }

    @Test func revisionsThatGoBackwardsChangeNothing() throws {
        var it = Bench()
        let stream = try it.goListening()
        for (revision, text) in [(Revision(5), "five"), (3, "three")] {
            let change = ChangeEvent(
                epoch: "e", revision: revision, previous: 0, changes: [item("1", text, revision)])
            _ = it.give(.heard(stream.id, .change(change)))
        }
        #expect(try it.layer.record("1").map { Annotation($0).text } == "five")
        #expect(try it.layer.metadata().cursor?.revision == 5)
    }

    /// The stream and a request detect the expired token at the same time.
    @Test func twoRefusalsAreOneQuestion() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        let names =
            it.names(.streamEnded(stream.id, .token(.expired))) + it.names(.failed(push, .token(.expired)))
            + it.names(.heard(stream.id, .session(SessionEvent(.expired))))
        #expect(names == ["needs a token: the token has expired", "cancel", "dirty", "failed: the token has expired"])
        #expect(try it.layer.tally()[.sealed] == 1)
    }

    @Test func aTokenRefusedForEverythingIsNotTriedAgain() throws {
        var it = Bench()
        for number in 1...5 {
            let asked = it.request(.tokenSupplied(TokenHandle(number)))
            #expect(
                it.names(.failed(asked, .token(.refused("no")))) == [
                    "token failed: the server rejected the token: no",
                    "needs a token: the server rejected the token: no",
                ])
            for input in [Synchronizer.Input.retryRequested, .woke, .edited, .listening(true)] {
                #expect(it.give(input).request == nil, "\(input)")
            }
        }
    }

    @Test func readingWithdrawnIsAccessLost() throws {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.syncRequested)
        #expect(
            it.names(.failed(pull, .forbidden("no reading"))) == ["lost: no reading", "clean", "failed: no reading"])
        #expect(it.synchronizer.connection == .lost("no reading"))
        // Another token may allow reading.
        #expect(it.names(.tokenSupplied(TokenHandle(2))) == ["ask session"])
    }

    @Test func ofATokenThatIsTriedItIsARefusal() {
        var it = Bench()
        _ = it.goLive()
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(
            it.names(.failed(asked, .forbidden("no reading"))) == [
                "token failed: the server rejected the token: no reading"
            ])
        #expect(it.synchronizer.connection == .live)
    }
}

@Suite("A cycle") struct CycleTests {
    /// A request pending when the user goes offline or forgets the token is dropped and starts no cycle.
    @Test(arguments: [Synchronizer.Input.wentOffline, .tokenForgotten])
    func anAnswerAboutASessionThatIsOverBeginsNothing(_ input: Synchronizer.Input) {
        var it = Bench()
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        #expect(it.give(input).contains(.cancel(asked)))
        #expect(it.names(.answered(asked, it.session())) == [])
        #expect(!it.synchronizer.cycle.isSyncing)
    }

    @Test func anAnswerAboutATokenOfALostLayerBeginsNothing() throws {
        var it = Bench()
        let stream = try it.goListening()
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        _ = it.give(.heard(stream.id, .session(SessionEvent(.lost, reason: "deleted"))))
        #expect(it.names(.answered(asked, it.session())) == [])
        #expect(it.synchronizer.connection == .lost("deleted"))
    }

    @Test func stoppingGivesUpWhatIsUnderWay() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        #expect(it.give(.syncStopped).contains(.cancel(push)))
        #expect(it.synchronizer.cycle.state == .dirty)
        // Its response is late; the change is sent again unchanged.
        let late = PushAnswer(results: [ChangeResult(n: 1, status: .applied, revision: 1)], delta: nil)
        #expect(it.names(.answered(push, .push(late))) == [])
        #expect(it.names(.syncRequested) == ["began", "sendingChanges", "push 1"])
    }

    @Test func aLayerWhoseEditsMayNotBeSentStaysDirty() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        var reader = it.grant
        reader.general = [.readDocument]
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        let names = it.names(.answered(asked, it.session(reader)))
        #expect(names == ["authenticated", "changed n", "began", "receivingChanges", "pull since 0"])
        #expect(it.names(.answered(asked + 1, it.delta())) == ["dirty", "finished"])
    }

    @Test func aFirstDownloadThatFailsLeavesItUnknown() {
        var it = Bench()
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        let page = it.request(.answered(asked, it.session()))
        #expect(it.names(.failed(page, .unreachable("gone"))) == ["unknown", "failed: gone"])
    }

    @Test func theHalvesOfAnOverlargePushStaySmall() throws {
        var it = Bench()
        _ = it.goLive()
        for id in ["a", "b", "c", "d"] { _ = try it.edit(id) }
        let push = it.request(.syncRequested)
        #expect(it.names(.failed(push, .tooLarge)) == ["push 2"])
        let results = (1...2).map { ChangeResult(n: $0, status: .applied, revision: $0) }
        #expect(it.names(.answered(push + 1, .push(PushAnswer(results: results, delta: nil)))).last == "push 2")
    }
}

/// Counts the transactions of a store.
private final class Turns: Sendable {
    private let counted = Mutex(0)

    var count: Int { counted.withLock { $0 } }

    func watching(_ store: any LocalStore) -> any LocalStore { Watched(store: store, turns: self) }

    private struct Watched: LocalStore {
        let store: any LocalStore
        let turns: Turns

        func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T {
            turns.counted.withLock { $0 += 1 }
            return try store.read(body)
        }

        func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
            turns.counted.withLock { $0 += 1 }
            return try store.write(durability, body)
        }
    }
}
