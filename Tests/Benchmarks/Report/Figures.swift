import Foundation

/// Formats figures with enough digits to compare, and no more.
enum Figures {
    static let none = "-"

    static func milliseconds(_ duration: Duration?) -> String {
        guard let value = duration?.milliseconds else { return none }
        return String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    static func ratio(_ one: Duration?, to other: Duration?) -> String {
        guard let one, let other, other > .zero else { return none }
        return String(format: "%.2f", one.ratio(to: other))
    }

    static func megabytes(_ bytes: Int) -> String {
        bytes == 0 ? none : String(format: "%.1f", Double(bytes) / 1_048_576)
    }

    static func megabytesPerSecond(_ bytes: Int, in duration: Duration?) -> String {
        guard let duration, duration > .zero else { return none }
        return String(format: "%.0f", Double(bytes) / 1_048_576 / (duration.milliseconds / 1000))
    }
}
