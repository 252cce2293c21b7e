import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Expiring tokens, servers that request a delay, and wrong clocks.
@Suite("The passing of time") struct TimeTests {
    @Test func theEndOfATokenIsForeseenByTheServersClock() throws {
        var it = Bench()
        // The server's clock is an hour ahead, and the token has ten minutes.
        let end = it.now + 3_600_000 + 600_000
        var grant = it.grant
        grant.expiresAt = end
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        let effects = it.give(.answered(asked, it.session(grant, ahead: 3_600_000)))
        #expect(effects.wake == it.now + 300_000)
        it.now = it.now + 300_000
        let five = it.give(.woke)
        #expect(five.contains(.announce(.tokenExpires(end))))
        #expect(five.wake == it.now + 240_000)
        #expect(it.names(.woke) == [])
        it.now = it.now + 240_000
        #expect(it.names(.woke) == ["token expires"])
        // The clock alone does not end the session.
        it.now = it.now + 600_000
        #expect(it.names(.woke) == [])
        #expect(it.synchronizer.connection == .live)
    }

    @Test func aTokenWithSecondsLeftIsToldOnce() {
        var it = Bench()
        var grant = it.grant
        grant.expiresAt = it.now + 30_000
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        #expect(it.names(.answered(asked, it.session(grant))).filter { $0 == "token expires" }.count == 1)
        #expect(it.names(.woke) == [])
    }

    @Test func whatTheServerSaysOfTheLastMinuteIsNotSaidTwice() throws {
        var it = Bench()
        let stream = try it.goListening()
        let expiring = LiveEvent.session(SessionEvent(.expiring, at: it.grant.expiresAt))
        #expect(it.names(.heard(stream.id, expiring)) == ["token expires"])
        #expect(it.names(.heard(stream.id, expiring)) == [])
        it.now = it.grant.expiresAt + -60_000
        #expect(it.names(.retryRequested) == [])
    }

    @Test func anotherTokenIsForeseenAnew() {
        var it = Bench()
        _ = it.goLive()
        it.now = it.grant.expiresAt + -100_000
        #expect(it.names(.woke) == ["token expires"])
        var grant = it.grant
        grant.expiresAt = it.now + 200_000
        let asked = it.request(.tokenSupplied(TokenHandle(2)))
        #expect(it.names(.answered(asked, it.session(grant))).contains("token expires"))
    }

    /// Edits of this process and of others, each within a second of the one before.
    @Test(arguments: [Synchronizer.Input.edited, .storeChanged])
    func aPushWaitsForFiveDelaysAtMost(_ edit: Synchronizer.Input) throws {
        var it = Bench()
        _ = it.goLive()
        var number = 0
        /// Edits until a push is sent, and returns it and how long that took.
        func push() throws -> (request: Int, milliseconds: Int64)? {
            let first = it.now
            for _ in 0..<20 {
                number += 1
                try it.layer.create(note("text"), id: "n\(number)", author: nil, at: it.now)
                _ = it.give(edit)
                it.now = it.now + 500
                if let request = it.give(.woke).request { return (request, it.now - first) }
            }
            return nil
        }
        let first = try #require(try push())
        #expect(first.milliseconds == 5000)
        // What comes while it is under way begins anew.
        try it.layer.create(note("text"), id: "late", author: nil, at: it.now)
        #expect(it.give(edit).request == nil)
        #expect(it.alarm == it.now + 1000)
    }

    /// A timer that fires early is set again, so that no edit waits for a timer that is gone.
    @Test func aTimerThatFiredTooEarlyIsSetAgain() throws {
        var it = Bench()
        _ = it.goLive()
        let due = it.now + 1000
        _ = try it.edit()
        it.now = due + -1
        let early = it.give(.woke)
        #expect(early.wake == due)
        #expect(early.request == nil)
        it.now = due
        #expect(it.give(.woke).request != nil)
    }

    /// A cycle delays the next attempt to open a stream until it is overdue. An overdue attempt must not hide the
    /// later timer of an edit.
    @Test func whatCannotBeDoneYetHidesNothingThatIsDueLater() throws {
        var it = Bench()
        _ = try it.goListening()
        it.now = it.now + 10_000
        let polling = try #require(it.give(.woke).stream)
        #expect(polling.channel == .polling)
        _ = it.give(.heard(polling.id, .heartbeat))
        _ = it.request(.syncRequested)
        it.now = it.now + 600_000
        _ = it.give(.heard(polling.id, .heartbeat))
        _ = it.give(.woke)
        #expect(it.alarm.map { $0 > it.now } ?? true)
        _ = try it.edit()
        // The overdue timer fires once, then the edit's timer is set.
        let due = it.now + 1000
        if it.alarm.map({ $0 <= it.now }) ?? false { _ = it.give(.woke) }
        #expect(it.alarm == due)
    }

