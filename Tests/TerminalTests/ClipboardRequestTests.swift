import Testing

@testable import Terminal

@Suite struct ClipboardRequestTests {
    @Test func textIsEncoded() {
        #expect(ClipboardRequest("\u{1B}]\u{7}")?.bytes == Array("\u{1B}]52;c;G10H\u{7}".utf8))
    }

    @Test func whatNoTerminalWouldTakeIsNotSent() {
        #expect(ClipboardRequest(String(repeating: "x", count: ClipboardRequest.limit)) != nil)
        #expect(ClipboardRequest(String(repeating: "x", count: ClipboardRequest.limit + 1)) == nil)
    }
}
