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
        #expect(TextMerge(base: base, theirs: theirs, mine: mine, theirName: "ana").text == merged)
    }

    @Test func withoutABaseEqualLinesStandOnce() {
        let merged = TextMerge(base: nil, theirs: "same\nhers", mine: "same\nmine", theirName: "ana").text
        #expect(merged == "same\n" + Self.both("hers", "mine"))
        #expect(TextMerge(base: nil, theirs: "same", mine: "same", theirName: "ana").text == "same")
    }

    @Test func longTextsAreOnePiece() {
        let long = Array(repeating: "line", count: 3_000).joined(separator: "\n")
        let merged = TextMerge(base: "x", theirs: long, mine: "mine", theirName: "ana").text
        #expect(merged.hasPrefix("<<<<<<< theirs: ana\nline") && merged.hasSuffix("mine\n>>>>>>> yours"))
    }

    /// Only the lines that the merge put in are markers, byte for byte. People review documents about version control.
    @Test(
        arguments: [
            ("no marker", nil), ("a\n=======\nb", "======="), ("<<<<<<< theirs: x", nil),
            ("<<<<<<< theirs: ana", "<<<<<<< theirs: ana"), ("x\n>>>>>>> yours\n", ">>>>>>> yours"),
            (">>>>>>> yours ", nil), ("text ======= inside", nil), ("========", nil), ("=======\r\n", nil),
        ] as [(String, String?)])
    func markers(text: String, left: String?) {
        let merge = TextMerge(base: "a", theirs: "b", mine: "c", theirName: "ana")
        #expect(merge.markerLeft(in: text) == left)
        #expect(TextMerge(base: "a", theirs: "a", mine: "c", theirName: "ana").markerLeft(in: text) == nil)
    }

    /// A version that has such lines itself can be saved with them.
    @Test func linesOfTheTextsAreNoMarkers() {
        let heading = "Title\n=======\n"
        let merge = TextMerge(base: heading + "a", theirs: heading + "b", mine: heading + "c", theirName: "ana")
        #expect(merge.text == heading + "<<<<<<<< theirs: ana\nb\n========\nc\n>>>>>>>> yours")
        #expect(merge.markerLeft(in: heading + "b and c") == nil)
        #expect(merge.markerLeft(in: merge.text) == "<<<<<<<< theirs: ana")
    }

    @Test func aMergeIsNamedAfterItsVersions() {
        func name(_ theirs: String, _ mine: String) -> String {
            TextMerge(base: "a", theirs: theirs, mine: mine, theirName: "ana").name
        }
        #expect(name("b", "c") == name("b", "c"))
        #expect(
            Set([name("b", "c"), name("b", "d"), name("e", "c"), name("caf\u{E9}", "c"), name("cafe\u{301}", "c")])
                .count == 5)
    }

    @Test func matchesAreTheLongest() {
        let matches = Matches(Array("abcbdab"), Array("bdcaba"))
        #expect((0..<7).compactMap { matches[$0] }.count == 4)
        #expect(Matches([Int](), [1]).values.isEmpty)
        #expect(Matches([1, 2, 3], [1, 2, 3]).values == [0, 1, 2])
    }
}
