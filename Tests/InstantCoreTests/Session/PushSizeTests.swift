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

    /// Sends full pushes over a link.
    ///
    /// - Parameters:
    ///   - latency: Milliseconds that each push takes beside its bytes.
    ///   - rate: Bytes a second.
    /// - Returns: The times in milliseconds.
    private func run(_ size: inout PushSize, latency: Int64, rate: Int, count: Int = 12) -> [Int64] {
        (0..<count).map { _ in
            let push = push(size.limit)
            let time = latency + Int64(push.size * 1000 / rate)
            size.accepted(push, after: time)
            return time
        }
    }

    @Test(arguments: [100_000, 60_000, 20_000, 2_000], [Int64(20), 300])
    func itTakesSomeSecondsAtAnyRate(_ rate: Int, latency: Int64) {
        var size = PushSize()
        let times = run(&size, latency: latency, rate: rate)
        #expect(times.dropFirst(5).allSatisfy { (4_000...6_000).contains($0) }, "\(times)")
        // Exploring costs little.
        #expect(times.allSatisfy { $0 < 22_000 }, "\(times)")
    }

    @Test(arguments: [(Int64(300), 10_000_000), (4_000, 10_000_000), (5, 1_000_000_000)])
    func aServerThatTakesItsTimeGetsLargePushes(_ latency: Int64, rate: Int) {
        var size = PushSize()
        _ = run(&size, latency: latency, rate: rate, count: 6)
        #expect(size.limit >= 4 << 20)
    }

    @Test func aLinkThatGetsSlowerOrFasterIsFollowed() {
        var size = PushSize()
        _ = run(&size, latency: 300, rate: 100_000)
        let slower = run(&size, latency: 300, rate: 10_000)
        #expect((4_000...6_000).contains(slower.last ?? 0), "\(slower)")
        let faster = run(&size, latency: 300, rate: 200_000)
        #expect((4_000...6_000).contains(faster.last ?? 0), "\(faster)")
    }

    @Test func aSmallPushOverALongWaySaysNothingOfTheRate() {
        var size = PushSize()
        _ = run(&size, latency: 300, rate: 100_000)
        let before = size.limit
        for _ in 0..<10 { size.accepted(push(500), after: 600) }
        #expect(size.limit == before)
    }

    @Test func oneThatStallsIsHalvedDownToASingleEdit() {
        var size = PushSize()
        _ = run(&size, latency: 5, rate: 100_000_000)
        size.stalled(push(20_000))
        #expect(size.limit == 10_000)
        for _ in 0..<20 { size.stalled(push(size.limit)) }
        #expect(size.limit < 400)
    }

    /// Something on the way stalls what is larger than it takes.
    @Test func afterAStallItGrowsInSteps() {
        var size = PushSize()
        _ = run(&size, latency: 5, rate: 100_000_000)
        size.stalled(push(64_000))
        let limits = (0..<3).map { _ in
            size.accepted(push(size.limit), after: 5)
            return size.limit
        }
        #expect(limits == [64_000, 128_000, 256_000])
        for _ in 0..<20 { size.accepted(push(size.limit), after: 0) }
        #expect(size.limit == 16 << 20)
    }
}
