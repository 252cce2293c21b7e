/// Padded base64 (RFC 4648 section 4), canonical only: one text for each value.
package enum Base64 {
    private static let alphabet = Base64Alphabet("+/")

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: encodeBytes(bytes), as: UTF8.self)
    }

    /// Returns the text as ASCII bytes.
    package static func encodeBytes(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text = alphabet.encode(bytes)
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Returns nil if the text is not base64, or has unused bits that are not 0.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let letters = Array(text.utf8)
        guard letters.count % 4 == 0 else { return nil }
        return alphabet.decode(letters.dropLast(letters.suffix(2).count { $0 == UInt8(ascii: "=") }))
    }
}

/// Base64url without padding (RFC 4648 section 5), canonical only: one text for each value.
package enum Base64URL {
    private static let alphabet = Base64Alphabet("-_")

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: alphabet.encode(bytes), as: UTF8.self)
    }

    package static func decode(_ text: some StringProtocol) -> [UInt8]? { alphabet.decode(text.utf8) }
}

private struct Base64Alphabet: Sendable {
    private static let none: UInt8 = 0xFF

    private let letters: [UInt8]
    /// Indexed by letter.
    private let values: [UInt8]

    /// - Parameter last: The letters for 62 and 63.
    init(_ last: String) {
        letters = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        var values = [UInt8](repeating: Self.none, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        self.values = values
    }

    /// Encodes without padding.
    func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount + 2) / 3 * 4)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(letters[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(letters[Int(bits << (6 - count) & 63)]) }
        return text
    }

    func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value != Self.none else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // 6 left-over bits cannot be a byte; other left-over bits must be 0, else the text is not canonical.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }
}
