import Annotations
import Screen

/// Times in short, readable form.
enum RelativeTime {
    /// Returns the time elapsed: `now`, `5m`, `2h`, `3d`, `2y`.
    static func age(of moment: Timestamp, at now: Timestamp) -> String {
        let minutes = max(0, now.milliseconds &- moment.milliseconds) / 60_000
        switch minutes {
        case 0: return "now"
        case ..<60: return "\(minutes)m"
        case ..<1440: return "\(minutes / 60)h"
        case ..<525_600: return "\(minutes / 1440)d"
        default: return "\(minutes / 525_600)y"
        }
    }

    /// Returns the time remaining: `45s`, `12m`, `3h`, `2d`. Seconds and minutes are rounded up.
    static func life(milliseconds: Int64) -> String {
        let seconds = min(max(0, milliseconds), 1 << 60).advanced(by: 999) / 1000
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3600: return "\((seconds + 59) / 60)m"
        case ..<172_800: return "\(seconds / 3600)h"
        default: return "\(seconds / 86_400)d"
        }
    }

    /// Returns `2026-05-30 14:05` in the user's time zone.
    static func date(_ moment: Timestamp, utcOffset: Int) -> String {
        let text = Timestamp(milliseconds: moment.milliseconds &+ Int64(utcOffset) * 1000).iso8601
        return text.prefix(10) + " " + text.dropFirst(11).prefix(5)
    }

    /// Returns `14:05:31` in the user's time zone.
    static func clock(_ moment: Timestamp, utcOffset: Int) -> String {
        String(Timestamp(milliseconds: moment.milliseconds &+ Int64(utcOffset) * 1000).iso8601.dropFirst(11).prefix(8))
    }

    /// Returns `14:05` for a time on the same day, else includes the date.
    static func near(_ moment: Timestamp, at now: Timestamp, utcOffset: Int) -> String {
        let whole = date(moment, utcOffset: utcOffset)
        return whole.prefix(10) == date(now, utcOffset: utcOffset).prefix(10) ? String(whole.dropFirst(11)) : whole
    }
}

/// Builds a text by interpolation, so that it can be fitted: `clean("page \(number)").truncated(to: 20)`.
func clean(_ text: CleanText) -> CleanText { text }
