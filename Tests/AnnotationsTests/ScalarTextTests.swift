import Annotations
import TestSupport
import Testing

@Suite("Text by scalars")
struct ScalarTextTests {
    @Test(arguments: AwkwardText.all)
    func aMarkIsTakenOffBothEnds(_ text: String) {
        let marked = "u:\(text):n"
        #expect(marked.begins(with: "u:") && marked.ends(with: ":n"))
        #expect(marked.dropping(prefix: "u:").map(String.init).isExactly(text + ":n"))
        #expect(marked.dropping(suffix: ":n").map(String.init).isExactly("u:" + text))
        #expect(
            !marked.begins(with: "n:") && marked.dropping(prefix: "n:") == nil && marked.dropping(suffix: "u") == nil)
        #expect(String(marked.dropFirst(scalars: 2)).isExactly(text + ":n"))
    }

    @Test(arguments: AwkwardText.all)
    func itIsPartedWhereAScalarStands(_ text: String) throws {
        let parts = "/home/\(text)/\(text)".split(scalar: "/").map(String.init)
        #expect(parts.count == 3 && parts[1].isExactly(text) && parts[2].isExactly(text))
        let first = try #require("\(text)=\(text)=x".parted(atFirst: "="))
        let last = try #require("x/\(text)/\(text)".parted(atLast: "/"))
        #expect(String(first.before).isExactly(text) && String(first.after).isExactly("\(text)=x"))
        #expect(String(last.after).isExactly(text))
        #expect("x:\(text)".contains(scalar: ":") && "x:\(text)".contains(scalars: ":" + text))
        #expect("'\(text)'".replacing(scalars: "'", with: "\"").isExactly("\"\(text)\""))
        #expect("é\(text)".parted(atFirst: "é").map { String($0.after) }.isExactly(text))
    }

    @Test func linesEndAtLineFeeds() {
        #expect("a\r\nb\n\u{308}c".split(scalar: "\n") == ["a\r", "b", "\u{308}c"])
        #expect("a\n\nb".split(scalar: "\n", omittingEmptySubsequences: false) == ["a", "", "b"])
        #expect("a b c".split(scalar: " ", maxSplits: 1) == ["a", "b c"])
        #expect("a\r\nb\u{2028}c".split(whereScalar: \.isLineEnd) == ["a", "b", "c"])
        #expect("a\r\n".ends(with: "\n") && "a\r\n".contains(scalar: "\n"))
    }

    @Test func scalarsAreCounted() {
        #expect("e\u{301}x".prefix(scalars: 1) == "e" && "abc".dropLast(scalars: 1) == "ab")
        #expect("aéb".prefix(bytes: 2) == "a" && "aéb".prefix(bytes: 3) == "aé" && "aéb".prefix(bytes: 9) == "aéb")
        #expect("👍".prefix(bytes: 3).isEmpty && "e\u{301}".prefix(bytes: 2) == "e" && "ab".prefix(bytes: -1).isEmpty)
        #expect("".prefix(scalars: 3).isEmpty && "ab".dropFirst(scalars: 5).isEmpty)
        #expect(" \u{308}".isBlank == false && " \u{A0}\n".isBlank && "".isBlank)
        #expect("  a b ".trimming { $0 == " " } == "a b" && "   ".trimming { $0 == " " }.isEmpty)
    }

    /// Canonically equivalent texts are not the same.
    @Test func nothingIsNormalised() {
        #expect(!"caf\u{E9}s".begins(with: "cafe\u{301}") && !"caf\u{E9}".ends(with: "e\u{301}"))
        #expect(!"caf\u{E9}".contains(scalars: "e\u{301}"))
    }
}
