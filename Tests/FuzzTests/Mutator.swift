import TestSupport

/// Damages well-formed input, deterministically for each seed.
struct Mutator {
    var random: SeededRandom
    /// Tokens of the formats: inserting one elsewhere gets further than a random byte.
    private static let words = [
        "{", "}", "[", "]", "\"", "\\u0000", "\\ud800", ":", ",", "null", "true", "-0", "1e999", "9223372036854775808",
        "-9223372036854775809", "0.", "\r\n", "\n\n", "--x", "--x--", "%", "%00", "+", "&", "=", ";", "<", "</", "/>",
        "&#x0;",
        "&#1114112;", "<!--", "<![CDATA[", "]]>", "\u{1b}[", "\u{7}", "\u{202e}", "\u{300}", "é", "日", "😀", "id:",
        "data:",
        "event:", "0 R", "u:", "b:", "D:", "''", "#", "0x", "_", ".",
    ].map { Array($0.utf8) }

    mutating func damaged(_ seeds: [[UInt8]]) -> [UInt8] {
        var bytes = random.pick(seeds)
        for _ in 0...Int.random(in: 0...4, using: &random) { damage(&bytes, seeds) }
        return Array(bytes.prefix(16 << 10))
    }

    private mutating func damage(_ bytes: inout [UInt8], _ seeds: [[UInt8]]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...24, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 2: bytes.insert(contentsOf: random.pick(Self.words), at: place)
        case 3: bytes.replaceSubrange(place..<end, with: random.pick(Self.words))
        case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 5: bytes.removeSubrange(place...)
        case 6:
            // The head of one input and the tail of another.
            let other = random.pick(seeds)
            bytes = bytes[..<place] + other.suffix(Int.random(in: 0...other.count, using: &random))
        default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        }
    }
}
