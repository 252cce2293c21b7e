/// A short text that represents a longer one: FNV-1a, two 64-bit hashes with different offsets.
///
/// Not for secrets and not forgery-resistant. It distinguishes a repeated change from a different one with the same
/// number, and one view scope from another. The scope itself, never its fingerprint, decides what a view may see.
package enum Fingerprint {
    package static func of(_ text: String) -> String { of(Array(text.utf8)) }

    /// - Parameter text: UTF-8 bytes.
    package static func of(_ text: [UInt8]) -> String {
        var one: UInt64 = 0xCBF2_9CE4_8422_2325
        var other: UInt64 = 0x6C62_272E_07BB_0142
        for byte in text {
            one = (one ^ UInt64(byte)) &* 0x100_0000_01B3
            other = (other ^ UInt64(byte &+ 0x5D)) &* 0x100_0000_01B3
        }
        return hex(one) + hex(other)
    }

    package static func hex(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * place)) & 0xF
                digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 16
        }
    }
}
