import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// One synchronizer on a memory store, told what happens and asked what follows.
private struct Bench {
    let layer: Layer
    var synchronizer: Synchronizer
    var random = SeededRandom(seed: 1)
    var now = Timestamp(seconds: 1000)
    let grant = Grant(documentID: "doc", userID: "ana", creatorName: "Ana", expiresAt: Timestamp(seconds: 9000))

    init() {
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: "ana")
        layer = Layer(store: MemoryStore(LayerFacts(identity: identity, clientID: "me")))
        synchronizer = Synchronizer(layer: layer)
    }

    mutating func give(_ input: Synchronizer.Input) -> [Synchronizer.Effect] {
        synchronizer.handle(input, now: now, random: &random)
    }

    /// Gives the input and names the effects, without their numbers.
    mutating func names(_ input: Synchronizer.Input) -> [String] { give(input).compactMap(\.name) }

    func session(_ grant: Grant? = nil, epoch: String = "e") -> SyncAnswer {
        .session(
            SessionAnswer(
                grant: grant ?? self.grant, now: now, generation: "g", epoch: epoch, head: 0, pdfSHA256: "pdf",
                pdfBytes: 1, title: "T"))
    }

    /// The number of the request that was just sent.
    mutating func request(_ input: Synchronizer.Input) -> Int {
        for case .send(let request) in give(input) { return request.id }
        return -1
    }

    /// Brings it to live and caught up at revision 0, with a stream if it listens.
    mutating func goLive(_ ticket: Ticket = Ticket(1)) -> [Synchronizer.Effect] {
        let asked = request(.tokenSupplied(ticket))
        let page = request(.answered(asked, session()))
        let pull = request(.answered(page, .page(SnapshotPage(epoch: "e", at: 0, records: [], next: nil))))
        return give(.answered(pull, .delta(Delta(epoch: "e", changes: [], upTo: 0, more: false))))
    }

    mutating func edit(_ id: String = "n") throws -> [String] {
        try layer.create(note("text"), id: id, author: nil, at: now)
        return names(.edited)
    }
}

extension Synchronizer.Effect {
    fileprivate var name: String? {
        switch self {
        case .send(let request):
            switch request.kind {
            case .session: "ask session"
            case .push(let push): "push \(push.changes.count)"
            case .pull(let cursor): "pull since \(cursor.revision)"
            case .page(let page): "page after \(page.after ?? "nothing")"
            case .digest: "digest"
            }
        case .cancel: "cancel"
        case .openStream: "open stream"
        case .closeStream: "close stream"
        case .wake: nil
        case .announce(let notice):
            switch notice {
            case .changedState(let state): state.rawValue
            case .beganSync: "began"
            case .finishedSync: "finished"
            case .failedSync(let failure): "failed: \(failure)"
            case .authenticated: "authenticated"
            case .failedAuthentication(let need): "needs a token: \(need)"
            case .failedReauthentication(_, let failure): "token failed: \(failure)"
            case .changed(let changes): "changed \(changes.ids.sorted().joined(separator: " "))"
            case .lost(let why): "lost: \(why)"
            case .pdfReplaced: "PDF replaced"
            case .tokenExpires: "token expires"
            case .checked(let report): report.isSound ? "sound" : "unsound"
            }
        }
    }
}

