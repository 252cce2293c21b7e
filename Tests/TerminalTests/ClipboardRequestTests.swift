import Screen
import Testing

@testable import Terminal

@Suite struct ClipboardRequestTests {
    @Test func textIsEncoded() {
        #expect(ClipboardRequest(LeavingText("two\n"))?.bytes == Array("\u{1B}]52;c;dHdvCg==\u{7}".utf8))
    }

    /// Pasted into a shell, it would end the paste and run the rest.
    @Test func theEndOfAPasteIsNotCopied() {
        let bytes = ClipboardRequest(LeavingText("a\u{1B}[201~\nb"))?.bytes
        #expect(bytes == Array("\u{1B}]52;c;YVsyMDF+CmI=\u{7}".utf8))
    }

    @Test func whatNoTerminalWouldTakeIsNotSent() {
        #expect(ClipboardRequest(LeavingText(String(repeating: "x", count: ClipboardRequest.limit))) != nil)
        #expect(ClipboardRequest(LeavingText(String(repeating: "x", count: ClipboardRequest.limit + 1))) == nil)
    }
}
