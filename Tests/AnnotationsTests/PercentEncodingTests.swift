import Annotations
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b/c?d&e=f+g%", "a%20b%2Fc%3Fd%26e%3Df%2Bg%25"),
        ("é漢", "%C3%A9%E6%BC%A2"),
        ("\0\n", "%00%0A"),
    ])
    func comesBack(plain: String, encoded: String) {
        #expect(PercentEncoding.encode(plain) == encoded)
        #expect(PercentEncoding.decode(encoded) == plain)
    }

    @Test func digitsMayBeOfEitherCaseAndPlusMayBeABlank() {
        #expect(PercentEncoding.decode("%c3%A9+") == "é+")
        #expect(PercentEncoding.decode("a+b%2B", plusIsSpace: true) == "a b+")
    }

    @Test(arguments: ["%", "%4", "%4g", "%G4", "a%", "%C3", "%FF"])
    func refused(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }
}
