/// Converts any text to text for the terminal. Characters with an effect instead of an appearance get a visible
/// stand-in of one column, so nothing is hidden and nothing moves:
///
/// | in the text | shown as |
/// |---|---|
/// | control characters U+0000 to U+001F and U+007F | their pictures, U+2400 to U+2421 |
/// | bidi controls, zero-width and other format characters | ␦ (U+2426) |
/// | U+0080 to U+009F, private, unassigned, line and paragraph separators | � (U+FFFD) |
/// | a mark without a base | on ◌ (U+25CC) |
/// | more than four marks on one base | the first four |
/// | a flag | its two letters |
/// | emoji joined or tinted | the separate emoji, untinted |
/// | variation selectors | removed: terminals disagree about their width |
enum TextSanitizer {
    /// Returns the width if `text` is printable ASCII, as most text is; nil if it needs cleaning.
    static func widthIfPlain(_ text: String) -> Int? {
        var count = 0
        for byte in text.utf8 {
            guard byte >= 0x20, byte < 0x7F else { return nil }
            count += 1
        }
        return count
    }

    static func clean(_ text: String) -> CleanText {
        var shown = String.UnicodeScalarView()
        var width = 0
        var marks = 0
        var hasBase = false
        var previous: Unicode.Scalar = " "
        var joiner = false

        func show(_ scalar: Unicode.Scalar, width columns: Int) {
            shown.append(scalar)
            width += columns
            marks = 0
            hasBase = true
        }

        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            if joiner {
                joiner = false
                if !scalar.properties.isEmoji { show(formatSymbol, width: 1) }
            }
            switch meaning(of: scalar) {
            case .shows:
                show(scalar, width: TextWidth.of(scalar))
            case .marks:
                if !hasBase { show(markBase, width: 1) }
                guard marks < Glyph.maximumMarks else { continue }
                marks += 1
                shown.append(scalar)
            case .isReplaced(let symbol):
                show(symbol, width: 1)
            case .joins where isPicture(previous):
                joiner = true
            case .joins:
                show(formatSymbol, width: 1)
            case .tints where isPicture(previous):
                continue
            case .tints:
                show(scalar, width: TextWidth.of(scalar))
            case .isLeftOut:
                continue
            }
        }
        if joiner { show(formatSymbol, width: 1) }
        return CleanText(alreadyClean: String(shown), width: width)
    }

    /// Returns the replacement of a character that acts on a terminal or on adjacent text; nil for others.
    ///
    /// Format characters used in spelling words and emoji have no such effect: the soft hyphen and both joiners.
    static func standIn(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x20..<0x7F: return nil
        case 0..<0x20: return Unicode.Scalar(0x2400 + scalar.value)
        case 0x7F: return "\u{2421}"
        case 0x80..<0xA0, 0x2028, 0x2029: return unknownSymbol
        case 0xA0..<0x300, 0x200C, 0x200D: return nil
        default: break
        }
        guard scalar.properties.generalCategory == .format else { return nil }
        return scalar.properties.isDefaultIgnorableCodePoint || (0xFFF9...0xFFFB).contains(scalar.value)
            ? formatSymbol : nil
    }

    private enum Meaning {
        case shows, marks, joins, tints, isLeftOut
        case isReplaced(Unicode.Scalar)
    }

    private static let formatSymbol: Unicode.Scalar = "\u{2426}"
    private static let unknownSymbol: Unicode.Scalar = "\u{FFFD}"
    private static let markBase: Unicode.Scalar = "\u{25CC}"

    private static func meaning(of scalar: Unicode.Scalar) -> Meaning {
        switch scalar.value {
        case 0x20..<0x7F: return .shows
        case 0..<0xA0: return .isReplaced(standIn(for: scalar) ?? unknownSymbol)
        case 0xA0: return .isReplaced(" ")
        case 0xAD: return .isReplaced(formatSymbol)
        case 0xA1..<0x300: return .shows
        case 0x200D: return .joins
        case 0x1F3FB...0x1F3FF: return .tints
        case 0x1F1E6...0x1F1FF: return .isReplaced(Unicode.Scalar(0x41 + scalar.value - 0x1F1E6) ?? unknownSymbol)
        // Invisible characters that Unicode classifies as letters: the Hangul fillers, but not the Braille blank.
        case 0x115F, 0x1160, 0x3164, 0xFFA0: return .isReplaced(formatSymbol)
        default: break
        }
        if scalar.properties.isVariationSelector { return .isLeftOut }
        if TextWidth.isMark(scalar) { return .marks }
        switch scalar.properties.generalCategory {
        case .format: return .isReplaced(formatSymbol)
        case .spaceSeparator: return scalar.value == 0x3000 ? .shows : .isReplaced(" ")
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return .isReplaced(unknownSymbol)
        default: return .shows
        }
    }

    /// Whether an emoji joiner or skin tone can belong to this scalar.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0xFF && (scalar.properties.isEmoji || scalar.properties.isVariationSelector)
    }
}
