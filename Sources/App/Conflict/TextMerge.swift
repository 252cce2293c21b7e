import Annotations
import Screen

/// A merge of two versions of a text, line by line (as diff3 does): what only one side changed is taken from it, what
/// both changed differently stands between marker lines that name the sides.
enum TextMerge {
    private static let (start, middle, end) = ("<<<<<<< ", "=======", ">>>>>>> ")
    /// Longer texts are merged as one piece: comparing takes the product of the lengths.
    private static let maxLines = 1_000

    /// - Parameter base: The common version; nil if there is none: then what both have is.
    static func merged(base: String?, theirs: String, mine: String, theirName: String) -> String {
        func lines(_ text: String) -> [Substring] { text.split(scalar: "\n", omittingEmptySubsequences: false) }
        let (their, my) = (lines(theirs), lines(mine))
        guard base != nil || max(their.count, my.count) <= maxLines else {
            return piece(their, my, theirName).joined(separator: "\n")
        }
        let old = base.map(lines) ?? Matches(their, my).common(of: their)
        guard [old.count, their.count, my.count].allSatisfy({ $0 <= maxLines }) else {
            return theirs == mine ? mine : piece(their, my, theirName).joined(separator: "\n")
        }
        return ThreeWay.pieces(base: old, mine: my, theirs: their)
            .flatMap { part in
                switch part {
                case .agreed(let lines): lines
                case .conflict(_, let mine, let theirs): piece(theirs, mine, theirName)
                }
            }
            .joined(separator: "\n")
    }

    private static func piece(_ theirs: [Substring], _ mine: [Substring], _ name: String) -> [Substring] {
        [Substring(start + "theirs: " + name)] + theirs + [Substring(middle)] + mine + [Substring(end + "yours")]
    }

    /// Whether a marker line is left in the text.
    static func hasMarkers(_ text: String) -> Bool {
        text.split(scalar: "\n").contains { $0.begins(with: start) || $0 == middle || $0.begins(with: end) }
    }
}
