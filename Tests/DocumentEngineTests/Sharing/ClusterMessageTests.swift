import Testing

@testable import DocumentEngine

@Suite("Messages between servers") struct ClusterMessageTests {
    @Test(
        arguments: [
            ("7:12", .changed(layer: 7, head: 12)), ("7", .ended(layer: 7)), ("revoked", .revoked),
            ("", nil), (":", nil), ("7:", nil), ("7:x", nil), ("7:1:2", nil), ("tomorrow", nil), ("revoked:7", nil),
            ("who", .participantsRequested),
            (#"people {"people":[],"left":[]}"#, .people(PresenceMessage())),
        ] as [(String, ClusterMessage?)])
    func aNoticeIsReadOrPassedOver(text: String, notice: ClusterMessage?) {
        #expect(ClusterMessage(text) == notice)
        if let notice { #expect(notice.text == text) }
    }

    @Test func whatIsSaidTwiceIsDoneOnce() async {
        let gathering = CoalescingQueue<ClusterMessage>()
        for _ in 0..<3 { gathering.add(.revoked) }
        gathering.add(.ended(layer: 1))
        for await _ in gathering.signals { break }
        #expect(gathering.take() == [.revoked, .ended(layer: 1)])
        #expect(gathering.take().isEmpty)
    }
}
