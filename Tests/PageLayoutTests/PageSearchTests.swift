import Testing

@testable import PageLayout

/// Text search on a page.
@Suite struct PageSearchTests {
    @Test(arguments: [
        ("The set and the other set", "SET", ["set", "set"]),
        ("we highlight, as told, some\nof the challenges in it", "some of the", ["some of the"]),
        ("the instruc-\ntion set of it all", "instruction set", ["instruction set"]),
        ("a user-\nmode user-mode driver", "user-mode", ["user-mode", "user-mode"]),
        ("they di\u{FB00}er, don\u{2019}t they", "differ, don't", ["di\u{FB00}er, don\u{2019}t"]),
        ("aaaa", "aa", ["aa", "aa"]),
        ("STRASSE und Ägypten", "ägypten", ["Ägypten"]),
        ("nothing of it here", "  of   it ", ["of it"]),
        ("nothing of it here", "absent", []),
        ("nothing of it here", "", []),
        ("nothing of it here", "   ", []),
        ("空白なし\nで続く文", "なしで続", ["なしで続"]),
    ])
    func occurrences(source: String, text: String, expected: [String]) {
        let page = PageGlyphs(drawnPage(source))
        let found = page.occurrences(of: text).map { page.text(of: $0) }
        #expect(found == expected)
    }
}
