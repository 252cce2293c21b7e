import Annotations
import Foundation
import TestSupport
import Testing

@testable import postilla

/// The demo's documents look as if people had just worked on them.
@Suite struct SampleDatesTests {
    @Test(arguments: ["reading-machines", "harbour-handbook"]) func theNewestDateIsTwoHoursAgo(name: String) throws {
        let sample = [UInt8](
            try Data(contentsOf: URL(fileURLWithPath: Repository.root + "/Resources/samples/\(name).pdf")))
        let now = try #require(Timestamp(iso8601: "2031-03-01T08:30:00Z"))
        let moved = SampleDates.recent(sample, now: now)
        #expect(moved.count == sample.count)
        let dates = String(decoding: moved, as: UTF8.self).matches(of: #/\(D:(\d{14})Z\)/#).map { String($0.output.1) }
        let before = String(decoding: sample, as: UTF8.self).matches(of: #/\(D:(\d{14})Z\)/#).count
        #expect(dates.count == before && before > 10)
        let newest = try #require(dates.max())
        #expect(newest == "20310301062500")
        // Moved again, nothing changes.
        #expect(SampleDates.recent(moved, now: now) == moved)
    }

    @Test func allDatesMoveAlike() {
        let pdf = Array("(D:20260105090000Z) (D:20251231235959Z) (D:2026) (D:20269999999999Z)".utf8)
        let now = Timestamp(iso8601: "2026-01-08T10:00:00Z") ?? Timestamp(milliseconds: 0)
        #expect(
            String(decoding: SampleDates.recent(pdf, now: now), as: UTF8.self)
                == "(D:20260108075500Z) (D:20260103225459Z) (D:2026) (D:20269999999999Z)")
        #expect(SampleDates.recent([1, 2], now: now) == [1, 2])
    }
}
