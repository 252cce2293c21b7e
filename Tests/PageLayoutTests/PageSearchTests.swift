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
        ("un cafe\u{301} noir", "CAF\u{C9}", ["cafe\u{301}"]),
        ("un caf\u{E9} noir", "Cafe\u{301} n", ["caf\u{E9} n"]),
        ("un cafe noir", "caf\u{E9}", []),
        ("\u{3BB}\u{1F79}\u{3B3}", "\u{3BB}\u{3CC}\u{3B3}", ["\u{3BB}\u{1F79}\u{3B3}"]),
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

    @Test(arguments: [
        ("The set and the\nother set", "the other SET", true),
        ("the instruc-\ntion set", "instruction set", true),
        ("they di\u{FB00}er, don\u{2019}t they", "differ, don't", true),
        ("of it all", "nothing of it", false),
        // Accents are not compared: the longest part without them is.
        ("STRASSE und Ägypten", "ägypten", true),
        ("STRASSE und Aegypten", "ägypten", true),
        ("Ägypten", "gypsten", false),
        ("un caf\u{E9}", "cafe\u{301}", true),
        ("un cafe\u{301}", "caf\u{E9}", true),
        ("co\u{00AD}operation", "cooperation", true),
        ("one\u{4E2D}two", "onetwo", false),
        ("", "absent", false),
    ])
    func aSiftedPageSeemsToHaveWords(page: String, words: String, expected: Bool) throws {
        let sought = try #require(SiftedText(words: words))
        #expect(SiftedText(page: Array(page.utf8)).contains(sought) == expected)
    }

    /// Every page that has the words passes.
    @Test(arguments: ["The user-\nmode di\u{FB00}erence \u{201C}holds\u{201D}", "naïve cafés"])
    func whatOccursIsNotSiftedOut(source: String) throws {
        let page = PageGlyphs(drawnPage(source))
        for word in source.split(whereSeparator: \.isWhitespace) where !page.occurrences(of: String(word)).isEmpty {
            guard let sought = SiftedText(words: String(word)) else { continue }
            #expect(SiftedText(page: Array(source.utf8)).contains(sought), "\(word)")
        }
    }

    @Test(arguments: ["", "  ", "ab", "a-b", "空白なし", "éàü"])
    func wordsThatAreTooShortAreNotSifted(words: String) {
        #expect(SiftedText(words: words) == nil)
    }
}
