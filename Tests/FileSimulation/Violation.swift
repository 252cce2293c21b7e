/// A violated truth. The seed replays it.
struct Violation: Error, CustomStringConvertible {
    /// What kind it is, without names and numbers.
    let kind: String
    let details: String

    init(_ kind: String, _ details: String = "") { (self.kind, self.details) = (kind, details) }

    var description: String { details.isEmpty ? kind : "\(kind): \(details)" }
}

/// A story of the history, line by line.
package final class Story {
    package private(set) var lines: [String] = []
    private let isKept: Bool

    package init(isKept: Bool) { self.isKept = isKept }

    func callAsFunction(_ line: @autoclosure () -> String) {
        if isKept { lines.append(line()) }
    }
}
