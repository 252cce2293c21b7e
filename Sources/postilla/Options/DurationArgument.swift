import Annotations
import ArgumentParser

/// A duration on the command line: `90s`, `15m`, `1h`, `7d`, or bare seconds.
struct DurationArgument: ExpressibleByArgument, Equatable {
    var seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = Int64(unit == nil ? argument : String(argument.dropLast(scalars: 1))), number >= 0 else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        guard !overflow, seconds <= 10_000 * 365 * 86_400 else { return nil }
        self.seconds = seconds
    }

    var defaultValueDescription: String { seconds % 3600 == 0 ? "\(seconds / 3600)h" : "\(seconds)s" }
}
