import Annotations
import TestSupport
import Testing

@Suite("Timestamps")
struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("1970-01-01T00:00:00.001Z", 1), ("1969-12-31T23:59:59.999Z", -1),
        ("2026-05-30T02:20:01.313Z", 1_780_107_601_313), ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000), ("2100-02-28T23:59:59Z", 4_107_542_399_000),
        ("2100-03-01T00:00:00Z", 4_107_542_400_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999), ("2026-05-30t02:20:01z", 1_780_107_601_000),
        ("2026-05-30 02:20:01Z", 1_780_107_601_000), ("2026-05-30T04:20:01+02:00", 1_780_107_601_000),
        ("2026-05-29T20:50:01-05:30", 1_780_107_601_000), ("2026-05-30T02:20:01.5Z", 1_780_107_601_500),
        ("2026-05-30T02:20:01.123456789Z", 1_780_107_601_123), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ])
    func reads(text: String, milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-05-30", "2026-05-30T02:20Z", "2026-05-30T02:20:01", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
        "2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0200",
        "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00Zx", " 2026-01-01T00:00:00Z", "+2026-01-01T00:00:00Z",
        "２０２６-01-01T00:00:00Z", "12026-01-01T00:00:00Z",
    ])
    func refuses(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1_780_107_601_313, "2026-05-30T02:20:01.313Z"), (.min, "0000-01-01T00:00:00.000Z"),
        (.max, "9999-12-31T23:59:59.999Z"),
    ])
    func writes(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
    }

    @Test func randomMomentsComeBack() {
        var random = SeededRandom(seed: 8)
        for _ in 0..<5000 {
            let moment = Timestamp(
                milliseconds: Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
            #expect(Timestamp(iso8601: moment.iso8601) == moment)
        }
    }

    @Test("Months have the right lengths: centuries are not leap years, but every fourth one is")
    func lengthsOfMonths() throws {
        for year in [1896...1904, 1996...2004, 2096...2104].joined() {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in zip(1..., lengths) {
                let name = "\(year)-\(month < 10 ? "0" : "")\(month)"
                let first = try #require(Timestamp(iso8601: "\(name)-01T00:00:00Z"))
                let last = try #require(Timestamp(iso8601: "\(name)-\(length)T00:00:00Z"))
                #expect(last - first == Int64(length - 1) * 86_400_000)
                #expect(Timestamp(iso8601: "\(name)-\(length + 1)T00:00:00Z") == nil)
                #expect(last.iso8601.hasPrefix("\(name)-\(length)"))
            }
        }
    }

    @Test("Arithmetic at the limits of time saturates and never traps")
    func saturates() {
        let first = Timestamp(milliseconds: .min)
        let last = Timestamp(milliseconds: .max)
        #expect(last + 1 == last)
        #expect(first + -1 == first)
        #expect(last - first == .max)
        #expect(first - last == .min)
        #expect(Timestamp(seconds: .max) == last)
        #expect(Timestamp(seconds: .min) == first)
        #expect(Timestamp(seconds: 2) - Timestamp(seconds: 1) == 1000)
    }
}
