import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Text input and short texts on the screen.
@Suite struct TextTests {
    /// A text with `|` at the cursor, commands, and the result.
    @Test(arguments: [
        ("ab|c", [Command.left], "a|bc"), ("|abc", [.left], "|abc"), ("abc|", [.right], "abc|"),
        ("a|bc", [.deleteBack], "|bc"), ("|abc", [.deleteBack], "|abc"), ("a|bc", [.deleteForward], "a|c"),
        ("one two|", [.deleteWord], "one |"), ("one two  |x", [.deleteWord], "one |x"), ("|x", [.deleteWord], "|x"),
        ("one\ntwo|", [.deleteToStart], "one\n|"), ("on|e\ntwo", [.deleteToEnd], "on|\ntwo"),
        ("one|\ntwo", [.deleteToEnd], "one|two"), ("one\nt|wo", [.lineStart], "one\n|two"),
        ("|one\ntwo", [.lineEnd], "one|\ntwo"), ("one\nlonger|", [.up], "one|\nlonger"),
        ("on|e\nx", [.down], "one\nx|"),
        ("on|e", [.up, .down], "on|e"), ("a|b", [.newLine], "a\n|b"), ("日本|語", [.deleteBack, .left], "|日語"),
        ("e\u{301}|", [.deleteBack], "|"),
    ])
    func readline(before: String, commands: [Command], after: String) {
        let parts = before.split(separator: "|", omittingEmptySubsequences: false)
        var input = input(String(parts[0]), String(parts[1]))
        for command in commands {
            let isKnown = input.run(command)
            #expect(isKnown)
        }
        let text = Array(input.text)
        #expect(String(text[..<input.cursor]) + "|" + String(text[input.cursor...]) == after)
    }

    @Test func textHasALimit() {
        var input = TextInput()
        input.insert(String(repeating: "x", count: 300_000))
        input.insert("y")
        #expect(input.characters.count == TextInput.maxLength)
    }

    /// A text with `|` at the cursor, the width, and the rows including the cursor.
    @Test(arguments: [
        ("|", 10, ["|"]), ("one two three|", 9, ["one two ", "three|"]), ("one two| three", 9, ["one two|", "three"]),
        ("one tw|o three", 9, ["one tw|o ", "three"]), ("abcdefgh|", 6, ["abcde", "fgh|"]),
        ("a\n|\nb", 6, ["a", "|", "b"]),
        ("a\n|", 6, ["a", "|"]), ("日本語 |x", 6, ["日本", "語 |x"]), ("12345|", 6, ["12345|"]),
        ("ab|c", 0, ["a", "b", "|c"]),
    ])
    func wrapping(text: String, columns: Int, rows: [String]) {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        let wrapped = WrappedInput(input(String(parts[0]), String(parts[1])), columns: columns)
        var shown = wrapped.rows.map(\.string)
        if shown.indices.contains(wrapped.cursor.row) {
            let row = wrapped.rows[wrapped.cursor.row]
            shown[wrapped.cursor.row] =
                row.prefix(columns: wrapped.cursor.column).string + "|"
                + row.dropping(columns: wrapped.cursor.column).string
        }
        #expect(shown.map { $0.hasSuffix("| ") ? String($0.dropLast()) : $0 } == rows)
    }

    /// An input with its cursor between two texts.
    private func input(_ before: String, _ after: String) -> TextInput {
        var input = TextInput(before + after)
        while input.cursor > before.count { _ = input.run(.left) }
        return input
    }

    @Test func aLineEndInOneLineOfPasteIsABlank() throws {
        let stage = Stage(Sample.services())
        try stage.press(#"/<paste:two\nlines>"#)
        #expect(stage.foot == "Filter: two lines")
        try stage.press(#"<esc>a<paste:two\nlines>"#)
        #expect(stage.state.document?.editor?.input.text == "two\nlines")
    }

    @Test(
        arguments: [
            (0, "now"), (59, "now"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86_400, "1d"), (86_400 * 364, "364d"),
            (86_400 * 800, "2y"), (-50, "now"), (9_000_000_000_000_000, "285388127y"),
        ] as [(Int64, String)])
    func ages(seconds: Int64, text: String) {
        #expect(RelativeTime.age(of: Timestamp(milliseconds: -seconds * 1000), at: Timestamp(milliseconds: 0)) == text)
    }

    @Test(
        arguments: [
            (1, "1s"), (59_000, "59s"), (59_001, "1m"), (60_000, "1m"), (60_001, "2m"), (720_000, "12m"),
            (7_200_000, "2h"), (-5, "0s"),
            (200_000_000, "2d"),
        ] as [(Int64, String)])
    func lives(milliseconds: Int64, text: String) {
        #expect(RelativeTime.life(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (309_000, "309 kB"), (1_250_000, "1.2 MB"), (123_456_789, "123 MB"),
            (5_000_000_000, "5.0 GB"), (-4, "0 B"),
        ] as [(Int64, String)])
    func bytes(count: Int64, text: String) {
        #expect(ByteCount.text(count) == text)
    }

    @Test func clockTimesAreThePersons() {
        #expect(RelativeTime.near(.noon, at: .noon, utcOffset: 7200) == "14:00")
        #expect(RelativeTime.near(.noon, at: .noon + 86_400_000, utcOffset: -43_200) == "2026-05-30 00:00")
        #expect(RelativeTime.near(Timestamp(milliseconds: .max), at: .noon, utcOffset: 3600).count == 16)
    }

    @Test func filters() {
        let usual = FilterSyntax.parse("")
        #expect((usual.resolved, usual.headsOnly) == (false, true))
        var filter = usual
        (filter.text, filter.inQuotes, filter.inComments) = ("some words", true, true)
        #expect(FilterSyntax.parse("some  words") == filter)
        filter = usual
        filter.kinds = [.highlight, .note]
        filter.author = "ana"
        filter.pageIndex = 2
        filter.unreadOnly = true
        #expect(FilterSyntax.parse("kind:highlight KIND:n by:ana page:3 is:unread") == filter)
        filter = usual
        (filter.text, filter.inQuotes, filter.inComments) = ("kind:zebra page:0 http://x by:", true, true)
        #expect(FilterSyntax.parse("kind:zebra page:0 http://x by:") == filter)
        (filter.text, filter.inQuotes, filter.inComments) = ("", false, false)
        filter.pendingOnly = true
        #expect(FilterSyntax.parse("is:unsent") == filter)
    }
}
