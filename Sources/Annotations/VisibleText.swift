extension Unicode.Scalar {
    /// Whether the character acts or hides instead of being seen: the controls C0, DEL and C1, line and paragraph
    /// separators, and format characters, which include bidi controls, zero-width characters and U+FEFF (Unicode
    /// categories Cc, Cf, Zl, Zp).
    package var isInvisible: Bool {
        switch value {
        case 0x20..<0x7F: return false
        case 0..<0xA0: return true
        default: break
        }
        switch properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}

extension String {
    /// Whether no character is invisible, as required of new ids of records, documents, layers and users. Otherwise two
    /// ids could look the same, or an id could rearrange the line that shows it.
    ///
    /// Stored ids stay valid, whatever they contain.
    package var isVisible: Bool {
        utf8.allSatisfy { (0x20..<0x7F).contains($0) } || !unicodeScalars.contains(where: \.isInvisible)
    }

    /// The text with each invisible character as an escape of JSON, `\u202e`. The value of a JSON text does not change,
    /// because these characters occur only in its strings.
    package var escapingInvisible: String {
        guard !isVisible else { return self }
        var escaped = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard scalar.isInvisible else {
                escaped.append(scalar)
                continue
            }
            for unit in scalar.utf16 {
                let digits = String(unit, radix: 16)
                escaped += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".unicodeScalars
            }
        }
        return String(escaped)
    }
}
