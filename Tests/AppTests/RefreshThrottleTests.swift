import Annotations
import InstantCore
import Testing

@testable import App

/// However fast others write, the screen redraws at a readable rate and never misses the last change.
@Suite struct RefreshThrottleTests {
    private let start = Timestamp.noon

    @Test func theFirstIsLookedAtAtOnceAndTheRestTogether() {
        var looks = RefreshThrottle()
        var looked: [Int64] = []
        for moment: Int64 in [0, 1, 50, 99] where looks.changed(at: start + moment) { looked.append(moment) }
        #expect(looked == [0])
        #expect(looks.wait(at: start + 99) == 1)
        // Nothing changed between the last two.
        for moment: Int64 in [99, 100, 200] where looks.timePassed(at: start + moment) { looked.append(moment) }
        #expect(looked == [0, 100])
        #expect(looks.wait(at: start + 200) == nil)
        if looks.changed(at: start + 250) { looked.append(250) }
        #expect(looked == [0, 100, 250])
    }

    @Test func aClockThatWasSetBackKeepsNobodyWaiting() {
        var looks = RefreshThrottle()
        let back = start + -3_600_000
        let looked = [start, back, back + 1].filter { looks.changed(at: $0) }
        #expect(looked == [start, back])
        #expect(looks.wait(at: back + 1) == 99)
    }

    @Test func aThousandChangesASecondAreTenLooks() throws {
        let stage = Stage(Sample.services())
        let before = stage.asked.count
        for _ in 0..<1_000 {
            stage.now = stage.now + 1
            stage.send(.recordsChanged(["n1"], author: "Ben"))
        }
        let asked = stage.asked[before...]
        func count(_ isLooked: (Effect) -> Bool) -> Int { asked.filter(isLooked).count }
        #expect((9...11).contains(count { if case .loadRows = $0 { true } else { false } }))
        #expect((9...11).contains(count { $0 == .loadPageRows(0) }))
        // The loop wakes for the pending refresh.
        let wait = try #require(stage.state.wakeAfter)
        #expect(wait <= RefreshThrottle.interval)
        stage.now = stage.now + wait
        stage.send(.tick(stage.now))
        #expect(stage.state.wakeAfter ?? 0 > RefreshThrottle.interval)
    }

    @Test func onesOwnEditIsShownAtOnceHoweverMuchComes() throws {
        let stage = Stage(Sample.services())
        stage.send(.recordsChanged(["n1"], author: "Ben"))
        try stage.press("jjd")
        #expect(stage.state.document?.list.total == 3)
        try stage.press("u")
        #expect(stage.state.document?.list.total == 4)
    }
}
