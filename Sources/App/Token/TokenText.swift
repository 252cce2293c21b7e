/// A token on its way from a paste to the library. It can be handed over and counted, never printed: not by
/// interpolation, not by a debugger's dump, not in a failing test.
package struct TokenText: Hashable, Sendable {
    /// The token itself. Only for handing it to the library.
    package let secret: String

    /// White space around and inside it (a terminal's line breaks) is dropped.
    package init(_ text: String) {
        secret = text.filter { !$0.isWhitespace }
    }

    package var count: Int { secret.count }

    /// Three parts divided by dots, the first one the beginning of a JSON object in base64url.
    package var looksLikeToken: Bool { secret.hasPrefix("eyJ") && Self.hasThreeParts(secret) }

    /// Whether a word of a text is a token, or one whose first letter was taken for a key: nothing to be written into a
    /// note or a draft.
    package static func isIn(_ text: String) -> Bool {
        text.split { $0.isWhitespace }.contains { word in
            guard let start = word.firstRange(of: "yJ")?.lowerBound else { return false }
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
