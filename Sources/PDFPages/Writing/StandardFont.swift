import Annotations

/// One of the fonts that every reader has.
struct StandardFont {
    let name: String
    private let isMonospaced: Bool
    private let widths: [Int]
    /// Width of a letter outside ASCII relative to Helvetica.
    private let stretch: Double

    /// In font sizes: from the top of a line to its baseline, and from line to line.
    static let ascent = 0.93
    static let leading = 1.16

    /// - Parameters:
    ///   - wish: a font name of Instant JSON or of a default appearance, such as `TiRo`; unknown ones become Helvetica.
    ///   - bold, italic: in addition to what the name says.
    init(_ wish: String, bold: Bool = false, italic: Bool = false) {
        let letters = wish.lowercased()
        isMonospaced = letters.begins(with: "cour") || letters.contains(scalars: "mono") || letters.begins(with: "cobo")
        let isBold = bold || letters.contains(scalars: "bold") || ["hebo", "tibo", "cobo"].contains(letters)
        let isItalic = italic || letters.contains(scalars: "italic") || letters.contains(scalars: "oblique")
        let isSerif = ["times", "georgia", "tiro", "tibo", "garamond", "cambria"].contains { letters.begins(with: $0) }
        stretch = isSerif ? 0.95 : isBold ? 1.06 : 1
        switch (isMonospaced, isSerif) {
        case (true, _):
            widths = []
            name = "Courier" + Self.suffix(bold: isBold, italic: isItalic, "Oblique")
        case (_, true):
            widths = isBold ? Self.timesBold : Self.times
            let suffix = Self.suffix(bold: isBold, italic: isItalic, "Italic")
            name = "Times" + (suffix.isEmpty ? "-Roman" : suffix)
        default:
            widths = isBold ? Self.helveticaBold : Self.helvetica
            name = "Helvetica" + Self.suffix(bold: isBold, italic: isItalic, "Oblique")
        }
    }

    private static func suffix(bold: Bool, italic: Bool, _ slant: String) -> String {
        let parts = (bold ? "Bold" : "") + (italic ? slant : "")
        return parts.isEmpty ? "" : "-" + parts
    }

    func width(_ letters: some Sequence<UInt8>, size: Double) -> Double {
        letters.reduce(0) { $0 + width(of: $1) } * size / 1000
    }

    /// In thousandths of the font size.
    func width(of letter: UInt8) -> Double {
        if isMonospaced { return 600 }
        switch letter {
        case 0x20...0x7E: return Double(widths[Int(letter) - 0x20])
        // Accented letters are about as wide as plain ones, which is exact enough for line breaks.
        case 0x85, 0x89, 0x97, 0x99, 0xC6: return 1000 * stretch
        case 0x8C, 0x9C: return 950 * stretch
        case 0xC0...0xDD: return 700 * stretch
        case 0x82, 0x8B, 0x91, 0x92, 0x9B, 0xA1, 0xEC...0xEF: return 270 * stretch
        case 0x84, 0x93, 0x94, 0x95: return 340 * stretch
        default: return 556 * stretch
        }
    }

    /// Widths of the characters from space to tilde in thousandths of the font size (Adobe's metrics).
    private static let helvetica: [Int] = [
        278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
        556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667,
        556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556,
        556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722,
        500, 500, 500, 334, 260, 334, 584,
    ]
    private static let helveticaBold: [Int] = [
        278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556,
        556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722,
        611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556, 333, 556,
        611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778,
        556, 556, 500, 389, 280, 389, 584,
    ]
    private static let times: [Int] = [
        250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500,
        500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722,
        611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444,
        500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722,
        500, 500, 444, 480, 200, 480, 541,
    ]
    private static let timesBold: [Int] = [
        250, 333, 555, 500, 500, 1000, 833, 278, 333, 333, 500, 570, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500,
        500, 500, 500, 500, 333, 333, 570, 570, 570, 500, 930, 722, 667, 722, 722, 667, 611, 778, 778, 389, 500, 778,
        667, 944, 722, 778, 611, 778, 722, 556, 667, 722, 722, 1000, 722, 722, 667, 333, 278, 333, 581, 500, 333, 500,
        556, 444, 556, 444, 333, 500, 556, 278, 333, 556, 278, 833, 556, 500, 556, 556, 444, 389, 333, 556, 500, 722,
        500, 500, 444, 394, 220, 394, 520,
    ]
}

/// The character set of the standard fonts (ISO 32000-1, annex D.2).
enum WinAnsi {
    /// Returns nil for text with other characters. Tabs become spaces; other controls except line feeds are dropped.
    static func bytes(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x20...0x7E, 0xA0...0xFF: bytes.append(UInt8(scalar.value))
            case 0x0D, 0..<0x20, 0x7F...0x9F: if scalar == "\t" { bytes.append(0x20) }
            default:
                guard let byte = others[scalar] else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static let others: [Unicode.Scalar: UInt8] = [
        "€": 0x80, "‚": 0x82, "ƒ": 0x83, "„": 0x84, "…": 0x85, "†": 0x86, "‡": 0x87, "ˆ": 0x88, "‰": 0x89, "Š": 0x8A,
        "‹": 0x8B, "Œ": 0x8C, "Ž": 0x8E, "‘": 0x91, "’": 0x92, "“": 0x93, "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97,
        "˜": 0x98, "™": 0x99, "š": 0x9A, "›": 0x9B, "œ": 0x9C, "ž": 0x9E, "Ÿ": 0x9F,
    ]
}
