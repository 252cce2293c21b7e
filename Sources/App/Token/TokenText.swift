import Annotations

/// A token between input and `Instant`. It can be passed on and counted, but never printed: not by interpolation, in a
/// debugger's dump or in a failing test.
package struct TokenText: Hashable, Sendable {
    /// The token itself, only for passing it to `Instant`.
    package let secret: String

    /// Drops white space around and inside the token (a terminal's line breaks).
    package init(_ text: String) {
        secret = String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isWhitespace }))
    }

    package var count: Int { secret.count }

    /// Three parts separated by dots; the first is the start of a JSON object in base64url.
    package var looksLikeToken: Bool { secret.begins(with: "eyJ") && Self.hasThreeParts(secret) }

    /// Returns whether a word of the text is a token, possibly without its first letter because that was read as a key.
    /// Such a text must not be saved as a note or draft.
    package static func isIn(_ text: String) -> Bool {
        text.split(whereScalar: \.properties.isWhitespace).contains { word in
            guard let start = word.range(ofScalars: "yJ")?.lowerBound else { return false }
            return word[start...].utf8.count >= 40 && hasThreeParts(word[start...])
        }
    }

    private static func hasThreeParts(_ word: some StringProtocol) -> Bool {
        word.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) } == 2
    }
}

extension TokenText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[token of \(count) characters]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
