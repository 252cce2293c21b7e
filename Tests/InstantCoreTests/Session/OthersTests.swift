import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Failures known from other sync clients.
@Suite("Failures of other sync clients") struct OthersTests {
    @Test("A closed connection does not hide that a token is needed, and the dead token is not tried in a loop")
    func aClosedStreamLeavesTheNeedForAToken() throws {
        var it = Bench()
        let stream = try it.goListening().id
        _ = it.give(.heard(stream, .session(SessionEvent(.revoked))))
        #expect(it.names(.streamEnded(stream, nil)) == [])
        for _ in 0..<20 {
            it.now = it.now + 60_000
            for input in [Synchronizer.Input.woke, .retryRequested, .edited, .storeChanged] {
                #expect(it.give(input).sent.isEmpty)
            }
        }
        #expect(it.synchronizer.connection == .needsToken(.revoked))
    }

    @Test("A change answered with 401 is not done: it is sent again unchanged")
    func aChangeBehindADeadTokenIsSentAgain() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let first = try #require(it.give(.syncRequested).sent.first)
        _ = it.give(.failed(first.id, .token(.expired)))
        #expect(try it.layer.tally()[.sealed] == 1)
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        let again = try #require(it.give(.answered(asked, it.session())).sent.first)
        #expect(again.pushed == first.pushed)
        #expect(again.ticket == TokenHandle(2))
    }

    @Test("No client continues as another user or as anonymous")
    func anAnswerForAnotherUserIsNotTaken() {
        var it = Bench()
        _ = it.goLive()
        for user in [nil, "bo"] {
            var stranger = it.grant
            stranger.userID = user
            let asked = it.request(.tokenSupplied(TokenHandle(2)))
            let effects = it.give(.answered(asked, it.session(stranger)))
            #expect(effects.sent.isEmpty)
            #expect((try? it.layer.metadata())?.grant?.userID == "ana")
        }
    }

    @Test("After a bad token and then a good one, the good one counts")
    func aGoodTokenAfterABadOneIsAccepted() {
        var it = Bench()
        let bad = it.request(.tokenSupplied(TokenHandle(1)))
        _ = it.give(.failed(bad, .token(.refused("its signature is wrong"))))
        let good = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(it.names(.answered(good, it.session())).first == "authenticated")
        #expect(it.synchronizer.connection == .live)
    }

    @Test("A failed push is retried automatically, without waiting for the next edit")
    func aFailedPushComesAgain() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        let pull = it.give(.failed(push, .unreachable("no network"))).request ?? -1
        let wake = it.give(.failed(pull, .unreachable("no network"))).wakes.last
        it.now = try #require(wake)
        let asked = it.request(.woke)
        #expect(it.names(.answered(asked, it.session())).contains("push 1"))
    }

    @Test("One change that the server refuses does not hold up those behind it")
    func aPoisonedChangeBlocksNothing() throws {
        var it = Bench()
        _ = it.goLive()
        for id in ["a", "b", "c"] { _ = try it.edit(id) }
        let push = try #require(it.give(.syncRequested).sent.first)
        let statuses: [ChangeResult.Status] = [.invalid, .applied, .denied]
        let results = zip(try #require(push.pushed).changes, statuses).map {
            ChangeResult(n: $0.n, status: $1, revision: $1 == .applied ? 1 : nil)
        }
        _ = it.give(.answered(push.id, .push(PushAnswer(results: results, delta: nil))))
        #expect(try it.layer.conflicts().map(\.recordID) == ["a", "c"])
        #expect(try !it.layer.hasUnsent())
        _ = try it.edit("d")
        it.now = it.now + 5000
        #expect(try it.layer.seal()?.changes.map(\.id) == ["d"])
    }

    @Test("A client gives up, visibly, on a server that demands a restart each time", arguments: [true, false])
    func startingOverEnds(isNewEpochEachTime: Bool) {
        var it = Bench()
        _ = it.goLive()
        var requests = it.give(.syncRequested).sent
        var asked = 0
        while let request = requests.first, asked < 200 {
            asked += 1
            let epoch = isNewEpochEachTime ? "e\(asked)" : "e"
            let answer: Synchronizer.Input =
                request.kind == .session
                ? .answered(request.id, it.session(epoch: epoch)) : .failed(request.id, .epochChanged)
            requests = it.give(answer).sent
        }
        #expect(asked < 40)
        #expect(it.synchronizer.problem != nil)
        guard case .offline = it.synchronizer.connection else {
            Issue.record("\(it.synchronizer.connection)")
            return
        }
    }

    @Test("A new client receives no tombstones")
    func tombstonesAreNotForNewClients() throws {
        let store = MemoryLayerStore()
        let grant = Grant(documentID: "doc", userID: "ana", expiresAt: Timestamp(seconds: 9000))
        let records = try store.write { store in
            let base = try store.addBase([])
            let page = ServerDocument.Page(width: 1, height: 1)
            let start = Timestamp(seconds: 0)
            try store.put(
                ServerDocument(
                    id: "doc", title: "", pdfSHA256: "", pdfBytes: 1, createdAt: start, base: base, pages: [page]))
            let layer = try store.addLayer(LayerKey(document: "doc", name: ""), generation: "g")
            var writer = BackendWriter(layer, in: store, now: start)
            for number in 0..<50 { try writer.create("r\(number)", note("x"), user: "bo", group: nil) }
            for number in 0..<50 { try writer.delete("r\(number)", user: "bo") }
            let view = LayerView(writer.commit.layer, scope: grant.viewScope, in: store)
            let page1 = try view.page(after: nil, limit: 100)
            let delta = try view.delta(since: Cursor(epoch: page1.epoch, revision: page1.at), limit: 100)
            return page1.records + delta.changes
        }
        #expect(records == [])
    }

    @Test("Edits of a closed program are sent by the next one, and never under another user")
    func editsOutliveTheirProgram() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        it.synchronizer = Synchronizer(layer: it.layer)
        var stranger = it.grant
        stranger.userID = "bo"
        let wrong = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(it.give(.answered(wrong, it.session(stranger))).sent.isEmpty)
        #expect(try it.layer.tally()[.waiting] == 1)
        let right = it.request(.tokenSupplied(TokenHandle(3)))
        #expect(it.names(.answered(right, it.session())).contains("push 1"))
    }

    @Test("A stream resumes where the last one ended, and missed changes are fetched")
    func nothingIsMissedBetweenTwoStreams() throws {
        var it = Bench()
        let first = try it.goListening()
        let event = ChangeEvent(epoch: "e", revision: 4, previous: 0, changes: [item("1", "one", 4)])
        _ = it.give(.heard(first.id, .change(event)))
        let wake = it.give(.streamEnded(first.id, nil)).wakes.last
        it.now = try #require(wake)
        let asked = it.request(.woke)
        let pull = try #require(it.give(.answered(asked, it.session(head: 4))).sent.first)
        #expect(pull.kind == .pull(Cursor(epoch: "e", revision: 4)))
        let second = try #require(it.give(.answered(pull.id, it.delta(upTo: 4))).stream)
        #expect(second.cursor == Cursor(epoch: "e", revision: 4))
        // The event before this one is missing.
        let gap = ChangeEvent(epoch: "e", revision: 7, previous: 6, changes: [item("1", "three", 7)])
        #expect(it.names(.heard(second.id, .change(gap))).contains("pull since 4"))
    }
}

extension [Synchronizer.Effect] {
    fileprivate var sent: [SyncRequest] { compactMap { if case .send(let request) = $0 { request } else { nil } } }
    fileprivate var wakes: [Timestamp] {
        compactMap { if case .wake(let moment?) = $0 { moment } else { nil } }
    }
}

extension SyncRequest {
    fileprivate var pushed: PushRequest? { if case .push(let push) = kind { push } else { nil } }
}
