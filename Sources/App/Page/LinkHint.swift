import Annotations

/// A link on the screen and the letters that select it.
struct LinkHint: Equatable, Sendable {
    enum Target: Equatable, Sendable {
        /// A link annotation; the target is in its record.
        case record(Record.ID)
        /// An address in the text.
        case address(String)
    }

    var letters: String
    /// The first glyph of the link.
    var glyph: Int
    var target: Target

    /// Keys of the home row first.
    private static let alphabet = Array("asdfghjklqwertyuiopzxcvbnm")

    /// Returns labels of equal length, so that none is a prefix of another.
    static func labels(_ count: Int) -> [String] {
        guard count > alphabet.count else { return alphabet.prefix(count).map { String($0) } }
        return alphabet.flatMap { first in alphabet.map { String([first, $0]) } }.prefix(count).map { $0 }
    }
}
