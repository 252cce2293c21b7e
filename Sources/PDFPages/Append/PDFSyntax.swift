import Annotations

/// Converts an object of qpdf's JSON to PDF syntax (ISO 32000-2, 7.3), byte by byte, so that nothing of it is lost:
/// names need not be UTF-8, and numbers keep their digits.
struct PDFSyntax {
    private var rest: ArraySlice<UInt8>
    private(set) var bytes: [UInt8] = []
    /// Whether each open bracket is a dictionary.
    private var open: [Bool] = []

    private static let maxDepth = 512

    /// - Returns: nil if the text is not an object in qpdf's JSON, or is nested too deeply.
    static func text(_ json: ArraySlice<UInt8>) -> [UInt8]? {
        var writer = PDFSyntax(rest: json)
        guard writer.value() else { return nil }
        writer.skipSpace()
        return writer.rest.isEmpty ? writer.bytes : nil
    }

    private init(rest: ArraySlice<UInt8>) { self.rest = rest }

    /// Writes one value, without recursion.
    private mutating func value() -> Bool {
        repeat {
            skipSpace()
            guard let first = rest.first else { return false }
            if let isDictionary = open.last, first == UInt8(ascii: isDictionary ? "}" : "]") {
                rest.removeFirst()
                open.removeLast()
                bytes += (isDictionary ? ">>" : "]").utf8
                guard endItem() else { return false }
                continue
            }
            if open.last == true {
                guard let key = string(), key.first == UInt8(ascii: "/"), take(":") else { return false }
                name(key.dropFirst())
                skipSpace()
            }
            switch rest.first {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < Self.maxDepth else { return false }
                let isDictionary = rest.removeFirst() == UInt8(ascii: "{")
                open.append(isDictionary)
                bytes += (isDictionary ? "<<" : "[").utf8
                continue
            case UInt8(ascii: "\""):
                guard let text = string(), string(text) else { return false }
            default: guard word() else { return false }
            }
            guard endItem() else { return false }
        } while !open.isEmpty
        return true
    }

    /// After an item of an array or dictionary: a comma, or the end.
    private mutating func endItem() -> Bool {
        guard let isDictionary = open.last else { return true }
        skipSpace()
        return take(",") || rest.first == UInt8(ascii: isDictionary ? "}" : "]")
    }

    // MARK: Strings of qpdf's JSON

    private mutating func string(_ text: [UInt8]) -> Bool {
        if text.first == UInt8(ascii: "/") {
            name(text.dropFirst())
        } else if text.starts(with: "n:/".utf8) {
            // Already in PDF syntax, because it is not UTF-8.
            guard text.dropFirst(3).allSatisfy({ Self.isRegular($0) }) else { return false }
            bytes += text.dropFirst(2)
        } else if text.starts(with: "u:".utf8) {
            words(text.dropFirst(2))
        } else if text.starts(with: "b:".utf8) {
            let digits = text.dropFirst(2)
            guard digits.count % 2 == 0, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return false }
            bytes += "<".utf8 + digits + ">".utf8
        } else {
            guard let id = ObjectID(Substring(decoding: text, as: UTF8.self)) else { return false }
            separate()
            bytes += id.text.utf8
        }
        return true
    }

    private mutating func name(_ name: ArraySlice<UInt8>) {
        bytes.append(UInt8(ascii: "/"))
        for byte in name {
            if Self.isRegular(byte), byte != UInt8(ascii: "#") {
                bytes.append(byte)
            } else {
                bytes += "#\([byte].hexadecimal)".utf8
            }
        }
    }

    /// Writes a text: as ASCII where possible, otherwise as UTF-16 (7.9.2.2).
    private mutating func words(_ text: ArraySlice<UInt8>) {
        let isPlain = text.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard isPlain else {
            let units = String(decoding: text, as: UTF8.self).utf16
            bytes += "<feff".utf8
            for unit in units { bytes += [UInt8(unit >> 8), UInt8(unit & 255)].hexadecimal.utf8 }
            bytes.append(UInt8(ascii: ">"))
            return
        }
        bytes.append(UInt8(ascii: "("))
        for byte in text {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: ")"))
    }

    /// Writes a number, `true`, `false` or `null`.
    private mutating func word() -> Bool {
        let word = rest.prefix { Self.isRegular($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ":") }
        rest = rest[word.endIndex...]
        let isNumber = word.contains { $0.isDigit } && word.allSatisfy { $0.isDigit || "+-.".utf8.contains($0) }
        separate()
        if isNumber || ["true", "false", "null"].contains(where: { word.elementsEqual($0.utf8) }) {
            bytes += word
            return true
        }
        // PDF has no exponents.
        guard let value = Double(String(decoding: word, as: UTF8.self)), value.isFinite else { return false }
        bytes += Decimals.text(value).utf8
        return true
    }

    private mutating func separate() {
        if let last = bytes.last, Self.isRegular(last) || last == UInt8(ascii: ")") { bytes.append(0x20) }
    }

    /// Whether a byte may stand in a name or number (7.2.3).
    private static func isRegular(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"()<>[]{}/%".utf8.contains(byte)
    }
}

// MARK: - JSON tokens
extension PDFSyntax {
    private mutating func skipSpace() { rest = rest.drop { $0 <= 0x20 } }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard rest.first == character.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "\\"):
                guard let escaped = escaped() else { return nil }
                text += escaped
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> [UInt8]? {
        guard let letter = rest.popFirst() else { return nil }
        switch letter {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "u"):
            guard let unit = unit() else { return nil }
            var units = [unit]
            if (0xD800..<0xDC00).contains(unit), rest.starts(with: #"\u"#.utf8) {
                rest = rest.dropFirst(2)
                guard let low = self.unit() else { return nil }
                units.append(low)
            }
            // Half of a surrogate pair becomes the replacement character.
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: return [letter]
        }
    }

    private mutating func unit() -> UInt16? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        guard digits.count == 4, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
