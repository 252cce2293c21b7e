import Screen

/// Words of right-to-left scripts.
///
/// `pdftotext -bbox-layout` outputs the letters of a word in visual order, from left to right. Words are stored in
/// reading order, so these are reversed on input; the terminal receives no bidi controls.
enum RightToLeft {
    /// Whether any letter belongs to such a script.
    static func isWritten(_ word: some Sequence<Glyph>) -> Bool {
        word.contains { glyph in
            switch glyph.base.value {
            case 0..<0x590: false
            case 0x590..<0x900, 0xFB1D..<0xFE00, 0xFE70..<0xFF00, 0x10800..<0x11000, 0x1E800..<0x1F000: true
            default: false
            }
        }
    }

    /// Converts a word from visual to reading order. Numbers and Latin letters within it keep their order; brackets are
    /// mirrored.
    static func readingOrder(_ shown: [Glyph]) -> [Glyph] {
        var result: [Glyph] = []
        var leftToRight: [Glyph] = []
        for glyph in shown.reversed() {
            if glyph.isDigit || (glyph.isLetter && !isWritten(CollectionOfOne(glyph))) {
                leftToRight.append(glyph)
            } else {
                result += leftToRight.reversed()
                leftToRight = []
                result.append(mirrored[glyph] ?? glyph)
            }
        }
        return result + leftToRight.reversed()
    }

    private static let mirrored: [Glyph: Glyph] = {
        let pairs = ["()", "[]", "{}", "<>", "\u{AB}\u{BB}"]
        let both = pairs.map { Array(CleanText(cleaning: $0).glyphs) }
        return Dictionary(uniqueKeysWithValues: both.flatMap { [($0[0], $0[1]), ($0[1], $0[0])] })
    }()
}
