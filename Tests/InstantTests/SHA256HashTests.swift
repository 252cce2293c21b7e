import Annotations
import CSHA256
import Crypto
import TestSupport
import Testing

@testable import Instant

/// The library's own SHA-256, compared with the standard's examples and with swift-crypto's.
@Suite(.serialized)
struct SHA256HashTests {
    /// FIPS 180-4's examples, as published by NIST.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func examples(text: String, hash: String) {
        withAndWithoutInstructions { #expect(SHA256Hash(of: text.utf8).digest.hexadecimal == hash, "\($0)") }
    }

    @Test("Every length around the block's, and one MB, in one piece")
    func lengths() {
        var random = SeededRandom(seed: 80)
        for length in Array(0...260) + [1 << 20] {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let expected = Array(SHA256.hash(data: bytes))
            withAndWithoutInstructions { #expect(SHA256Hash(of: bytes).digest == expected, "\(length) bytes, \($0)") }
        }
    }

    @Test("Pieces of any size give the same, and reading the hash changes nothing", arguments: 1...20)
    func pieces(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<2000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var sizes: [Int] = []
        while sizes.reduce(0, +) < bytes.count { sizes.append(Int.random(in: 0...150, using: &random)) }
        withAndWithoutInstructions { how in
            var (hash, start) = (SHA256Hash(), 0)
            for size in sizes {
                let end = min(start + size, bytes.count)
                hash.add(bytes[start..<end])
                start = end
                #expect(hash.digest == Array(SHA256.hash(data: bytes[..<end])), "seed \(seed), \(end) bytes, \(how)")
            }
        }
    }

    /// Runs the body with the processor's instructions, where it has them, and with portable code.
    private func withAndWithoutInstructions(_ body: (String) -> Void) {
        defer { csha256_use_instructions(1) }
        for (use, name) in [(1, "instructions"), (0, "portable")] as [(Int32, String)] {
            csha256_use_instructions(use)
            body(name)
        }
    }
}