    @Test(arguments: [Int64.min, .max, 0]) func noEndIsTooFarAway(_ end: Int64) {
        var it = Bench()
        var grant = it.grant
        grant.expiresAt = Timestamp(milliseconds: end)
        let asked = it.request(.tokenSupplied(TokenHandle(1)))
        let told = it.names(.answered(asked, it.session(grant))).contains("token expires")
        #expect(told == (end != .max))
    }

    @Test func aClockThatIsSetBackMakesNobodyWaitForADay() {
        var it = Bench()
        _ = it.goLive()
        _ = it.give(.failed(it.request(.syncRequested), .unreachable("gone")))
        guard case .offline(let until) = it.synchronizer.connection else {
            Issue.record("\(it.synchronizer.connection)")
            return
        }
        let wait = until - it.now
        it.now = it.now + -86_400_000
        #expect(it.give(.woke).wake == it.now + wait)
        it.now = it.now + wait
        #expect(it.names(.woke) == ["ask session"])
    }

    /// While no channel is open, too.
    @Test func aClockThatIsSetBackDoesNotProlongThePolling() throws {
        var it = Bench()
        _ = try it.goListening()
        it.now = it.now + 10_000
        #expect(it.give(.woke).stream?.channel == .polling)
        _ = it.give(.listening(false))
        it.now = it.now + -86_400_000
        _ = it.give(.woke)
        let pull = it.request(.listening(true))
        let digest = it.request(.answered(pull, it.delta()))
        let polling = try #require(it.give(.failed(digest, .invalidServer("not known"))).stream)
        #expect(polling.channel == .polling)
        it.now = it.now + 600_000
        #expect(it.give(.heard(polling.id, .heartbeat)).stream?.channel == .events)
    }

    @Test func aClockThatIsSetBackKillsNoStreamAndDelaysNoPush() throws {
        var it = Bench()
        let stream = try it.goListening()
        _ = it.give(.heard(stream.id, .heartbeat))
        _ = try it.edit()
        it.now = it.now + -86_400_000
        #expect(it.give(.woke).wake == it.now + 1000)
        it.now = it.now + 1000
        #expect(it.names(.woke) == ["began", "sendingChanges", "push 1"])
        it.now = it.now + 39_000
        #expect(
            it.names(.woke) == ["cancel", "close stream", "dirty", "failed: the server sent nothing for too long"])
    }

    @Test func aServerThatAsksForPatienceGetsIt() throws {
        var it = Bench()
        _ = it.goLive()
        _ = try it.edit("a")
        let push = it.request(.syncRequested)
        _ = it.give(.failed(push, .unreachable("too many requests", retryAfterMilliseconds: 120_000)))
        #expect(it.synchronizer.connection == .offline(retryAt: it.now + 120_000))
        #expect(it.names(.retryRequested) == [])
        #expect(try it.edit("b") == [])
        #expect(it.names(.syncRequested) == [])
        it.now = it.now + 120_000
        #expect(it.names(.woke) == ["ask session"])
    }

    @Test func noServerIsWaitedForLongerThanTenMinutes() {
        var it = Bench()
        _ = it.goLive()
        let failure = SyncFailure.unreachable("full", retryAfterMilliseconds: .max)
        _ = it.give(.failed(it.request(.syncRequested), failure))
        #expect(it.synchronizer.connection == .offline(retryAt: it.now + 600_000))
    }

    @Test func aKeyAnEditOrTheNetworkEndsTheWaiting() throws {
        for end in [Synchronizer.Input.retryRequested, .syncRequested, .edited] {
            var it = Bench()
            _ = it.goLive()
            _ = it.give(.failed(it.request(.syncRequested), .unreachable("gone")))
            try it.layer.create(note("text"), id: "n", author: nil, at: it.now)
            #expect(it.names(end).contains("ask session"), "\(end)")
        }
    }

    /// Streams that break right after opening: every reconnect works, but the delays still grow.
    @Test func onlyAStreamThatHoldsIsASuccess() throws {
        var it = Bench()
        var stream = try it.goListening()
        for round in 1...6 {
            _ = it.give(.heard(stream.id, .session(SessionEvent(.open))))
            _ = it.give(.streamEnded(stream.id, nil))
            #expect(it.synchronizer.session.failures == round)
            let asked = it.request(.retryRequested)
            let pull = it.request(.answered(asked, it.session()))
            stream = try #require(it.give(.answered(pull, it.delta())).stream)
        }
        _ = it.give(.heard(stream.id, .heartbeat))
        #expect(it.synchronizer.session.failures == 0)
    }
}
