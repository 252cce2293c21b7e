import Annotations
import Testing

@testable import App

/// A merge keeps what only one side changed, and names the sides where both did.
@Suite struct TextMergeTests {
    private static func both(_ theirs: String, _ mine: String) -> String {
        "<<<<<<< theirs: ana\n\(theirs)\n=======\n\(mine)\n>>>>>>> yours"
    }

    @Test(arguments: [
        ("a", "a", "a", "a"), ("a", "b", "a", "b"), ("a", "a", "b", "b"), ("a", "b", "b", "b"),
        ("a", "b", "c", both("b", "c")),
        ("a\nb\nc", "x\nb\nc", "a\nb\ny", "x\nb\ny"),
        ("a\nb\nc", "a\nx\nc", "a\ny\nc", "a\n" + both("x", "y") + "\nc"),
        ("a\nb", "a\nnew\nb", "a\nb\nend", "a\nnew\nb\nend"),
        ("a\nb\nc", "a\nc", "a\nb\nc\nd", "a\nc\nd"),
        ("a\nb\nc", "b\nc", "a\nb", "b"),
    ])
    func merging(base: String, theirs: String, mine: String, merged: String) {
        #expect(TextMerge.merged(base: base, theirs: theirs, mine: mine, theirName: "ana") == merged)
    }

    @Test func withoutABaseEqualLinesStandOnce() {
        let merged = TextMerge.merged(base: nil, theirs: "same\nhers", mine: "same\nmine", theirName: "ana")
        #expect(merged == "same\n" + Self.both("hers", "mine"))
        #expect(TextMerge.merged(base: nil, theirs: "same", mine: "same", theirName: "ana") == "same")
    }

    @Test func longTextsAreOnePiece() {
        let long = Array(repeating: "line", count: 3_000).joined(separator: "\n")
        let merged = TextMerge.merged(base: "x", theirs: long, mine: "mine", theirName: "ana")
        #expect(merged.hasPrefix("<<<<<<< theirs: ana\nline") && merged.hasSuffix("mine\n>>>>>>> yours"))
    }

    @Test(arguments: [
        ("no marker", false), ("a\n=======\nb", true), ("<<<<<<< theirs: x", true), ("x\n>>>>>>> yours\n", true),
        ("text ======= inside", false), ("========", false),
    ])
    func markers(text: String, has: Bool) { #expect(TextMerge.hasMarkers(text) == has) }

    @Test func matchesAreTheLongest() {
        let matches = Matches(Array("abcbdab"), Array("bdcaba"))
        #expect((0..<7).compactMap { matches[$0] }.count == 4)
        #expect(Matches([Int](), [1]).values.isEmpty)
        #expect(Matches([1, 2, 3], [1, 2, 3]).values == [0, 1, 2])
    }
}
