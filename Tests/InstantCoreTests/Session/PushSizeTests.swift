import Annotations
import SyncProtocol
import TestSupport
import Testing

@testable import InstantCore

@Suite("The size of a push") struct PushSizeTests {
    private func push(_ bytes: Int) -> PushRequest {
        let text = String(repeating: "x", count: max(0, bytes - 384 - 11))
        let content = Content(checked: #"{"text":"\#(text)"}"#)
        return PushRequest(
            clientID: "c", acked: 0, cursor: nil,
            changes: [Change(n: 1, kind: .create, id: "a", baseRevision: 0, content: content)])
    }

    @Test(arguments: [100_000, 60_000, 20_000, 2_000])
    func itTakesSomeSecondsAtAnyRate(_ rate: Int) {
        var size = PushSize()
        var times: [Int64] = []
        for _ in 0..<8 {
            let push = push(size.limit)
            times.append(300 + Int64(push.size * 1000 / rate))
            size.accepted(push, after: times.last ?? 0)
        }
        #expect((2_500...4_500).contains(times.last ?? 0), "\(times)")
    }

    @Test func aFastLinkCarriesEverythingAfterTheFirst() {
        var size = PushSize()
        size.accepted(push(size.limit), after: 5)
        #expect(size.limit >= 4 << 20)
        for _ in 0..<100 { size.accepted(push(1 << 20), after: 0) }
        #expect(size.limit == 16 << 20)
    }

    @Test func aSmallPushOverALongWaySaysNothingOfTheRate() {
        var size = PushSize()
        size.accepted(push(60_000), after: 600)
        let before = size.limit
        size.accepted(push(500), after: 300)
        #expect(size.limit == before)
    }

    @Test func oneThatStallsIsHalved() {
        var size = PushSize()
        size.stalled(push(20_000))
        #expect(size.limit == 10_000)
        for _ in 0..<10 { size.stalled(push(20_000)) }
        #expect(size.limit == 8 << 10)
    }
}
