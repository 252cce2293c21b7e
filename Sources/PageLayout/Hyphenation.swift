import Annotations
import Screen

/// Rules for words divided at a line end.
enum Hyphenation {
    /// Whether a word continues on the next line: a letter or digit and a hyphen, followed by a letter or digit.
    static func isBroken(after end: [Glyph], before start: [Glyph]) -> Bool {
        guard end.count >= 2, let hyphen = end.last, isHyphen(hyphen), let first = start.first else { return false }
        return end[end.count - 2].isLetterOrDigit && first.isLetterOrDigit
    }

    /// Whether to drop the hyphen when joining the halves. Keep it before a capital or a digit, after an adverb
    /// (`closely-related`) or capitals (`SMT-based`), in a word with another hyphen, and where the page has the
    /// hyphenated word elsewhere.
    static func dropsHyphen(_ end: [Glyph], _ start: [Glyph], elsewhere: Set<String>) -> Bool {
        guard let first = start.first, first.isSmall else { return false }
        let (before, after) = (folded(end.dropLast()), folded(start))
        if elsewhere.contains(before + after) { return true }
        if end.dropLast().allSatisfy({ !$0.isSmall }) { return false }
        if elsewhere.contains(before + "-" + after) || before.ends(with: "ly") { return false }
        return !end.dropLast().contains(where: isHyphen)
    }

    static func isHyphen(_ glyph: Glyph) -> Bool {
        switch glyph.base {
        case "-", "\u{2010}", "\u{2011}": true
        default: false
        }
    }

    /// Returns the letters, digits and hyphens of a word in lower case.
    static func folded(_ word: some Sequence<Glyph>) -> String {
        var text = String.UnicodeScalarView()
        for glyph in word where glyph.isLetterOrDigit || isHyphen(glyph) {
            if glyph.base.isASCII {
                let value = glyph.base.value
                text.append(Unicode.Scalar(0x41...0x5A ~= value ? value + 32 : value) ?? glyph.base)
            } else {
                text += glyph.base.properties.lowercaseMapping.unicodeScalars
            }
        }
        return String(text)
    }
}
