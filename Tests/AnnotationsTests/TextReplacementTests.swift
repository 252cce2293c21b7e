import Annotations
import Testing

/// Editing a comment as plain text preserves its formatting, or is refused.
@Suite("Rewording a comment") struct TextReplacementTests {
    private static let mention = #"<p>Hi <span data-user="bo">@Bo</span>, see <b>this</b></p>"#

    private func comment(_ text: String) throws -> Content {
        try Content(#"{"v":2,"rootId":"r","text":\#(text),"customData":{"n":1.50}}"#)
    }

    private func xhtml(_ value: String) throws -> Content {
        let text: JSON = ["format": "xhtml", "value": .string(value)]
        return try comment(text.text)
    }

    @Test func plainTextIsReplacedAndTheRestStays() throws {
        let old = try comment(#"{"format":"plain","value":"old","lang":"en"}"#)
        #expect(try old.replacingText(with: "new").text == old.text.replacing("old", with: "new"))
        #expect(try comment(#""old""#).replacingText(with: "a < b")["text"] == "a < b")
    }

    /// Each kind of annotation keeps its text in its own member.
    @Test func annotationsAreRewordedLikeComments() throws {
        let note = try Content(#"{"type":"pspdfkit/note","text":{"format":"xhtml","value":"<p>see <b>this</b></p>"}}"#)
        #expect(try note.replacingText(with: "see that").text == note.text.replacing("this", with: "that"))
        #expect(throws: FormattingConflict()) { try note.replacingText(with: "gone") }
        let mark = try Content(#"{"type":"pspdfkit/markup/highlight","note":"old"}"#)
        #expect(try mark.replacingText(with: "new").text == #"{"type":"pspdfkit/markup/highlight","note":"new"}"#)
        let bare = try Content(#"{"type":"pspdfkit/markup/highlight"}"#)
        #expect(try bare.replacingText(with: "new")["note"] == "new")
    }

    @Test(
        "The formatting around changed words is kept",
        arguments: [
            // Only paragraphs, so rewritten.
            ("<p>one</p>", "two & three\nfour", "<p>two &amp; three</p><p>four</p>"),
            ("<p>one<br/>two</p>", "two", "<p>two</p>"),
            // The same words: no byte changes.
            (mention, "Hi @Bo, see this", mention),
            (mention, "Hello @Bo, see this", mention.replacing("Hi", with: "Hello")),
            (mention, "Hi @Bo, look at this", mention.replacing("see", with: "look at")),
            (mention, "Hi @Bo, see that", mention.replacing("this", with: "that")),
            (mention, "Hi @Bo, <see>\nthis", mention.replacing("see ", with: "&lt;see&gt;<br/>")),
            // Text next to a mention is not part of it.
            (#"<p><i data-user="bo">@Bo</i></p>"#, "@Bo!", #"<p><i data-user="bo">@Bo</i>!</p>"#),
            (#"<p><i data-user="bo">@Bo</i></p>"#, "to @Bo", #"<p>to <i data-user="bo">@Bo</i></p>"#),
            ("<p><b>a&amp;b</b></p>", "a+b", "<p><b>a+b</b></p>"),
            ("<p><b>é</b></p>", "è", "<p><b>è</b></p>"),
            ("<p><b>one</b> two</p>", "one", "<p><b>one</b></p>"),
        ])
    func kept(old: String, words: String, new: String) throws {
        let reworded = try xhtml(old).replacingText(with: words)
        #expect(reworded["text"]?["value"]?.string == new)
        #expect(reworded["customData"]?.text == #"{"n":1.50}"#)
        #expect(CommentText(json: try #require(reworded["text"]))?.words == words)
    }

    @Test("A change beyond plain text is refused", arguments: ["Hi @Ben, see this", "Hi", "Hi @Bo", "@Bo this", ""])
    func refused(words: String) throws {
        #expect(throws: FormattingConflict()) { try xhtml(Self.mention).replacingText(with: words) }
    }

    @Test("Whatever the old text contains, the new words are read back unchanged, or nothing changes")
    func damagedText() throws {
        let scraps = [
            "<p>", "</p>", "<b>", "</b", "&amp;", "&", "é", "x", "<br/>", #"<i data-a="1">"#, "</i>", "\n", ">",
        ]
        var state: UInt64 = 7
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<2000 {
            let old = (0..<next(9)).map { _ in scraps[next(scraps.count)] }.joined()
            let words = (0..<next(4)).map { _ in ["a", "é", "x", "&", "<", " b"][next(6)] }.joined()
            guard let new = try? xhtml(old).replacingText(with: words) else { continue }
            #expect(CommentText(json: try #require(new["text"]))?.words == words, "\(old) -> \(words)")
        }
    }
}
