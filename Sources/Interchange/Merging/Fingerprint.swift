/// 128 bits of a text, which name what has no name: the same text must give the same name in each run.
enum Fingerprint {
    static func of(_ text: String) -> String {
        // FNV-1a, from two starts.
        var (one, other): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4)
        for byte in text.utf8 {
            one = (one ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            other = (other ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            other ^= other >> 29
        }
        return [one, other].map { value in
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}
