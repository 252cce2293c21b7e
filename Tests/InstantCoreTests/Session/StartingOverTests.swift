import Annotations
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Restarts: one for each pair of view epochs, then back-off and a visible error.
@Suite("Starting over") struct StartingOverTests {
    @Test func aCursorThatIsTooOldIsOneFreshStart() throws {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.syncRequested)
        #expect(it.names(.failed(pull, .epochChanged)) == ["ask session"])
        let page = it.request(.answered(pull + 1, it.session()))
        #expect(try it.layer.metadata().cursor == nil)
        let records = [item("1", "one", 1)]
        #expect(it.names(.answered(page, it.page(records, at: 1))) == ["changed 1", "pull since 1"])
        // The reloaded data is compared before the cycle ends.
        #expect(it.names(.answered(page + 1, it.delta(upTo: 1))) == ["digest"])
        #expect(it.names(.answered(page + 2, it.digest(of: records, upTo: 1))) == ["sound", "clean", "finished"])
    }

    @Test func aServerThatAsksForItEachTimeIsLeftAloneForAWhile() {
        var it = Bench()
        _ = it.goLive()
        var asked = it.request(.syncRequested)
        for epoch in ["e2", "e2"] {
            let session = it.request(.failed(asked, .epochChanged))
            asked = it.request(.answered(session, it.session(epoch: epoch)))
        }
        let session = it.request(.failed(asked, .epochChanged))
        let after = it.names(.answered(session, it.session(epoch: "e2")))
        #expect(after == ["clean", "failed: the server keeps requiring a full reload"])
        #expect(it.synchronizer.problem == .invalidServer("the server keeps requiring a full reload"))
        guard case .offline(let retryAt) = it.synchronizer.connection else {
            Issue.record("\(it.synchronizer.connection)")
            return
        }
        // It is retried, but restarted only after ten minutes.
        it.now = retryAt
        let again = it.request(.woke)
        #expect(it.names(.answered(again, it.session(epoch: "e2"))).last == "page after nothing")
    }

    @Test func aServerThatInventsEpochsIsLeftAloneToo() {
        var it = Bench()
        _ = it.goLive()
        var asked = it.request(.syncRequested)
        var rounds = 0
        while case .live = it.synchronizer.connection, rounds < 20 {
            rounds += 1
            let session = it.request(.failed(asked, .epochChanged))
            asked = it.request(.answered(session, it.session(epoch: "e\(rounds)")))
        }
        #expect(rounds == 9)
    }

    @Test func anotherTokenMayAlwaysStartOver() throws {
        var it = Bench()
        _ = it.goLive()
        for number in 2..<30 {
            let asked = it.request(.tokenSupplied(TokenHandle(number)))
            let page = it.request(.answered(asked, it.session(epoch: "view \(number % 2)")))
            let pull = it.request(.answered(page, it.page(epoch: "view \(number % 2)")))
            let check = it.request(.answered(pull, it.delta(epoch: "view \(number % 2)")))
            #expect(
                it.names(.answered(check, it.digest(of: [], epoch: "view \(number % 2)"))) == [
                    "sound", "clean", "finished",
                ])
        }
    }

    /// The old token's cursor is invalid while the new token is still being checked: one request for each.
    @Test func whileANewTokenIsTriedTheFreshStartWaitsForIt() {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.syncRequested)
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(it.names(.failed(pull, .epochChanged)) == [])
        #expect(it.names(.failed(asked, .token(.expired))) == ["token failed: the token has expired", "ask session"])
    }

    @Test(arguments: [ChangeResult.Status.gap, .mismatch])
    func aServerThatLostTrackOfWhatWasSentIsSearchedForIt(_ status: ChangeResult.Status) throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit("n")
        let push = it.request(.syncRequested)
        let answer = PushAnswer(results: [ChangeResult(n: 1, status: status)], delta: nil)
        #expect(it.names(.answered(push, .push(answer))) == ["changed n", "receivingChanges", "page after nothing"])
        _ = it.give(.answered(push + 1, it.page()))
        #expect(it.names(.answered(push + 2, it.delta())) == ["sendingChanges", "push 1"])
        // The second loss is an error.
        #expect(
            it.names(.answered(push + 3, .push(answer))) == [
                "changed n", "dirty", "failed: the server keeps losing changes that were sent",
            ])
        #expect(try it.layer.tally()[.waiting] == 1)
    }

    @Test func aLayerMadeAnewIsSearchedForEveryEdit() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit("n")
        _ = it.give(.sessionInvalidated)
        let names = it.names(.answered(4, it.session(epoch: "e2", generation: "g2")))
        #expect(names == ["changed ", "began", "sendingChanges", "receivingChanges", "page after nothing"])
        let pull = it.request(.answered(5, it.page(epoch: "e2")))
        let check = it.request(.answered(pull, it.delta(epoch: "e2")))
        #expect(it.names(.answered(check, it.digest(of: [], epoch: "e2"))) == ["sound", "sendingChanges", "push 1"])
    }
}

