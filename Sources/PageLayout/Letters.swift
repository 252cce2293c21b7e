import Screen

// The character class of a glyph. ASCII is tested first: most text is ASCII, and Unicode tables are slow.
extension Glyph {
    var isLetter: Bool {
        base.isASCII ? isASCIICapital || isASCIISmall : base.properties.isAlphabetic
    }

    var isDigit: Bool {
        base.isASCII ? 0x30...0x39 ~= base.value : base.properties.numericType == .decimal
    }

    var isLetterOrDigit: Bool { isLetter || isDigit }
    var isSmall: Bool { base.isASCII ? isASCIISmall : base.properties.isLowercase }
    var isCapital: Bool { base.isASCII ? isASCIICapital : base.properties.isUppercase }

    /// A letter of a script with two-cell letters and no spaces. Korean has two-cell letters but also spaces.
    var isWideLetter: Bool { !base.isASCII && width == 2 && !(0xAC00..<0xD7B0).contains(base.value) }

    var isMathematical: Bool {
        base.isASCII ? base == "=" || base == "+" : base.properties.generalCategory == .mathSymbol
    }

    private var isASCIICapital: Bool { 0x41...0x5A ~= base.value }
    private var isASCIISmall: Bool { 0x61...0x7A ~= base.value }
}
