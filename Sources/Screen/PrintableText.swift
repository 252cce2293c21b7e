/// Text of any number of lines that is safe to write anywhere: to a terminal, a pipe, or a file that is displayed
/// later. None of its characters act on a terminal except line feeds and tabs.
///
/// Commands write only this type. Foreign text becomes printable in one of three ways, depending on its reader:
/// replaced by visible stand-ins (those of ``CleanText``), escaped in JSON, or escaped in XML. Literals are trusted;
/// interpolated values are replaced.
///
/// Unlike ``CleanText``, it preserves what matters only to cell width: emoji sequences, variation selectors, joiners,
/// any number of marks.
package struct PrintableText: Hashable, Sendable {
    package private(set) var string: String

    private init(trusted string: String) { self.string = string }

    package init() { string = "" }

    package init(_ clean: CleanText) { string = clean.string }

    /// Preserves line feeds and tabs; CR LF becomes one line feed.
    package init(replacing text: String) {
        string = Self.isPlain(text) ? text : Self.replacing(text)
    }

    /// Puts text on one line: line ends and tabs become blanks.
    package init(cell text: String) {
        self.init(replacing: String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
    }

    /// Escapes JSON text without changing its value: characters that act on a terminal become `\u` escapes. They can
    /// occur only in strings.
    package init(json text: String) {
        self.init(escaping: text) { scalar in
            scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }.joined()
        }
    }

    /// Escapes an XML document without changing its text: characters that act on a terminal become references. They can
    /// occur only in text and attributes, not in names, comments or CDATA sections. Control characters that XML 1.0
    /// cannot represent are replaced.
    package init(xml text: String) {
        self.init(escaping: text) { scalar in
            if scalar.value < 0x20, let standIn = TextSanitizer.standIn(for: scalar) { return String(standIn) }
            return "&#x\(String(scalar.value, radix: 16, uppercase: true));"
        }
    }

    /// - Parameter style: SGR parameters, such as `31`.
    package func painted(_ style: StaticString) -> PrintableText {
        PrintableText(trusted: "\u{1B}[\(style)m\(string)\u{1B}[0m")
    }

    package static func + (left: PrintableText, right: PrintableText) -> PrintableText {
        PrintableText(trusted: left.string + right.string)
    }

    package static func += (left: inout PrintableText, right: PrintableText) { left.string += right.string }

    // MARK: Characters

    /// A fast path, since most text is printable ASCII.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A || $0 == 0x09 }
    }

    private static func replacing(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\n", previous == "\r" { result.removeLast() }
            previous = scalar
            result.append(standIn(for: scalar) ?? scalar)
        }
        return String(result)
    }

    private static func standIn(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        scalar == "\n" || scalar == "\t" ? nil : TextSanitizer.standIn(for: scalar)
    }

    private init(escaping text: String, as escape: (Unicode.Scalar) -> String) {
        guard !Self.isPlain(text) else {
            string = text
            return
        }
        string = ""
        string.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if Self.standIn(for: scalar) == nil {
                string.unicodeScalars.append(scalar)
            } else {
                string += escape(scalar)
            }
        }
    }
}

extension PrintableText: CustomStringConvertible {
    package var description: String { string }
}

extension PrintableText: ExpressibleByStringInterpolation {
    package init(stringLiteral value: StaticString) { self.init(trusted: "\(value)") }

    package init(stringInterpolation: Interpolation) { self = stringInterpolation.text }

    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = PrintableText()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) { text += PrintableText(stringLiteral: literal) }

        package mutating func appendInterpolation(_ value: PrintableText) { text += value }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            text += PrintableText(replacing: value.description)
        }
    }
}

extension Sequence<PrintableText> {
    package func joined(separator: PrintableText = "") -> PrintableText {
        var all = PrintableText()
        for (index, text) in enumerated() {
            if index > 0 { all += separator }
            all += text
        }
        return all
    }
}
