/// A time, in milliseconds since 1970-01-01T00:00:00Z. Always passed in: nothing here reads a clock.
public struct Timestamp: Hashable, Sendable, Comparable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.milliseconds < other.milliseconds }
}

/// Sums saturate: a time may come from a hostile server.
extension Timestamp {
    public static func + (moment: Timestamp, milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: overflow ? (milliseconds < 0 ? .min : .max) : sum)
    }

    /// Returns the distance in milliseconds.
    public static func - (one: Timestamp, other: Timestamp) -> Int64 {
        let (distance, overflow) = one.milliseconds.subtractingReportingOverflow(other.milliseconds)
        return overflow ? (one < other ? .min : .max) : distance
    }
}

extension Timestamp {
    /// Parses `2026-05-30T02:20:01.313Z`, with an optional fraction and an offset of `Z` or `±hh:mm` (RFC 3339), in the
    /// years 0000 to 9999; nil for anything else.
    public init?(iso8601 text: String) {
        var text = text
        guard let milliseconds = text.withUTF8({ Self.milliseconds(MomentReader(bytes: $0)) }) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    private static func milliseconds(_ moment: MomentReader) -> Int64? {
        var text = moment
        guard let year = text.number(4), text.take("-"), let month = text.number(2), text.take("-"),
            let day = text.number(2), text.take("T") || text.take("t") || text.take(" "),
            let hour = text.number(2), text.take(":"), let minute = text.number(2), text.take(":"),
            let second = text.number(2), (1...12).contains(month), day >= 1, hour < 24, minute < 60, second <= 60,
            date(days: days(year: year, month: month, day: day)) == (year, month, day)
        else { return nil }
        guard let fraction = text.fraction(), let offset = text.zone(), text.isAtEnd else { return nil }
        let days = days(year: year, month: month, day: day)
        return (((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + fraction
    }

    /// `2026-05-30T02:20:01.313Z`. Times outside the years 0000–9999 are clamped.
    public var iso8601: String {
        let clamped = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let seconds = clamped.flooredQuotient(1000)
        let (year, month, day) = Self.date(days: seconds.flooredQuotient(86_400))
        let time = seconds - seconds.flooredQuotient(86_400) * 86_400
        return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))T\((time / 3600).padded(2)):"
            + "\((time / 60 % 60).padded(2)):\((time % 60).padded(2)).\((clamped - seconds * 1000).padded(3))Z"
    }

    /// Returns the days from 1970-01-01 to a date in the proleptic Gregorian calendar. Years are counted from March, so
    /// that the leap day is the last of its year, in eras of 400 years (146,097 days).
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year.flooredQuotient(400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    fileprivate func padded(_ digits: Int) -> String {
        let text = String(self)
        return String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
    }
}

/// A parser of the text of a time.
private struct MomentReader {
    let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: sign) else { return false }
        offset += 1
        return true
    }

    /// Reads exactly this many digits.
    mutating func number(_ digits: Int) -> Int64? {
        guard bytes.count - offset >= digits else { return nil }
        var value: Int64 = 0
        for byte in bytes[offset..<offset + digits] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        offset += digits
        return value
    }

    /// Reads milliseconds after a point; 0 without one, nil if no digit follows it. Finer digits are dropped.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        var milliseconds: Int64 = 0
        var scale: Int64 = 100
        let start = offset
        while let digit = number(1) {
            milliseconds += digit * scale
            scale /= 10
        }
        return offset > start ? milliseconds : nil
    }

    /// Reads `Z` or `±hh:mm`, in minutes.
    mutating func zone() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isWest = take("-")
        guard isWest || take("+"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isWest ? -1 : 1)
    }
}
