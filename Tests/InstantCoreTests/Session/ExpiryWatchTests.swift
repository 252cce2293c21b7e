import Annotations
import Testing

@testable import InstantCore

struct ExpiryWatchTests {
    private static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 4_000_000_000_000, .max - 1, .max]

    /// The clock and the expiry are the server's claims.
    @Test(arguments: numbers, numbers) func anyClockAndAnyExpiry(offset: Int64, end: Int64) {
        for now in Self.numbers {
            var watch = ExpiryWatch(TokenHandle(1), end: Timestamp(milliseconds: end), offset: offset)
            _ = watch.timePassed(at: Timestamp(milliseconds: now))
            _ = watch.due
            watch.clockWentBack(by: max(0, now))
            _ = watch.due
            watch.answered(end: Timestamp(milliseconds: now), offset: end)
            _ = watch.timePassed(at: Timestamp(milliseconds: offset))
            _ = watch.due
        }
    }

    @Test func anOffsetCanBeNegatedAndGrow() {
        #expect(ClockOffset(.min).milliseconds == -.max)
        var offset = ClockOffset(.max)
        offset.grow(by: 1)
        #expect(offset.milliseconds == .max)
        offset.grow(by: -.max)
        #expect(offset.milliseconds == 0)
        offset = ClockOffset(.min)
        offset.grow(by: .min)
        #expect(offset.milliseconds == -.max)
    }
}
