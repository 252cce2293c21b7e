import Annotations
import TestSupport
import Testing

@Suite("Base64url: one text for each value")
struct Base64URLTests {
    @Test(
        "The vectors of RFC 4648 section 10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) {
        #expect(Base64URL.encode(plain.utf8) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test func theTwoLettersOfItsOwn() {
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.decode("-_8") == [0xFB, 0xFF])
    }

    @Test(
        "Padding, the other alphabet, blanks, lone letters, bits left over",
        arguments: [
            "Zg==", "Zm8=", "+/8", "Zm9v\n", " Zm9v", "Z", "A", "Zm9vY", "Zm9vA", "Zh", "Zm9", "Zm9vé", "Zm9v.",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func randomBytesComeBackAndNoOtherTextGivesThem() {
        var random = SeededRandom(seed: 3)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            for letter in "AQgw_" where !text.isEmpty {
                let other = text.dropLast() + String(letter)
                if other != text { #expect(Base64URL.decode(other) != bytes) }
            }
        }
    }
}

@Suite("Base64, padded")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 section 10, and others",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{1B}]\u{7}", "G10H"), ("é漢", "w6nmvKI="),
        ])
    func vectors(plain: String, text: String) {
        #expect(Base64.encode(plain.utf8) == text)
        #expect(Base64.encodeBytes(plain.utf8) == Array(text.utf8))
        #expect(Base64.decode(text) == Array(plain.utf8))
    }

    @Test(
        "Missing padding, too much of it, the other alphabet, blanks, bits left over",
        arguments: ["Zg", "Zg=", "Z===", "====", "Zm9v====", "-_8=", "Zm9v\n", " Zm9", "Zh==", "Zm9=", "Zg=a", "=Zg="])
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
