import Foundation
import Synchronization

/// The `Date` of answers (RFC 9110, section 5.6.7), written out once a second at most.
final class HTTPDate: Sendable {
    private let last = Mutex<(second: Int, text: String)>((0, HTTPDate.text(of: 0)))

    /// As the clock of this machine stands.
    var now: String {
        let second = time(nil)
        return last.withLock { last in
            if last.second != second { last = (second, Self.text(of: second)) }
            return last.text
        }
    }

    /// - Parameter second: since 1970.
    static func text(of second: Int) -> String {
        var (moment, parts) = (time_t(second), tm())
        gmtime_r(&moment, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
        let date = "\(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900)"
        return "\(date) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
