/// One line of text that is safe to send to a terminal: no control characters, and nothing that reorders, joins, hides
/// or moves adjacent text. `Canvas` accepts only this type, so text from a file, a token or a server cannot reach the
/// terminal unchanged. `TextSanitizer` defines the replacements.
package struct CleanText: Hashable, Sendable {
    /// The cleaned text.
    package private(set) var string: String
    /// Its width in columns.
    package private(set) var width: Int

    init(alreadyClean string: String, width: Int) {
        self.string = string
        self.width = width
    }

    package init() {
        self.init(alreadyClean: "", width: 0)
    }

    /// Cleans any text into one line: a line end becomes a symbol.
    package init(cleaning text: String) {
        if let width = TextSanitizer.widthIfPlain(text) {
            self.init(alreadyClean: text, width: width)
        } else {
            self = TextSanitizer.clean(text)
        }
    }

    /// Cleans each line of `text`. LF, CR LF, CR, U+0085, U+2028 and U+2029 end a line; a tab advances to the next
    /// multiple of 8.
    package static func lines(cleaning text: String) -> [CleanText] {
        if text.utf8.allSatisfy({ $0 != 0x0A && $0 != 0x0D && $0 != 0x09 && $0 < 0x80 }) {
            return [CleanText(cleaning: text)]
        }
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd).map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            return columns.dropFirst().reduce(CleanText(cleaning: String(columns.first ?? ""))) { text, next in
                let stop = (text.width / 8 + 1) * 8
                return text.padded(to: stop) + CleanText(cleaning: String(next))
            }
        }
    }

    package static func blanks(_ count: Int) -> CleanText {
        let count = max(0, count)
        return CleanText(alreadyClean: String(repeating: " ", count: count), width: count)
    }

    package var isEmpty: Bool { string.isEmpty }

    /// Clean text is ASCII if and only if each byte takes one column.
    var isASCII: Bool { string.utf8.count == width }

    /// The cells from left to right; a wide character is one glyph of width 2.
    package var glyphs: Glyphs { Glyphs(string.unicodeScalars) }

    package static func + (left: CleanText, right: CleanText) -> CleanText {
        if left.isEmpty { return right }
        if right.isEmpty { return left }
        return CleanText(alreadyClean: left.string + right.string, width: left.width + right.width)
    }

    package static func += (left: inout CleanText, right: CleanText) {
        left.string += right.string
        left.width += right.width
    }
}

extension Character {
    fileprivate var isLineEnd: Bool {
        switch self {
        case "\n", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}

extension CleanText: CustomStringConvertible {
    package var description: String { string }
}

extension Sequence<CleanText> {
    package func joined(separator: CleanText = CleanText()) -> CleanText {
        var all = CleanText()
        for (index, text) in enumerated() {
            all += index == 0 ? text : separator + text
        }
        return all
    }
}
