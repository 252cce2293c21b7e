import Screen
import Testing

@Suite struct CleanTextFittingTests {
    @Test(arguments: [
        ("hello", 3, "hel"), ("hello", 5, "hello"), ("hello", 0, ""), ("hello", -1, ""), ("漢字", 3, "漢"),
        ("漢字", 1, ""), ("e\u{301}x", 1, "e\u{301}"),
    ])
    func prefixNeverCutsACharacter(text: String, columns: Int, expected: String) {
        let cut = CleanText(cleaning: text).prefix(columns: columns)
        #expect(cut.string == expected)
        #expect(cut.width == CleanText(cleaning: expected).width)
    }

    @Test(arguments: [
        ("hello", 2, "llo"), ("hello", 0, "hello"), ("hello", 9, ""), ("漢字", 2, "字"), ("漢字", 1, " 字"),
        ("漢字", 3, " "),
    ])
    func droppingKeepsTheColumnsOfTheRest(text: String, columns: Int, expected: String) {
        let rest = CleanText(cleaning: text).dropping(columns: columns)
        #expect(rest.string == expected)
        #expect(rest.width == max(0, CleanText(cleaning: text).width - max(0, columns)))
    }

    @Test(arguments: [
        ("hello", 5, "hello"), ("hello world", 8, "hello..."), ("hello", 3, "hel"), ("hello", 2, "he"),
        ("漢字漢字", 6, "漢..."),
    ])
    func truncationSaysThatThereIsMore(text: String, columns: Int, expected: String) {
        #expect(CleanText(cleaning: text).truncated(to: columns).string == expected)
    }

    @Test func paddingAligns() {
        #expect(("ab" as CleanText).padded(to: 5).string == "ab   ")
        #expect(("ab" as CleanText).padded(to: 5, align: .right).string == "   ab")
        #expect(("ab" as CleanText).padded(to: 5, align: .center).string == " ab  ")
        #expect(("漢字" as CleanText).padded(to: 5).string == "漢字 ")
        #expect(("long text" as CleanText).fitted(to: 6).string == "lon...")
        #expect(("漢字漢字" as CleanText).fitted(to: 6).width == 6)
    }

    @Test(arguments: [
        ("the quick brown fox", 10, ["the quick", "brown fox"]),
        ("the quick brown fox", 9, ["the quick", "brown fox"]),
        ("the quick brown fox", 5, ["the", "quick", "brown", "fox"]),
        ("incomprehensible", 6, ["incomp", "rehens", "ible"]),
        ("an incomprehensible word", 8, ["an", "incompre", "hensible", "word"]),
        ("深層学習による", 6, ["深層学", "習によ", "る"]),
        ("ab 深層学習", 6, ["ab 深", "層学習"]),
        ("a    b", 3, ["a", "b"]),
        ("  indented text", 10, ["  indented", "text"]),
        ("", 5, [""]), ("漢", 1, ["漢"]), ("fits", 10, ["fits"]), ("ab", 0, ["a", "b"]),
    ])
    func wrapping(text: String, columns: Int, lines: [String]) {
        #expect(CleanText(cleaning: text).wrapped(to: columns).map(\.string) == lines)
    }
}
