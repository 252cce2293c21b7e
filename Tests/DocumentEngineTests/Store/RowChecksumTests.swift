import Testing

@testable import SQLite

@Suite("Row checksums") struct RowChecksumTests {
    /// From the tests of the reference implementation.
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)]) func isXXH64(_ text: String, _ hash: UInt64)
    {
        #expect(Array(text.utf8).withUnsafeBytes { XXH64.hash($0, seed: 0) } == hash)
    }

    @Test func everyValueAndItsPlaceCount() {
        let rows: [[SQLValue]] = [
            [], [.null], [.null, .null], [.integer(0)], [.integer(1)], [.text("")], [.text("1")],
            [.text("a"), .text("")], [.text(""), .text("a")], [.text("a"), .null], [.integer(1), .integer(2)],
            [.integer(2), .integer(1)], [.text("é")], [.text("e\u{301}")], [.text("\u{0}")], [.text("\u{0}\u{0}")],
        ]
        #expect(Set(rows.map(RowChecksum.of)).count == rows.count)
    }

    /// Every single flipped bit of texts of many lengths changes the checksum.
    @Test func aFlippedBitChangesIt() {
        for length in [1, 3, 4, 7, 8, 15, 31, 32, 33, 63, 100] {
            var bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            let sum = bytes.withUnsafeBytes { XXH64.hash($0, seed: 7) }
            for place in bytes.indices {
                for bit in 0..<8 {
                    bytes[place] ^= 1 << bit
                    #expect(bytes.withUnsafeBytes { XXH64.hash($0, seed: 7) } != sum)
                    bytes[place] ^= 1 << bit
                }
            }
        }
    }
}
