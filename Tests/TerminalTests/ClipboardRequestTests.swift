import Testing

@testable import Terminal

@Suite struct ClipboardRequestTests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("\u{1B}]\u{7}", "G10H"), ("é漢", "w6nmvKI="),
    ])
    func textIsEncoded(text: String, encoded: String) {
        #expect(String(decoding: ClipboardRequest.base64(Array(text.utf8)), as: UTF8.self) == encoded)
    }

    @Test func whatNoTerminalWouldTakeIsNotSent() {
        #expect(ClipboardRequest(String(repeating: "x", count: ClipboardRequest.limit)) != nil)
        #expect(ClipboardRequest(String(repeating: "x", count: ClipboardRequest.limit + 1)) == nil)
    }
}
