import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@Suite struct SynchronizerTests {
    /// A sync that the application asks for ends with an event, or asks for a token.
    @Test func aSyncThatWaitsForTheSessionFailsWithIt() throws {
        var it = Bench()
        _ = it.goLive()
        let pull = it.request(.syncRequested)
        #expect(it.names(.failed(pull, .unreachable("gone"))).last == "failed: gone")
        let asked = it.request(.syncRequested)
        #expect(it.names(.failed(asked, .unreachable("still gone"))) == ["failed: still gone"])
        // An attempt that was not asked for is silent.
        it.now = try #require(it.alarm)
        let again = it.request(.woke)
        #expect(it.names(.failed(again, .unreachable("gone"))) == [])
        // The cycle of the session is the one that was asked for.
        let session = it.request(.syncRequested)
        let names = it.names(.answered(it.request(.answered(session, it.session())), it.delta()))
        #expect(names.filter { $0 == "finished" || $0.hasPrefix("failed") } == ["finished"])
        #expect(!it.synchronizer.isSyncWanted)
    }

    @Test func aRefusedTokenDoesNotEndTheSyncOfTheOneBefore() throws {
        var it = Bench()
        _ = it.goLive()
        _ = it.give(.failed(it.request(.syncRequested), .unreachable("gone")))
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        _ = it.give(.syncRequested)
        let effects = it.give(.failed(asked, .token(.refused("no"))))
        #expect(!effects.compactMap(\.name).contains { $0.hasPrefix("failed") })
        let pull = it.request(.answered(try #require(effects.request), it.session()))
        #expect(it.names(.answered(pull, it.delta())).contains("finished"))
    }

    @Test func aSyncWhileOfflineFailsAtOnce() {
        var it = Bench()
        _ = it.goLive()
        _ = it.give(.wentOffline)
        #expect(it.names(.syncRequested) == ["failed: offline"])
    }

    /// The cycle of another process is the one that was asked for, too.
    @Test func aSyncAskedForDuringACycleEndsWithIt() throws {
        let leader = Bench()
        var it = Bench(sharing: leader.layer)
        it.isLockTaken = true
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        _ = it.give(.answered(asked, it.session(head: 5)))
        let session = it.request(.syncRequested)
        #expect(it.synchronizer.isSyncWanted)
        let names = it.names(.failed(session, .unreachable("gone")))
        #expect(names.filter { $0.hasPrefix("failed") } == ["failed: gone"])
        #expect(!it.synchronizer.isSyncWanted)
    }

    @Test func removedStorageEndsASyncThatWaits() {
        var it = Bench()
        _ = it.goLive()
        _ = it.give(.failed(it.request(.syncRequested), .unreachable("gone")))
        _ = it.give(.syncRequested)
        #expect(
            it.names(.storageRemoved).filter { $0.hasPrefix("failed") } == ["failed: the local storage was removed"])
    }

    @Test func theWayFromATokenToALiveLayer() {
        var it = Bench()
        #expect(it.names(.listening(true)) == [])
        #expect(it.names(.syncRequested) == ["needs a token: syncing needs a token"])
        #expect(it.names(.tokenSupplied(TokenHandle(1))) == ["ask session"])
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
        // Enabling it again does not push queued edits.
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
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(
            it.names(.answered(asked, it.session())) == [
                "authenticated", "changed n", "began", "sendingChanges", "push 1",
            ])
    }

    /// A second question while the first one is being answered would refuse the new token.
    @Test func theEndOfATokenIsAnnouncedOnce() throws {
        var it = Bench()
        _ = it.give(.listening(true))
        let stream = it.goLive().compactMap { if case .openStream(let request) = $0 { request.id } else { nil } }[0]
        #expect(
            it.names(.heard(stream, .session(SessionEvent(.revoked)))).contains("needs a token: the token was revoked"))
        it.now = it.now + 10_000
        #expect(it.names(.woke) == [])
        #expect(try it.edit() == ["dirty"])
        it.now = it.now + 10_000
        #expect(it.names(.woke) == [])
        #expect(it.names(.syncRequested).contains("needs a token: the token was revoked"), "asked for by the user")
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
        #expect(it.names(.retryRequested) == [])
        #expect(it.synchronizer.connection == .needsToken(.revoked))
    }

    @Test func aNewTokenOpensItsStreamBeforeTheOldOneIsClosed() {
        var it = Bench()
        _ = it.give(.listening(true))
        let old = it.goLive().compactMap { if case .openStream(let request) = $0 { request.id } else { nil } }[0]
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
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
        #expect(names == ["dirty", "failed: the server did not respond to a change"])
    }

    @Test func aTokenThatCannotBeTriedIsToldOnceAndTriedAgain() {
        var it = Bench()
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        let failure = SyncFailure.invalidServer("no server of ours")
        #expect(it.names(.failed(asked, failure)) == ["token failed: no server of ours"])
        #expect(it.synchronizer.problem == failure)
        let again = it.request(.retryRequested)
        #expect(it.names(.failed(again, failure)) == [])
        let third = it.request(.retryRequested)
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

    @Test func whatDidNotFitBehindTheAnswersIsPulled() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit()
        let push = it.request(.syncRequested)
        let delta = Delta(epoch: "e", changes: [], upTo: 1, more: true)
        let answer = PushAnswer(results: [ChangeResult(n: 1, status: .applied, revision: 1)], delta: delta)
        #expect(it.names(.answered(push, .push(answer))).contains("pull since 1"))
    }
}
