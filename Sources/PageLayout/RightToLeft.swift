import Screen

/// Words of scripts that are written from right to left.
///
/// `pdftotext -bbox-layout` gives the letters of a word as they stand on the page, from left to right. Everything here
/// is kept as it is read, so such words are turned round on the way in; the terminal gets no bidi controls.
enum RightToLeft {
    /// Whether any of the letters is of such a script.
    static func isWritten(_ word: some Sequence<Glyph>) -> Bool {
        word.contains { glyph in
            switch glyph.base.value {
            case 0..<0x590: false
            case 0x590..<0x900, 0xFB1D..<0xFE00, 0xFE70..<0xFF00, 0x10800..<0x11000, 0x1E800..<0x1F000: true
            default: false
            }
        }
    }

    /// The letters of a word in the order they are read, given the order they stand in. Numbers and Latin letters
    /// within keep theirs; a bracket is the one that opens for the reader.
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
