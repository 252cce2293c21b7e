import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Synchronization
import TestSupport
import Testing

/// Which of several processes leads, and what the others do.
@Suite struct LeadingTests {
    private func readOnly(_ it: Bench) -> Grant {
        var grant = it.grant
        grant.general = [.readDocument, .download]
        return grant
    }

    /// A process other than the leader, with its own accepted token.
    private func follower(_ grant: Grant? = nil, head: Revision = 0) -> Bench {
        var it = Bench()
        it.isLockTaken = true
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        _ = it.give(.answered(asked, it.session(grant, head: head)))
        return it
    }

    /// Stores a first snapshot, as the leader does.
    private func load(_ it: Bench, _ grant: Grant, upTo revision: Revision) throws {
        _ = try it.layer.accept(
            SessionAnswer(
                grant: grant, now: it.now, generation: "g", epoch: "e", head: revision, pdfSHA256: "pdf", pdfBytes: 1,
                title: "T"), seen: nil, now: it.now, newClientID: "c")
        guard let page = try it.layer.nextPage(epoch: "e") else {
            return try it.layer.store.write { store in
                var metadata = try store.metadata()
                metadata.cursor = Cursor(epoch: "e", revision: revision)
                try store.set(metadata)
            }
        }
        _ = try it.layer.take(SnapshotPage(epoch: "e", at: revision, records: [], next: nil), for: page)
    }

    @Test func aProcessWithoutATokenGivesTheLockUpAndOneWithATokenTakesIt() {
        var it = Bench()
        #expect(it.give(.woke).contains(.lead(false)))
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        #expect(it.give(.answered(asked, it.session())).contains(.lead(true)))
        #expect(it.synchronizer.connection == .live)
    }

    @Test(arguments: [TokenNeed.expired, .revoked, .refused("its signature is wrong")])
    func aRefusedTokenFreesTheLock(_ need: TokenNeed) {
        var it = Bench()
        _ = it.goLive()
        let sync = it.request(.syncRequested)
        #expect(it.give(.failed(sync, .token(need))).contains(.lead(false)))
        #expect(it.synchronizer.connection == .needsToken(need))
        #expect(it.names(.leading(true)) == [], "nothing is sent without a token, lock or not")
    }

    @Test func whatFreesTheLockBesides() throws {
        for input in [Synchronizer.Input.tokenForgotten, .wentOffline, .storageRemoved] {
            var it = Bench()
            _ = it.goLive()
            #expect(it.give(input).contains(.lead(false)))
        }
        // A broken connection does not: the token stays valid.
        var it = Bench()
        _ = it.goLive()
        let sync = it.request(.syncRequested)
        #expect(!it.give(.failed(sync, .unreachable("no network"))).contains(.lead(false)))
    }

    @Test func aTokenIsCheckedBesideAProcessThatLeads() throws {
        var it = Bench()
        it.isLockTaken = true
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        #expect(asked > 0)
        #expect(it.names(.failed(asked, .token(.expired))).contains("needs a token: the token has expired"))
        let again = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(it.names(.answered(again, it.session())).first == "authenticated")
        #expect(it.synchronizer.connection == .elsewhere)
        #expect(try it.layer.metadata().grant == nil, "the stored grant is that of the leader")
    }

