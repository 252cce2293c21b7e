import Annotations

/// Reads one object from qpdf's JSON.
///
/// PDF types that JSON lacks are strings with a mark: `/Name`, `u:text`, `b:6869` (bytes in hexadecimal), `12 0 R`. The
/// tool's output is hostile too: depth is limited, and malformed input gives nil.
struct PDFObjectReader {
    static let maxDepth = 64

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func object(depth: Int = 0) -> PDFObject? {
        guard depth < Self.maxDepth, let first = peek() else { return nil }
        switch first {
        case UInt8(ascii: "{"): return dictionary(depth)
        case UInt8(ascii: "["): return array(depth)
        case UInt8(ascii: "\""): return text().map { Self.meaning(of: $0[...]) }
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
        default: return number()
        }
    }

    /// Returns what a string with its mark stands for. The mark is bytes: the text after it may begin with a combining
    /// character.
    static func meaning(of text: ArraySlice<UInt8>) -> PDFObject {
        func after(_ mark: String) -> ArraySlice<UInt8>? {
            text.starts(with: mark.utf8) ? text.dropFirst(mark.utf8.count) : nil
        }
        if let name = after("/") ?? after("n:/") { return .name(String(decoding: name, as: UTF8.self)) }
        if let words = after("u:") { return .string(String(decoding: words, as: UTF8.self)) }
        if let digits = after("b:") { return .string(words(hexadecimal: digits)) }
        return ObjectID(Substring(decoding: text, as: UTF8.self)).map(PDFObject.reference) ?? .null
    }

    /// qpdf prints strings as bytes unless they are UTF-16 or UTF-8 with a mark, or ASCII.
    private static func words(hexadecimal digits: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = digit.hexadecimalValue else { break }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return PDFText.decode(bytes)
    }

    private mutating func dictionary(_ depth: Int) -> PDFObject? {
        var result: [String: PDFObject] = [:]
        rest.removeFirst()
        while let next = peek(), next != UInt8(ascii: "}") {
            guard let key = text(), take(":"), let value = object(depth: depth + 1) else { return nil }
            let name = key.first == UInt8(ascii: "/") ? key.dropFirst() : key[...]
            result[String(decoding: name, as: UTF8.self)] = value
            guard take(",") || peek() == UInt8(ascii: "}") else { return nil }
        }
        return take("}") ? .dictionary(result) : nil
    }

    private mutating func array(_ depth: Int) -> PDFObject? {
        var result: [PDFObject] = []
        rest.removeFirst()
        while let next = peek(), next != UInt8(ascii: "]") {
            guard let value = object(depth: depth + 1) else { return nil }
            result.append(value)
            guard take(",") || peek() == UInt8(ascii: "]") else { return nil }
        }
        return take("]") ? .array(result) : nil
    }

    private mutating func number() -> PDFObject? {
        let digits = rest.prefix {
            $0 == UInt8(ascii: ".") || Character(Unicode.Scalar($0)).isNumber || "+-eE".utf8.contains($0)
        }
        rest = rest[digits.endIndex...]
        return Double(String(decoding: digits, as: UTF8.self)).map(PDFObject.number)
    }
}

// MARK: - JSON tokens
extension PDFObjectReader {
    private mutating func peek() -> UInt8? {
        rest = rest.drop { $0 <= UInt8(ascii: " ") }
        return rest.first
    }

    private mutating func take(_ word: String) -> Bool {
        guard peek() != nil, rest.starts(with: word.utf8) else { return false }
        rest = rest.dropFirst(word.utf8.count)
        return true
    }

    /// Returns the bytes of a string.
    private mutating func text() -> [UInt8]? {
        guard take("\"") else { return nil }
        var bytes: [UInt8] = []
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
            bytes += rest[..<end]
            let mark = rest[end]
            rest = rest[(end + 1)...]
            if mark == UInt8(ascii: "\"") { return bytes }
            guard let character = escaped() else { return nil }
            bytes += Array(String(character).utf8)
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        guard let letter = rest.popFirst() else { return nil }
        switch letter {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "u"):
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            guard let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
            // qpdf writes UTF-8 and escapes only control characters, so half of a surrogate pair has no meaning.
            return Unicode.Scalar(unit) ?? "\u{fffd}"
        default: return Unicode.Scalar(letter)
        }
    }
}
