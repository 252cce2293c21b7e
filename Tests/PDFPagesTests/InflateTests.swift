import Testing

@testable import PDFPages

@Suite("Compressed data") struct InflateTests {
    /// A block with codes of its own, as zlib writes it.
    private let compressed: [UInt8] = [
        120, 218, 5, 193, 137, 1, 192, 32, 16, 2, 48, 238, 85, 187, 21, 176, 255, 78, 77, 0, 70, 40, 211, 85, 236, 214,
        140, 119, 137, 163, 184, 206, 199, 250, 212, 240, 4, 55, 133, 114, 52, 115, 84, 235, 62, 156, 171, 125, 198,
        199, 128, 50, 92, 201, 46, 77, 123, 135, 88, 197, 113, 94, 214, 83, 127, 30, 112, 67, 72, 71, 49, 91, 53, 238,
        229, 28, 237, 53, 30, 227, 83, 194, 21, 236, 212, 148, 183, 137, 81, 172, 243, 176, 174, 250, 121, 62, 46, 132,
        112, 36, 179, 84, 237, 30, 206, 106, 143, 113, 25, 79, 249, 185, 192, 14, 77, 122, 139, 104, 197, 56, 151, 117,
        212, 215, 243, 184, 159, 0, 71, 48, 83, 85, 238, 230, 140, 118, 141, 195, 184, 202, 231, 250, 216, 208, 132, 55,
        137, 82, 180, 115, 88, 171, 62, 158, 203, 125, 194, 231, 0, 51, 84, 233, 46, 78, 107, 199, 88, 198, 81, 94, 215,
        99, 127, 26, 120, 131, 72, 69, 57, 155, 53, 234, 245, 28, 238, 21, 158, 227, 99, 66, 21, 238, 228, 148, 182,
        141, 97, 172, 242, 184, 46, 251, 105, 62, 47, 136, 80, 164, 179, 88, 173, 30, 207, 114, 143, 112, 29, 143, 249,
        169, 224, 14, 78, 106, 203, 104, 198, 40, 215, 117, 216, 87, 243, 188, 31, 1, 69, 56, 147, 85, 234, 246, 12,
        119, 133, 227, 184, 204, 167, 250, 220, 224, 132, 54, 141, 98, 180, 114, 92, 203, 62, 154, 235, 125, 196, 167,
        128, 51, 88, 169, 46, 79, 115, 71, 88, 199, 97, 94, 213, 115, 127, 28, 104, 195, 72, 70, 41, 219, 53, 236, 213,
        28, 239, 37, 158, 226, 115, 130, 21, 250, 1, 143, 100, 57, 193,
    ]
    private let plain = (0..<200).flatMap { (index: Int) -> [UInt8] in
        [UInt8(index % 7), UInt8(index % 11), UInt8(65 + index % 3)]
    }

    @Test func eachKindOfBlockIsRead() {
        #expect(Inflate.bytes(of: compressed, limit: 600) == plain)
        let stored: [UInt8] = [0x78, 0x01, 1, 3, 0, 0xFC, 0xFF, 97, 98, 99]
        #expect(Inflate.bytes(of: stored, limit: 9) == Array("abc".utf8))
        let fixed: [UInt8] = [0x78, 0x9C, 0x4B, 0x4C, 0x4A, 0x06, 0]
        #expect(Inflate.bytes(of: fixed, limit: 9) == Array("abc".utf8))
        #expect(Inflate.bytes(of: fixed, limit: 2) == nil && Inflate.bytes(of: stored, limit: 2) == nil)
        #expect(Inflate.bytes(of: compressed, limit: 599) == nil)
    }

    @Test func malformedDataIsRefused() {
        for length in 0..<compressed.count - 5 {
            #expect(Inflate.bytes(of: Array(compressed[..<length]), limit: 1 << 20) == nil, "\(length)")
        }
        for bit in 0..<compressed.count * 8 {
            var damaged = compressed
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect((Inflate.bytes(of: damaged, limit: 5000) ?? []).count <= 5000)
        }
    }
}
