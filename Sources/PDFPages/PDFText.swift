/// Text strings of a PDF (ISO 32000-2, 7.9.2.2): UTF-16, UTF-8 or PDFDocEncoding, by their first bytes.
enum PDFText {
    static func decode(_ bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if bytes.starts(with: [0xFE, 0xFF]) { return withoutLanguages(utf16(bytes, isBigEndian: true)) }
        // Not in the standard, but written by some programs.
        if bytes.starts(with: [0xFF, 0xFE]) { return withoutLanguages(utf16(bytes, isBigEndian: false)) }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return withoutLanguages(String(decoding: bytes.dropFirst(3), as: UTF8.self))
        }
        var result = String.UnicodeScalarView()
        for byte in bytes { result.append(documentEncoding[byte] ?? Unicode.Scalar(byte)) }
        return String(result)
    }

    /// Half of a unit at the end has no meaning.
    private static func utf16(_ bytes: [UInt8], isBigEndian: Bool) -> String {
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Removes language codes, which qpdf leaves in what it decodes itself: two or four letters between two escape characters.
    private static func withoutLanguages(_ text: String) -> String {
        let escape: Unicode.Scalar = "\u{1B}"
        guard text.unicodeScalars.contains(escape) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let start = rest.firstIndex(of: escape) {
            result += rest[..<start]
            rest = rest[start...]
            let code = rest.dropFirst().prefix { $0.properties.isAlphabetic && $0.isASCII }
            if code.count == 2 || code.count == 4, code.endIndex < rest.endIndex, rest[code.endIndex] == escape {
                rest = rest[rest.index(after: code.endIndex)...]
            } else {
                result.append(rest.removeFirst())
            }
        }
        return String(result + rest)
    }

    /// Where PDFDocEncoding differs from Latin-1 (ISO 32000-2, annex D.3).
    private static let documentEncoding: [UInt8: Unicode.Scalar] = {
        let accents = zip(UInt8(0x18)..., "˘ˇˆ˙˝˛˚˜".unicodeScalars)
        let others = zip(UInt8(0x80)..., "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž".unicodeScalars)
        return Dictionary(uniqueKeysWithValues: Array(accents) + Array(others) + [(0xA0, "€")])
    }()
}
