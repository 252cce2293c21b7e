import Annotations
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@Suite("Receiving never waits for sending") struct SendingPauseTests {
    private var it = Bench()

    init() { _ = it.goLive() }

    private mutating func failPush(_ failure: SyncFailure) throws -> [Synchronizer.Effect] {
        _ = try it.edit()
        return it.give(.failed(it.request(.syncRequested), failure))
    }

    private func applied(_ n: Int64) -> SyncAnswer {
        let delta = Delta(epoch: "e", changes: [], upTo: 1, more: false)
        return .push(PushAnswer(results: [ChangeResult(n: n, status: .applied, revision: 1)], delta: delta))
    }

    @Test(arguments: [
        SyncFailure.notSent("the disk is full"), .unreachable("the proxy returned 502"),
        .invalidServer("it returned 403 with an unknown error"),
    ])
    mutating func aServerThatTakesNoEditsIsReadFrom(_ failure: SyncFailure) throws {
        let effects = try failPush(failure)
        #expect(effects.compactMap(\.name) == ["receivingChanges", "pull since 0"])
        let other = item("other", "theirs", 1)
        #expect(
            it.names(.answered(try #require(effects.request), it.delta([other], upTo: 1))) == [
                "changed other", "dirty", "failed: \(failure)",
            ])
        #expect(it.synchronizer.connection == .live)
        // It is tried again without being asked for.
        it.now = try #require(it.alarm)
        let push = it.give(.woke)
        #expect(push.compactMap(\.name) == ["began", "sendingChanges", "push 1"])
        #expect(it.names(.answered(try #require(push.request), applied(1))).contains("clean"))
        #expect(try it.layer.tally()[.sealed] == nil)
    }

    /// A timer may fire late, and something else happen before.
    @Test mutating func whateverHappensAfterTheEndOfAPauseStartsTheRetry() throws {
        it = Bench()
        let stream = try it.goListening()
        let pull = try #require(failPush(.notSent("the disk is full")).request)
        _ = it.give(.answered(pull, it.delta()))
        it.now = try #require(it.alarm)
        #expect(it.names(.heard(stream.id, .heartbeat)).contains("push 1"))
    }

    @Test mutating func theLiveChannelStaysOpenAlthoughEditsWait() throws {
        it = Bench()
        _ = try it.goListening()
        let pull = try #require(failPush(.notSent("the disk is full")).request)
        #expect(it.names(.answered(pull, it.delta())).last == "failed: the disk is full")
        #expect(it.synchronizer.connection == .live)
    }

    /// What waits in the buffers on the way cannot be told from a dead line.
    @Test mutating func aPushThatStandsStillIsRetriedWithFewerEdits() throws {
        let text = String(repeating: "x", count: 1000)
        for number in 1...8 { try it.layer.create(note(text), id: "n\(number)", author: nil, at: it.now) }
        var sizes: [Int] = []
        var input = Synchronizer.Input.syncRequested
        for _ in 1...4 {
            let effects = it.give(input)
            guard case .send(let request)? = effects.first(where: { $0.name?.hasPrefix("push") ?? false }),
                case .push(let push) = request.kind
            else { break }
            sizes.append(push.changes.count)
            let pull = it.give(.failed(request.id, .stalled("nothing moved"))).request("pull since 0")
            _ = it.give(.answered(try #require(pull), it.delta()))
            #expect(it.synchronizer.connection == .live)
            it.now = try #require(it.alarm)
            input = .woke
        }
        #expect(sizes == [6, 3, 1, 1])
        #expect(try it.layer.asideCount() == 0, "a slow line refuses nothing")
        // It grows again, in steps.
        var n: Int64 = 1
        var effects = it.give(.woke)
        sizes = []
        while case .send(let request)? = effects.first(where: { $0.name?.hasPrefix("push") ?? false }),
            case .push(let push) = request.kind
        {
            sizes.append(push.changes.count)
            let count = Int64(push.changes.count)
            let results = (n..<(n + count)).map { ChangeResult(n: $0, status: .applied, revision: $0) }
            n += count
            let delta = Delta(epoch: "e", changes: [], upTo: n - 1, more: false)
            effects = it.give(.answered(request.id, .push(PushAnswer(results: results, delta: delta))))
        }
        #expect(sizes == [1, 1, 1, 1, 3, 1])
    }

    @Test mutating func withoutAConnectionThereIsNoOtherReason() throws {
        let pull = try #require(failPush(.unreachable("no network")).request)
        #expect(it.names(.failed(pull, .unreachable("no network"))) == ["dirty", "failed: no network"])
        guard case .offline(let retry) = it.synchronizer.connection else { return #expect(Bool(false)) }
        it.now = retry
        // The edit is sent at once with the next connection.
        #expect(it.names(.answered(it.request(.woke), it.session())).contains("push 1"))
    }

    @Test mutating func editsOfAPauseAreSentWithItsEnd() throws {
        let pull = try #require(failPush(.notSent("full", retryAfterMilliseconds: 30_000)).request)
        _ = it.give(.answered(pull, it.delta()))
        #expect(it.alarm == it.now + 30_000)
        #expect(try it.edit("second") == [])
        it.now = it.now + 1000
        #expect(it.names(.woke) == [])
        it.now = it.now + 29_000
        let push = it.give(.woke)
        #expect(push.compactMap(\.name) == ["began", "sendingChanges", "push 2"])
    }

    @Test(arguments: [Synchronizer.Input.retryRequested, .syncRequested])
    mutating func aKeyEndsAPauseThatTheServerHasNotAskedFor(_ key: Synchronizer.Input) throws {
        for isRequested in [false, true] {
            let failure = SyncFailure.notSent("full", retryAfterMilliseconds: isRequested ? 30_000 : nil)
            let pull = try #require(failPush(failure).request)
            _ = it.give(.answered(pull, it.delta()))
            #expect(it.names(key).contains("push 1") == !isRequested)
            it = Bench()
            _ = it.goLive()
        }
    }

    @Test mutating func pausesGrow() throws {
        var pull = try #require(failPush(.unreachable("cut")).request)
        var longest: Int64 = 0
        for _ in 1...12 {
            _ = it.give(.answered(pull, it.delta()))
            longest = max(longest, try #require(it.alarm) - it.now)
            it.now = try #require(it.alarm)
            pull = try #require(it.give(.failed(it.request(.woke), .unreachable("cut"))).request)
        }
        #expect(longest > 10_000 && longest <= 60_000)
    }

    @Test mutating func anotherProcessDoesNotWaitForEditsThatTheLeaderCannotSend() throws {
        let pull = try #require(failPush(.unreachable("cut")).request)
        _ = it.give(.answered(pull, it.delta()))
        // The leader keeps the lead, and brings the store up to date.
        let effects = it.give(.leadClaimed("other"))
        #expect(!effects.contains(.lead(false)) && effects.compactMap(\.name).last == "pull since 0")
        var other = Bench(sharing: it.layer)
        other.isLockTaken = true
        let asked = other.request(.tokenSupplied(TokenHandle(2)))
        let names = other.names(.answered(asked, other.session()))
        #expect(names.suffix(3) == ["receivingChanges", "dirty", "failed: cut"], "\(names)")
        #expect(other.names(.storeChanged) == ["changed "])
        other.now = other.now + 2000
        #expect(other.names(.woke) == [])
    }

    @Test mutating func theEndOfAPauseIsToldToOthers() throws {
        let pull = try #require(failPush(.unreachable("cut")).request)
        _ = it.give(.answered(pull, it.delta()))
        #expect(try it.layer.metadata().unsentBecause == "cut")
        it.now = try #require(it.alarm)
        _ = it.give(.answered(it.request(.woke), applied(1)))
        #expect(try it.layer.metadata().unsentBecause == nil)
    }
}
