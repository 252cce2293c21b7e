import Annotations
import EngineCore
import Testing

/// Timed events for listeners.
@Suite("Heartbeats") struct HeartbeatTimerTests {
    private let start = Timestamp(seconds: 1000)

    private func beats(_ pulse: inout HeartbeatTimer, after milliseconds: Int64) -> [HeartbeatTimer.Tick] {
        pulse.timePassed(at: start + milliseconds).map(\.beat)
    }

    @Test func aSilentStreamGivesASignOfLifeEvery15Seconds() {
        var pulse = HeartbeatTimer()
        pulse.add(1, until: start + 3_600_000, now: start)
        #expect(beats(&pulse, after: 14_999) == [])
        #expect(beats(&pulse, after: 15_000) == [.heartbeat])
        #expect(beats(&pulse, after: 29_999) == [])
        #expect(beats(&pulse, after: 30_000) == [.heartbeat])
        pulse.remove(1)
        #expect(beats(&pulse, after: 60_000) == [])
    }

    @Test func aTokensLastMinuteIsToldOnceAndItsEndUntilTheListenerGoes() {
        var pulse = HeartbeatTimer()
        pulse.add(1, until: start + 70_000, now: start)
        #expect(beats(&pulse, after: 9_999) == [])
        #expect(beats(&pulse, after: 10_000) == [.expiring])
        #expect(beats(&pulse, after: 16_000) == [.heartbeat])
        #expect(beats(&pulse, after: 70_000) == [.over])
        #expect(beats(&pulse, after: 70_001) == [.over])
    }

    @Test func aClockThatIsSetBackSilencesNobody() {
        var pulse = HeartbeatTimer()
        pulse.add(1, until: start + 3_600_000, now: start)
        #expect(beats(&pulse, after: -3_600_000) == [.heartbeat])
        #expect(beats(&pulse, after: -3_600_000 + 15_000) == [.heartbeat])
    }
}
