import Annotations

/// A link on the screen and the letters that follow it.
struct LinkHint: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        /// A link annotation, whose target is in its record.
        case record(Record.ID)
        /// An address that stands in the text.
        case address(String)
    }

    var letters: String
    /// The glyph of the page that it begins at.
    var glyph: Int
    var target: Target

    /// The keys under the fingers first.
    private static let alphabet = Array("asdfghjklqwertyuiopzxcvbnm")

    /// Labels of one length, so that none begins another.
    static func labels(_ count: Int) -> [String] {
        guard count > alphabet.count else { return alphabet.prefix(count).map { String($0) } }
        return alphabet.flatMap { first in alphabet.map { String([first, $0]) } }.prefix(count).map { $0 }
    }
}
