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

    /// Not even a slow one.
    @Test(arguments: [Int64(300), 600, 5_200]) func aSmallPushSaysNothingOfTheRate(_ time: Int64) {
        var size = PushSize()
        _ = run(&size, latency: 300, rate: 100_000)
        let before = size.limit
        for _ in 0..<10 { size.accepted(push(1_100), after: time) }
        #expect(size.limit == before)
    }

    /// A single large edit must not lead to a push of minutes.
    @Test func aFirstPushThatIsLargeIsFollowedByASmallerOne() {
        var size = PushSize()
        size.accepted(push(300_000), after: 15_300)
        #expect(size.limit == 75_000)
        let times = run(&size, latency: 300, rate: 20_000)
        #expect(times.allSatisfy { $0 < 6_000 }, "\(times)")
    }

    @Test(arguments: [Int64(3_000), 7_000, 12_000]) func aServerThatGetsSlowGetsLargePushes(_ latency: Int64) {
        var size = PushSize()
        for _ in 0..<10 { size.accepted(push(500), after: 40) }
        _ = run(&size, latency: 40, rate: 1_000_000)
        _ = run(&size, latency: latency, rate: 1_000_000, count: 30)
        #expect(size.limit >= 500_000)
    }

    /// The first pushes to a server that has just started take longest.
    @Test func aColdStartHidesNothing() {
        var size = PushSize()
        for (bytes, time) in [(8_000, 1_500), (32_000, 1_200), (128_000, 900)] as [(Int, Int64)] {
            size.accepted(push(bytes), after: time)
        }
        let times = run(&size, latency: 300, rate: 20_000)
        #expect(times.dropFirst(3).allSatisfy { $0 < 7_000 }, "\(times)")
    }

    @Test func oneThatStallsIsHalvedDownToASingleEdit() {
        var size = PushSize()
        _ = run(&size, latency: 5, rate: 100_000_000)
        size.stalled(push(20_000))
        #expect(size.limit == 10_000)
        for _ in 0..<20 { size.stalled(push(size.limit)) }
        #expect(size.limit < 400)
    }

    /// Something on the way stalls what is larger than it takes: most pushes get through.
    @Test(arguments: [Int64(5), 3_000, 6_000]) func afterAStallItGrowsSlowly(_ latency: Int64) {
        var size = PushSize()
        _ = run(&size, latency: latency, rate: 100_000_000, count: 20)
        var (stalls, bytes) = (0, 0)
        for _ in 0..<60 {
            let push = push(size.limit)
            if push.size > 60_000 {
                size.stalled(push)
                stalls += 1
            } else {
                size.accepted(push, after: latency)
                bytes += push.size
            }
        }
        #expect(stalls <= 24, "\(stalls)")
        #expect(bytes >= 1_000_000)
    }

    @Test func afterAnOutageItIsLargeAgain() {
        var size = PushSize()
        for _ in 0..<8 { size.stalled(push(size.limit)) }
        for _ in 0..<120 { size.accepted(push(size.limit), after: 5) }
        #expect(size.limit == 16 << 20)
    }
}
