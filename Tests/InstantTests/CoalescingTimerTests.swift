import Annotations
import Testing

@testable import Instant

@Suite struct CoalescingTimerTests {
    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    @Test func aTimerUnderWayIsKeptWhileTheMomentMovesAway() throws {
        var alarm = CoalescingTimer()
        let started = alarm.set(for: moment(10))
        let first = try #require(started)
        #expect(alarm.set(for: moment(20)) == nil)
        #expect(alarm.set(for: moment(30)) == nil)
        guard case .early(let next) = alarm.fired(first, at: moment(10)) else { throw NotEarly() }
        #expect(next.moment == moment(30))
        #expect(alarm.fired(next, at: moment(30)) == .due)
        #expect(alarm.fired(next, at: moment(31)) == nil)
    }

    @Test func anEarlierMomentTakesATimerOfItsOwn() throws {
        var alarm = CoalescingTimer()
        let (started, sooner) = (alarm.set(for: moment(10)), alarm.set(for: moment(5)))
        let (late, soon) = (try #require(started), try #require(sooner))
        #expect(alarm.fired(soon, at: moment(5)) == .due)
        #expect(alarm.fired(late, at: moment(10)) == nil)
    }

    /// The rest of the way to the old moment may be a day.
    @Test func aClockThatIsSetBackWakesAtOnce() throws {
        var alarm = CoalescingTimer()
        let started = alarm.set(for: moment(100_000))
        let timer = try #require(started)
        #expect(alarm.fired(timer, at: moment(13_600)) == .due)
    }

    @Test func nothingIsWokenForWhatIsNotWaitedForAnyMore() throws {
        var alarm = CoalescingTimer()
        let started = alarm.set(for: moment(10))
        let timer = try #require(started)
        #expect(alarm.set(for: nil) == nil)
        #expect(alarm.fired(timer, at: moment(10)) == nil)
        #expect(alarm.set(for: moment(20)) != nil)
    }

    private struct NotEarly: Error {}
}
