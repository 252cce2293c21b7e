extension JSONReader {
    /// Reads a string. Text without an escape is copied in one piece.
    package mutating func string() throws(JSONError) -> String {
        let found = try quoted()
        return found.isEscaped ? try unescape(found.range) : try text(found)
    }

    mutating func skipString() throws(JSONError) {
        let found = try quoted()
        if found.isEscaped { _ = try unescape(found.range) } else if !found.isASCII { _ = try text(found) }
    }

    /// The text between two quotes.
    private struct Quoted {
        var range: Range<Int>
        /// Whether it contains a backslash.
        var isEscaped: Bool
        var isASCII: Bool
    }

    private mutating func quoted() throws(JSONError) -> Quoted {
        guard case .string = try peek() else { throw error(.wrongType("a string")) }
        let start = offset + 1
        var index = start
        var isEscaped = false
        var all: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                advance(to: index + 1)
                return Quoted(range: start..<index, isEscaped: isEscaped, isASCII: all < 0x80)
            case UInt8(ascii: "\\"):
                isEscaped = true
                index += 2
            case 0..<0x20: throw JSONError(.controlCharacter, at: index)
            default:
                all |= byte
                index += 1
            }
        }
        throw JSONError(.unexpectedEnd, at: bytes.count)
    }

    private func text(_ found: Quoted) throws(JSONError) -> String {
        // Validating costs several times as much as decoding; ASCII cannot be invalid.
        if found.isASCII { return String(decoding: bytes[found.range], as: UTF8.self) }
        guard let text = String(validating: bytes[found.range], as: UTF8.self) else { throw error(.invalidUTF8) }
        return text
    }

    private func unescape(_ range: Range<Int>) throws(JSONError) -> String {
        var plain: [UInt8] = []
        plain.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            guard bytes[index] == UInt8(ascii: "\\") else {
                plain.append(bytes[index])
                index += 1
                continue
            }
            let escape = bytes[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain.append(escape)
            case UInt8(ascii: "b"): plain.append(0x08)
            case UInt8(ascii: "f"): plain.append(0x0C)
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "r"): plain.append(0x0D)
            case UInt8(ascii: "t"): plain.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = try unicodeEscape(&index, before: range.upperBound)
                plain.append(contentsOf: Array(String(scalar).utf8))
            default: throw JSONError(.badEscape, at: index - 1)
            }
        }
        guard let text = String(validating: plain, as: UTF8.self) else {
            throw JSONError(.invalidUTF8, at: range.lowerBound)
        }
        return text
    }

    /// Reads four hex digits, or two escapes that form a surrogate pair (RFC 8259 section 7).
    private func unicodeEscape(_ index: inout Int, before end: Int) throws(JSONError) -> Unicode.Scalar {
        let start = index
        let first = try hex4(&index, before: end)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, index + 1 < end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { throw JSONError(.loneSurrogate, at: start) }
        index += 2
        let second = try hex4(&index, before: end)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONError(.loneSurrogate, at: start) }
        return scalar
    }

    private func hex4(_ index: inout Int, before end: Int) throws(JSONError) -> UInt32 {
        guard index + 4 <= end else { throw JSONError(.badEscape, at: index) }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = byte.hexadecimalValue else { throw JSONError(.badEscape, at: index) }
            value = value << 4 | UInt32(digit)
        }
        index += 4
        return value
    }
}