    @Test func editsAreDecidedByTheTokenOfTheProcess() throws {
        var it = follower()
        let mine = readOnly(it)
        try load(it, it.grant, upTo: 0)
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        _ = it.give(.answered(asked, it.session(mine)))
        #expect(it.synchronizer.ownGrant == mine)
        let layer = Layer(store: it.layer.store, ownGrant: it.synchronizer.ownGrant)
        #expect(throws: EditError.denied(.lacks(.write))) {
            try layer.create(note("x"), id: "x", author: nil, at: it.now)
        }
        #expect(try it.layer.metadata().grant == it.grant)
    }

    @Test func theTokenOfAnotherUserIsNotTakenBesideAProcessThatLeads() {
        var it = Bench()
        it.isLockTaken = true
        var stranger = it.grant
        stranger.userID = "bo"
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        _ = it.give(.answered(asked, it.session(stranger)))
        #expect(it.synchronizer.ownGrant == nil)
    }

    @Test func aCycleEndsWhenTheOtherProcessHasReachedWhatTheServerHeld() throws {
        var it = follower(head: 5)
        #expect(it.synchronizer.cycle.isSyncing)
        try load(it, it.grant, upTo: 4)
        #expect(!it.names(.storeChanged).contains("finished"))
        try load(it, it.grant, upTo: 5)
        #expect(it.names(.storeChanged).contains("finished"))
        // A repeated request asks the server again, which may have more.
        let asked = it.request(.syncRequested)
        #expect(asked > 0)
        #expect(!it.names(.answered(asked, it.session(head: 6))).contains("finished"))
    }

    /// The leader's stream omits changes that its token may not view.
    @Test func aClaimMakesTheProcessThatLeadsAskTheServer() {
        var it = Bench()
        _ = it.goLive()
        #expect(it.names(.leadClaimed("a")) == ["began", "receivingChanges", "pull since 0"])
        #expect(it.names(.leadClaimed("a")) == [], "one cycle at a time")
    }

    /// A process that was stopped while it waits keeps its claim.
    @Test func aClaimThatStaysIsServedLessAndLessOften() {
        var it = Bench()
        _ = it.goLive()
        var served = 0
        for _ in 0..<1000 {
            guard case let pull = it.request(.leadClaimed("a")), pull > 0 else { continue }
            served += 1
            _ = it.give(.answered(pull, it.delta()))
        }
        #expect((2...16).contains(served), "\(served) requests at a thousand checks")
        // Another one is served at once.
        #expect(it.request(.leadClaimed("b")) > 0)
    }

    /// The leader waits for the network and gives way, but the other process does not take the lock.
    @Test func aClaimThatStaysDoesNotGetTheLockAgainAndAgain() {
        var it = Bench()
        _ = it.goLive()
        let asked = it.request(.syncRequested)
        _ = it.give(.failed(asked, .unreachable("no network")))
        var yielded = 0
        for _ in 0..<1000 where it.give(.leadClaimed("a")).contains(.lead(false)) { yielded += 1 }
        #expect((1...16).contains(yielded), "\(yielded) times")
    }

    @Test func aProcessThatBringsNothingFailsTheCycleOfTheOther() throws {
        var it = follower(head: 5)
        it.now = it.now + Synchronizer.followPatience
        let names = it.names(.woke)
        #expect(names.contains { $0.hasPrefix("failed: another process on this machine") }, "\(names)")
        guard case .offline = it.synchronizer.connection else {
            Issue.record("\(it.synchronizer.connection)")
            return
        }
    }

    @Test func aFreeLockIsTakenAndTheServerAskedWhereItStands() {
        var it = follower()
        #expect(it.synchronizer.connection == .elsewhere)
        #expect(it.names(.leading(true)) == ["ask session"])
    }

    /// A leader whose token may not send a queued edit yields to a process whose token may.
    @Test func aProcessThatMayNotSendWhatWaitsGivesWay() throws {
        var reader = Bench()
        let asked = reader.request(.tokenSupplied(TokenHandle(1)))
        _ = reader.give(.answered(asked, reader.session(readOnly(reader))))
        #expect(reader.give(.leadClaimed("a")) == [], "nothing waits")

        var writer = Bench(sharing: reader.layer)
        writer.isLockTaken = true
        let checked = writer.request(.tokenSupplied(TokenHandle(1)))
        _ = writer.give(.answered(checked, writer.session()))
        try load(writer, readOnly(writer), upTo: 0)
        _ = writer.give(.storeChanged)
        #expect(!writer.claimsLead)
        let layer = Layer(store: writer.layer.store, ownGrant: writer.synchronizer.ownGrant)
        try layer.create(note("x"), id: "x", author: nil, at: writer.now)
        _ = writer.give(.edited)
        writer.now = writer.now + 1000
        _ = writer.give(.woke)
        #expect(writer.claimsLead)

        reader.isLockTaken = true
        let effects = reader.give(.leadClaimed("a"))
        #expect(effects.contains(.lead(false)) && effects.contains(.lead(true)), "and waits for its turn")
        #expect(reader.synchronizer.connection == .elsewhere)
        let again = writer.request(.leading(true))
        #expect(writer.names(.answered(again, writer.session())).contains("push 1"))
    }

    /// An edit that one token denies is not sent with it, although the server would refuse it anyway.
    @Test func anEditThatTheLeadersTokenDeniesWaitsForThisProcess() throws {
        var it = follower()
        var leaders = it.grant
        leaders.collaboration = []
        try load(it, leaders, upTo: 0)
        _ = it.give(.storeChanged)
        let layer = Layer(store: it.layer.store, ownGrant: it.synchronizer.ownGrant)
        try layer.create(note("root"), id: "root", author: nil, at: it.now)
        #expect(try it.layer.tally()[.waiting] == 1, "every token that may write may create annotations")
        try it.layer.store.write { store in
            let record = Record(id: "theirs", content: note("a"), createdBy: "bo", updatedBy: "bo", group: nil)
            try store.put(StoredRecord(record, 1))
        }
        try layer.update("theirs", content: note("b"), at: it.now)
        #expect(try it.layer.tally()[.parked] == 1)
        #expect(try it.layer.seal()?.changes.map(\.id) == ["root"])
        #expect(try layer.backlog() == .sendable)
    }

    @Test func aTokenIsCheckedAgainWhileAnotherProcessLeads() throws {
        var it = follower()
        try load(it, it.grant, upTo: 0)
        #expect(it.names(.storeChanged).contains("finished"))
        it.now = it.now + Synchronizer.checkInterval
        let asked = it.request(.woke)
        #expect(it.names(.failed(asked, .token(.revoked))).contains("needs a token: the token was revoked"))
    }

    /// Its connection hangs; another process got through to the server.
    @Test func aProcessWhoseRequestIsNotAnsweredGivesWay() {
        var it = Bench()
        _ = it.goLive()
        let asked = it.request(.syncRequested)
        #expect(asked > 0)
        #expect(!it.give(.leadClaimed("a")).contains(.lead(false)))
        it.now = it.now + 1000
        it.isLockTaken = true
        let effects = it.give(.leadClaimed("a"))
        #expect(effects.contains(.cancel(asked)) && effects.contains(.lead(false)) && effects.contains(.lead(true)))
        // It follows now, and waits longer the next time: the server may be slow for every process.
        #expect(effects.request != nil)
        #expect(it.synchronizer.connection == .elsewhere)
    }

    /// Its connection is slow, not dead.
    @Test func aProcessWhoseRequestMovesKeepsTheLead() {
        var it = Bench()
        _ = it.goLive()
        _ = it.request(.syncRequested)
        for _ in 1...5 {
            it.now = it.now + 8000
            _ = it.give(.moved)
            #expect(!it.give(.leadClaimed("a")).contains(.lead(false)))
        }
        it.now = it.now + 9000
        it.isLockTaken = true
        #expect(it.give(.leadClaimed("b")).contains(.lead(false)))
    }

    @Test func aStoppedProcessGivesTheLockUpFirstAndAsksAgainAfterwards() {
        var it = Bench()
        _ = it.goLive()
        #expect(it.give(.suspended(true)).contains(.lead(false)))
        #expect(it.give(.leadClaimed("a")) == [])
        let effects = it.give(.suspended(false))
        #expect(effects.contains(.lead(true)) && effects.request != nil)
    }

    /// It was stopped in the middle of a step, and another process leads.
    @Test func aDeposedProcessWritesNothing() throws {
        var old = Bench()
        _ = old.goLive()
        let pull = old.request(.syncRequested)
        var new = Bench(sharing: old.layer)
        let asked = new.request(.tokenSupplied(TokenHandle(1)))
        _ = new.give(.answered(asked, new.session(head: 3)))
        let before = try old.layer.metadata()
        old.isLockTaken = true
        let record = Record(id: "late", content: note("late"), createdBy: "bo", updatedBy: "bo", group: nil)
        let effects = old.give(.answered(pull, old.delta([.record(record, 2)], upTo: 2)))
        #expect(effects.contains(.lead(false)), "it notices by itself")
        #expect(try old.layer.metadata() == before)
        #expect(try old.layer.record("late") == nil)
        #expect(old.synchronizer.connection == .elsewhere)
    }

    /// It was stopped before it had written anything.
    @Test func aProcessThatWasReplacedBeforeItsFirstWriteWritesNothing() throws {
        let bench = Bench()
        let isReplaced = Mutex(false)
        var old = Synchronizer(layer: bench.layer, holdsLock: { isReplaced.withLock { !$0 } })
        var random = SeededRandom(seed: 1)
        let asked = old.handle(.tokenSupplied(TokenHandle(1)), now: bench.now, random: &random).request
        var new = Bench(sharing: bench.layer)
        let mine = new.request(.tokenSupplied(TokenHandle(1)))
        _ = new.give(.answered(mine, new.session(head: 3)))
        let before = try bench.layer.metadata()
        isReplaced.withLock { $0 = true }
        let inputs: [Synchronizer.Input] = [.answered(try #require(asked), bench.session(head: 9)), .leading(true)]
        let late = inputs.flatMap { old.handle($0, now: bench.now, random: &random) }
        #expect(late.contains(.lead(false)))
        #expect(try bench.layer.metadata() == before)
        // The process that leads is not disturbed.
        let page = new.request(.syncRequested)
        #expect(page > 0 || new.synchronizer.cycle.isSyncing)
        #expect(new.synchronizer.connection == .live)
    }

    @Test func aViewThatTheStoreDoesNotHaveIsLoadedOnlyAlone() throws {
        for isShared in [false, true] {
            var it = Bench()
            _ = it.goLive()
            it.isStoreShared = isShared
            var narrow = it.grant
            narrow.collaboration = [Permission(.annotations, .view, .own)]
            let asked = it.request(.tokenSupplied(TokenHandle(2)))
            _ = it.give(.answered(asked, it.session(narrow, epoch: "f")))
            #expect(try it.layer.metadata().grant == (isShared ? it.grant : narrow))
            #expect(it.synchronizer.ownGrant == (isShared ? it.grant : narrow))
        }
    }
}
