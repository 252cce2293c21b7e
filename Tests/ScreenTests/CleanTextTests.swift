import Screen
import Testing

@Suite struct CleanTextTests {
    @Test(arguments: [
        ("plain text", "plain text", 10),
        ("", "", 0),
        ("\u{1B}[2J", "␛[2J", 4),
        ("a\u{0}b\u{7}", "a␀b␇", 4),
        ("x\u{7F}y", "x␡y", 3),
        ("two\nlines\r", "two␊lines␍", 10),
        ("tab\there", "tab␉here", 8),
        ("\u{9B}31m", "�31m", 4),
        ("\u{202E}evil\u{202C}", "␦evil␦", 6),
        ("\u{2066}a\u{2069}", "␦a␦", 3),
        ("zero\u{200B}width\u{FEFF}", "zero␦width␦", 11),
        ("soft\u{AD}hyphen", "soft␦hyphen", 11),
        ("no\u{A0}break", "no break", 8),
        ("line\u{2028}end", "line�end", 8),
        ("\u{E000}", "�", 1),
        ("\u{FFFF}", "�", 1),
        ("\u{3164}", "␦", 1),
        ("naïve café", "naïve café", 10),
        ("深層学習", "深層学習", 8),
        ("한국어", "한국어", 6),
        ("ＡＢ", "ＡＢ", 4),
        ("䷀①㉈", "䷀①㉈", 5),
        ("ﾊﾝｶｸ", "ﾊﾝｶｸ", 4),
        ("—…“”±°×§", "—…“”±°×§", 8),
        ("⌚⏰★☆✔✅", "⌚⏰★☆✔✅", 9),
        ("e\u{301}", "e\u{301}", 1),
        ("\u{301}x", "◌\u{301}x", 2),
        ("🙂!", "🙂!", 3),
        ("👨\u{200D}👩\u{200D}👧", "👨👩👧", 6),
        ("👍\u{1F3FD}", "👍", 2),
        ("\u{1F3FD}", "\u{1F3FD}", 2),
        ("\u{2764}\u{FE0F}", "\u{2764}", 1),
        ("\u{2764}\u{FE0F}\u{200D}🔥", "\u{2764}🔥", 3),
        ("🇩🇪", "DE", 2),
        ("a\u{200D}b", "a␦b", 3),
        ("👨\u{200D}", "👨␦", 3),
        ("👨\u{200D}x", "👨␦x", 4),
        ("\u{E0041}", "␦", 1),
    ])
    func whatIsShownInsteadOfWhatActs(text: String, shown: String, width: Int) {
        let clean = CleanText(cleaning: text)
        #expect(Array(clean.string.unicodeScalars) == Array(shown.unicodeScalars), "\(clean.string)")
        #expect(clean.width == width)
    }

    @Test func marksBeyondFourAreLeftOut() {
        let clean = CleanText(cleaning: "a" + String(repeating: "\u{301}", count: 10_000) + "b")
        #expect(clean.string.unicodeScalars.count == 6)
        #expect(clean.width == 2)
    }

    @Test func decomposedHangulIsOneCharacter() {
        let clean = CleanText(cleaning: "\u{1112}\u{1161}\u{11AB}x")
        #expect(clean.width == 3)
        #expect(clean.glyphs.map(\.width) == [2, 1])
    }

    @Test func whatIsInterpolatedIsCleanedToo() {
        let hostile = "\u{1B}]0;title\u{7}"
        let text: CleanText = "by \(hostile), page \(3) of \(CleanText(cleaning: "\n"))"
        #expect(text.string == "by ␛]0;title␇, page 3 of ␊")
        #expect(text.width == text.string.count)
    }

    @Test(arguments: [
        ("a\nb", ["a", "b"]), ("a\r\nb\rc", ["a", "b", "c"]), ("a\n", ["a", ""]), ("", [""]),
        ("a\u{2028}b\u{85}c\u{2029}d", ["a", "b", "c", "d"]), ("1\t2\t3", ["1       2       3"]),
        ("12345678\t9", ["12345678        9"]), ("漢\t字", ["漢      字"]), ("\u{1B}\n\u{1B}", ["␛", "␛"]),
    ])
    func linesAreSplitAndTabsExpanded(text: String, lines: [String]) {
        #expect(CleanText.lines(cleaning: text).map(\.string) == lines)
    }

    @Test func textsAreJoined() {
        #expect((["a", "漢", "c"] as [CleanText]).joined(separator: " · ").string == "a · 漢 · c")
        #expect(([] as [CleanText]).joined(separator: ", ").isEmpty)
        #expect(("漢" + "字" as CleanText).width == 4)
    }
}
