import Screen
import Testing

/// What leaves as text acts on no terminal and on no shell that it is pasted into, and loses nothing else.
@Suite struct LeavingTextTests {
    @Test(arguments: [
        ("plain\n\ttext", "plain\n\ttext", 0),
        // The end of a bracketed paste, and what follows it.
        ("a\u{1B}[201~\nrm\n", "a[201~\nrm\n", 1),
        ("\u{9B}31m\u{0}\u{7}\u{8}\u{7F}\u{85}x", "31mx", 6),
        ("one\r\ntwo\rthree\u{2028}four\u{2029}five\n\r", "one\ntwo\nthree\nfour\nfive\n\n", 0),
        ("a\u{202E}b\u{202D}c", "abc", 2),
        // Embeddings and marks of direction stay.
        ("\u{202A}a\u{202C}\u{200E}\u{200F}", "\u{202A}a\u{202C}\u{200E}\u{200F}", 0),
        ("\u{2067}balanced\u{2069}", "\u{2067}balanced\u{2069}", 0),
        ("\u{2068}a\u{2066}b\u{2069}", "a\u{2066}b\u{2069}", 1),
        ("a\u{2069}\u{2067}b\nc\u{2069}", "ab\nc", 3),
        // Spelling and emoji.
        (
            "\u{645}\u{6CC}\u{200C}\u{62E} 👩\u{200D}👧 ❤\u{FE0F} e\u{301}",
            "\u{645}\u{6CC}\u{200C}\u{62E} 👩\u{200D}👧 ❤\u{FE0F} e\u{301}", 0
        ),
        // Scotland, and a hidden text in tags.
        (
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", 0
        ),
        ("x\u{E0001}\u{E0068}\u{E0069}\u{E007F}y", "xy", 4),
        ("\u{1F3F4}\u{E0067}\u{E0062}y", "\u{1F3F4}y", 2),
    ])
    func cleaning(text: String, kept: String, removed: Int) {
        let clean = LeavingText(text)
        #expect(clean.string.unicodeScalars.elementsEqual(kept.unicodeScalars))
        #expect(clean.removed == removed)
        #expect(LeavingText(clean.string).string.unicodeScalars.elementsEqual(clean.string.unicodeScalars))
    }
}
