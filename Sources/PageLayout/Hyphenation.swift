import Screen

/// What is known about words that a line end has cut in two.
enum Hyphenation {
    /// Whether a word goes on in the next line: a letter or digit, a hyphen, and a letter or digit to go on with.
    static func isBroken(after end: [Glyph], before start: [Glyph]) -> Bool {
        guard end.count >= 2, let hyphen = end.last, isHyphen(hyphen), let first = start.first else { return false }
        return end[end.count - 2].isLetterOrDigit && first.isLetterOrDigit
    }

    /// Whether the hyphen goes when the two halves are joined. It stays before a capital or a digit, where the page
    /// writes the word with it elsewhere, behind an adverb
    /// (`closely-related`) or capitals (`SMT-based`), and in a word that has another hyphen already.
    static func dropsHyphen(_ end: [Glyph], _ start: [Glyph], elsewhere: Set<String>) -> Bool {
        guard let first = start.first, first.isSmall else { return false }
        let (before, after) = (folded(end.dropLast()), folded(start))
        if elsewhere.contains(before + after) { return true }
        if end.dropLast().allSatisfy({ !$0.isSmall }) { return false }
        if elsewhere.contains(before + "-" + after) || before.hasSuffix("ly") { return false }
        return !end.dropLast().contains(where: isHyphen)
    }

    static func isHyphen(_ glyph: Glyph) -> Bool {
        switch glyph.base {
        case "-", "\u{2010}", "\u{2011}": true
        default: false
        }
    }

    /// The letters and hyphens of a word in small letters, without the punctuation around it.
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