@Suite("Comparing with the server") struct IntegrityTests {
    @Test func whoAsksIsTold() {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.checkRequested)
        let check = it.request(.answered(pull, it.delta()))
        #expect(it.names(.answered(check, it.digest(of: []))) == ["sound", "clean", "finished"])
        #expect(it.names(.syncRequested) == ["began", "receivingChanges", "pull since 0"])
    }

    @Test func aDifferenceIsOneFreshStart() throws {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.checkRequested)
        var check = it.request(.answered(pull, it.delta()))
        let there = [item("1", "missed", 0)]
        let effects = it.give(.answered(check, it.digest(of: there)))
        #expect(effects.contains(.announce(.checked(IntegrityReport(here: 0, there: 1, isSound: false)))))
        let session = try #require(effects.request)
        let page = it.request(.answered(session, it.session()))
        let again = it.request(.answered(page, it.page(there)))
        check = it.request(.answered(again, it.delta()))
        #expect(it.names(.answered(check, it.digest(of: there))) == ["sound", "clean", "finished"])
        #expect(try it.layer.record("1") != nil)
    }

    @Test func aServerWhoseSumNeverFitsIsTriedOnce() {
        var it = Bench()
        _ = it.goLive()
        var check = it.request(.answered(it.request(.checkRequested), it.delta()))
        let nonsense = it.digest(of: [item("1", "never there", 0)])
        let session = it.request(.answered(check, nonsense))
        let page = it.request(.answered(session, it.session()))
        check = it.request(.answered(it.request(.answered(page, it.page())), it.delta()))
        let second = it.request(.answered(check, nonsense))
        #expect(
            it.names(.answered(second, it.session())) == [
                "clean", "failed: the server keeps requiring a full reload",
            ])
    }

    @Test func aLayerThatMovesOnIsAskedAFewTimes() throws {
        var it = Bench()
        _ = it.goLive()
        var pull = it.request(.checkRequested)
        for revision in 1...4 {
            let check = it.request(.answered(pull, it.delta(upTo: Revision(revision))))
            pull = it.request(.answered(check, it.digest(of: [], upTo: Revision(revision + 1))))
        }
        let check = it.request(.answered(pull, it.delta(upTo: 5)))
        let effects = it.give(.answered(check, it.digest(of: [], upTo: 6)))
        #expect(effects.contains(.announce(.checked(nil))))
        let last = try #require(effects.request)
        #expect(it.names(.answered(last, it.delta(upTo: 6))) == ["clean", "finished"])
    }

    @Test func everySixHoursItAsksByItself() {
        var it = Bench()
        _ = it.goLive()
        it.now = it.now + (6 * 3_600_000 - 1)
        #expect(it.names(.answered(it.request(.syncRequested), it.delta())) == ["clean", "finished"])
        it.now = it.now + 1
        let check = it.request(.answered(it.request(.syncRequested), it.delta()))
        #expect(it.names(.answered(check, it.digest(of: []))) == ["sound", "clean", "finished"])
        #expect(it.names(.answered(it.request(.syncRequested), it.delta())) == ["clean", "finished"])
    }

    /// Heartbeats keep a stream alive, whatever it withholds.
    @Test func aStreamThatOnlyBeatsIsFoundOut() throws {
        var it = Bench()
        let stream = try it.goListening()
        for _ in 0..<720 {
            it.now = it.now + 30_000
            #expect(it.names(.heard(stream.id, .heartbeat)).allSatisfy { $0 == "token expires" })
        }
        let pull = it.request(.woke)
        let check = it.request(.answered(pull, it.delta()))
        let missed = [item("1", "never told", 1)]
        #expect(it.names(.answered(check, it.digest(of: missed))) == ["unsound", "close stream", "ask session"])
    }

    @Test func aServerThatDoesNotKnowTheQuestionIsNotBlamed() {
        var it = Bench()
        _ = it.goLive()
        let check = it.request(.answered(it.request(.checkRequested), it.delta()))
        #expect(
            it.names(.failed(check, .invalidServer("nothing at this address"))) == [
                "unchecked", "clean", "finished",
            ])
        #expect(it.synchronizer.problem == nil)
    }

    @Test func anOfflineQuestionWaitsForTheServer() {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.checkRequested)
        _ = it.give(.failed(pull, .unreachable("gone")))
        let session = it.request(.retryRequested)
        let again = it.request(.answered(session, it.session()))
        #expect(it.names(.answered(again, it.delta())) == ["digest"])
    }
}

extension Bench {
    fileprivate func digest(of items: [SyncItem], epoch: String = "e", upTo revision: Revision = 0) -> SyncAnswer {
        var digest = ViewDigest()
        for item in items { digest.add(item.id, item.revision) }
        return .digest(DigestAnswer(epoch: epoch, upTo: revision, digest))
    }
}
