/// Identifiers for new records: 48 bits of time and 80 random bits in 26 characters of Crockford's base 32, so that
/// later ids sort later and those of two clients do not collide (ULID specification).
package enum ULID {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    package static func make(at moment: Timestamp, using random: inout some RandomNumberGenerator) -> Record.ID {
        let time = UInt64(clamping: moment.milliseconds) & 0xFFFF_FFFF_FFFF
        var text: [UInt8] = []
        text.reserveCapacity(26)
        for digit in (0..<10).reversed() { text.append(alphabet[Int(time >> (UInt64(digit) * 5)) & 31]) }
        for _ in 0..<2 {
            var bits = random.next()
            for _ in 0..<8 {
                text.append(alphabet[Int(bits & 31)])
                bits >>= 5
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the creation time of a ULID; nil if the text is not one.
    package static func moment(of id: Record.ID) -> Timestamp? {
        guard id.utf8.count == 26 else { return nil }
        var time: Int64 = 0
        for digit in id.utf8.prefix(10) {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            time = time << 5 | Int64(value)
        }
        return Timestamp(milliseconds: time)
    }
}
