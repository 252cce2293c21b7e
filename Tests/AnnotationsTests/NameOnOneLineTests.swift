import Testing

@testable import Annotations

/// Names of files in messages.
@Suite struct NameOnOneLineTests {
    @Test(arguments: [
        ("paper.pdf", "paper.pdf"), ("é \u{FFFD}", "é \u{FFFD}"), ("a\nb\tc", "a␊b␉c"), ("a\r\nb", "a␍␊b"),
        ("\u{0}\u{1B}[0m", "␀␛[0m"),
    ]) func aNameStaysOnItsLine(_ name: String, _ shown: String) { #expect(name.onOneLine == shown) }

    @Test(
        arguments: [
            ("paper.pdf", nil), ("it's", nil), ("a\nb", #"$'a\nb'"#), ("it's\t\\", #"$'it\'s\t\\'"#),
            ("\u{1}1", #"$'\0011'"#),
        ] as [(String, String?)]) func aShellReadsItAsItIs(_ name: String, _ word: String?)
    {
        #expect(name.escapedForShell == word)
    }
}
