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

extension String {
    /// The text with visible stand-ins for tabs, line feeds and other controls. The name of a file may contain them, and
    /// a message names it within a line.
    package var onOneLine: String {
        guard utf8.contains(where: { $0 < 0x20 }) else { return self }
        var line = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            line.append(scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) ?? " " : scalar)
        }
        return String(line)
    }

    /// The text as a word of bash, ksh, zsh and POSIX 2024 on one line, `$'a\nb'`; nil if it contains no control
    /// character, so that plain quotation marks do.
    package var escapedForShell: String? {
        guard utf8.contains(where: { $0 < 0x20 }) else { return nil }
        var word = "$'"
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": word += "\\n"
            case "\t": word += "\\t"
            case "'", "\\": word += "\\" + String(scalar)
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 8)
                word += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
            default: word.unicodeScalars.append(scalar)
            }
        }
        return word + "'"
    }
}