@Suite struct SynchronizerTests {
    @Test func theWayFromATokenToALiveLayer() {
        var it = Bench()
        #expect(it.names(.listening(true)) == [])
        #expect(it.names(.syncRequested) == ["needs a token: a token is needed to sync"])
        #expect(it.names(.tokenSupplied(Ticket(1))) == ["ask session"])
        #expect(
            it.names(.answered(1, it.session())) == [
                "authenticated", "began", "receivingChanges", "page after nothing",
            ])
        let page = SnapshotPage(epoch: "e", at: 5, records: [item("1", "one", 2)], next: nil)
        #expect(it.names(.answered(2, .page(page))) == ["changed 1", "pull since 5"])
        #expect(
            it.names(.answered(3, .delta(Delta(epoch: "e", changes: [], upTo: 5, more: false)))) == [
                "clean", "finished", "open stream",
            ])
        #expect(it.synchronizer.connection == .live)
    }

    @Test func anEditIsPushedOneSecondAfterTheLastOne() throws {
        var it = Bench()
        _ = it.goLive()
        #expect(try it.edit("a") == ["dirty"])
        it.now = it.now + 900
        #expect(try it.edit("b") == [])
        it.now = it.now + 900
        #expect(it.names(.woke) == [])
        it.now = it.now + 100
        #expect(it.names(.woke) == ["began", "sendingChanges", "push 2"])
    }

    @Test func withoutAutoPushOnlyAskingSends() throws {
        var it = Bench()
        _ = it.goLive()
        _ = it.give(.pushDelay(nil))
        #expect(try it.edit() == ["dirty"])
        it.now = it.now + 100_000
        #expect(it.names(.woke) == [])
        // Turning it on again does not push what waits.
        #expect(it.names(.pushDelay(1000)) == [])
        #expect(it.names(.syncRequested) == ["began", "sendingChanges", "push 1"])
    }

    @Test func aRefusedTokenKeepsTheChangeAndANewOneSendsIt() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        #expect(
            it.names(.failed(push, .token(.revoked))) == [
                "needs a token: the token was revoked", "dirty", "failed: the token was revoked",
            ])
        #expect(try it.layer.tally()[.sealed] == 1)
        let asked = it.request(.tokenSupplied(Ticket(2)))
        #expect(
            it.names(.answered(asked, it.session())) == [
                "authenticated", "changed n", "began", "sendingChanges", "push 1",
            ])
    }

    @Test func aForbiddenPushIsNotRepeatedWithTheSameToken() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        #expect(it.names(.failed(push, .forbidden("no write"))) == ["dirty", "failed: no write"])
        #expect(it.names(.syncRequested) == ["began", "receivingChanges", "pull since 0"])
        #expect(try it.layer.tally()[.sealed] == 1)
    }

    @Test func aRevokedStreamRestsAndItsEndDoesNotReconnect() {
        var it = Bench()
        _ = it.give(.listening(true))
        let stream = it.goLive().compactMap { if case .openStream(let request) = $0 { request.id } else { nil } }[0]
        #expect(
            it.names(.heard(stream, .session(SessionEvent(.revoked)))) == [
                "close stream", "needs a token: the token was revoked",
            ])
        #expect(it.names(.streamEnded(stream, nil)) == [])
        #expect(it.names(.nudged) == [])
        #expect(it.synchronizer.connection == .needsToken(.revoked))
    }

    @Test func aNewTokenOpensItsStreamBeforeTheOldOneIsClosed() {
        var it = Bench()
        _ = it.give(.listening(true))
        let old = it.goLive().compactMap { if case .openStream(let request) = $0 { request.id } else { nil } }[0]
        let asked = it.request(.tokenSupplied(Ticket(2)))
        let pull = it.request(.answered(asked, it.session()))
        let effects = it.give(.answered(pull, .delta(Delta(epoch: "e", changes: [], upTo: 0, more: false))))
        let new = effects.compactMap { if case .openStream(let request) = $0 { request.id } else { nil } }[0]
        #expect(!effects.contains(.closeStream(old)))
        #expect(it.give(.heard(new, .session(SessionEvent(.open)))).contains(.closeStream(old)))
    }

    @Test func anOverlargePushIsHalvedAndAnOverlargeChangeRefused() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit("a")
        _ = try it.edit("b")
        var push = it.request(.syncRequested)
        #expect(it.names(.failed(push, .tooLarge)) == ["push 1"])
        push += 1
        #expect(it.names(.failed(push, .tooLarge)) == ["changed a b", "push 1"])
        #expect(try it.layer.conflicts().map(\.recordID) == ["a"])
    }

    @Test func aServerThatAnswersNothingToAChangeIsNotAskedForEver() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        let names = it.names(.answered(push, .push(PushAnswer(results: [], delta: nil))))
        #expect(names == ["dirty", "failed: the server did not answer a change"])
    }

    @Test func anotherProcessSyncsUntilItsLockIsFree() {
        let first = Bench()
        var it = Bench()
        it.synchronizer = Synchronizer(layer: first.layer, isLeading: false)
        #expect(it.names(.tokenSupplied(Ticket(1))) == [])
        #expect(it.synchronizer.connection == .elsewhere)
        #expect(it.synchronizer.tickets == [Ticket(1)])
        #expect(it.names(.leading(true)) == ["ask session"])
    }

    @Test func aTokenThatCannotBeTriedIsToldOnceAndTriedAgain() {
        var it = Bench()
        let asked = it.request(.tokenSupplied(Ticket(1)))
        let failure = SyncFailure.invalidServer("no server of ours")
        #expect(it.names(.failed(asked, failure)) == ["token failed: no server of ours"])
        #expect(it.synchronizer.problem == failure)
        let again = it.request(.nudged)
        #expect(it.names(.failed(again, failure)) == [])
        let third = it.request(.nudged)
        #expect(it.names(.answered(third, it.session())).first == "authenticated")
        #expect(it.synchronizer.problem == nil)
    }

    @Test func offlineEndsTheCycleAndKeepsTheEdits() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        _ = it.give(.syncRequested)
        #expect(it.names(.wentOffline) == ["cancel", "dirty", "failed: offline"])
        #expect(it.synchronizer.connection == .idle)
        #expect(it.names(.wentOnline) == ["ask session"])
    }
}
