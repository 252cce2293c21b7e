import Screen

// What kind of character a glyph is. ASCII first: most text is, and the tables of Unicode take their time.
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

    /// A letter of a script that takes two cells and no spaces. Korean takes two cells but does have spaces.
    var isWideLetter: Bool { !base.isASCII && width == 2 && !(0xAC00..<0xD7B0).contains(base.value) }

    var isMathematical: Bool {
        base.isASCII ? base == "=" || base == "+" : base.properties.generalCategory == .mathSymbol
    }

    private var isASCIICapital: Bool { 0x41...0x5A ~= base.value }
    private var isASCIISmall: Bool { 0x61...0x7A ~= base.value }
}
