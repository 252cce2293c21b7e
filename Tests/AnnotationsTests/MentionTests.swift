import Annotations
import Testing

/// People named in comments: read, written, and kept when the text is edited.
@Suite("Mentions") struct MentionTests {
    private static let bo = #"<span data-user-id="bo">@Bo</span>"#
    private static let zoe = #"<span data-user-id="z&quot;&amp;1">@Zoë &lt;Q&gt;</span>"#
    private static let people = [
        Mention(userID: "bo", words: "@Bo"), Mention(userID: "bo2", words: "@Bo Ann"),
        Mention(userID: "z\"&1", words: "@Zoë <Q>"),
    ]

    private func mentions(_ xhtml: String) -> [Mention] { CommentText.xhtml(xhtml).mentions }

    @Test func theMarkupOfTheVendorNamesAUser() {
        let text = "<p>Hi \(Self.bo), and \(Self.zoe)</p>"
        #expect(mentions(text) == [Self.people[0], Self.people[2]])
        #expect(CommentText.xhtml(text).words == "Hi @Bo, and @Zoë <Q>")
        #expect(mentions("<p><span  data-user-id='bo' >@Bo</span></p>") == [Self.people[0]])
        #expect(mentions("\(Self.bo)\(Self.bo)").count == 2)
        #expect(CommentText.plain(Self.bo).mentions.isEmpty)
    }

    @Test(
        "Other markup is text and names nobody",
        arguments: [
            // Unclosed, closed by another tag, or with tags inside.
            #"<p><span data-user-id="bo">@Bo</p>"#, #"<span data-user-id="bo">@Bo"#,
            #"<span data-user-id="bo">@<b>Bo</b></span>"#, #"<span data-user-id="bo">@Bo<br/></span>"#,
            #"<span data-user-id="bo"/>@Bo</span>"#,
            // Nested in another one.
            #"<span data-user-id="a">@A <span data-user-id="bo">@Bo</span></span>"#,
            #"<i data-x="1"><span data-user-id="bo">@Bo</span></i>"#,
            // Other tags and attributes.
            #"<b data-user-id="bo">@Bo</b>"#, #"<span data-user="bo">@Bo</span>"#,
            #"<span data-user-id="a" data-user-id="bo">@Bo</span>"#,
            #"<span class="x" data-user-id="bo">@Bo</span>"#, #"<span data-user-id=bo>@Bo</span>"#,
            #"<span data-user-id="">@Bo</span>"#, #"<span data-user-id="b>o">@Bo</span>"#,
            #"<SPAN data-user-id="bo">@Bo</SPAN>"#, #"<spanner data-user-id="bo">@Bo</spanner>"#,
            // References.
            #"&lt;span data-user-id="bo"&gt;@Bo&lt;/span&gt;"#, #"<span data-user-id="b&nosuch;o">@Bo</span>"#,
            #"<span data-user-id="b&#10;o">@Bo</span>"#, #"<span data-user-id="b&#x202e;o">@Bo</span>"#,
            // Words without the sign, or without a name.
            #"<span data-user-id="bo">Bo</span>"#, #"<span data-user-id="bo">@ </span>"#,
            "<span data-user-id=\"bo\">@Bo\nAnn</span>",
        ])
    func hostile(xhtml: String) {
        #expect(mentions(xhtml).isEmpty)
        #expect(CommentText.xhtml(xhtml).words.contains("Bo") || !xhtml.contains("Bo"))
    }

    @Test(
        "A text names people by what follows the sign, the longest name first",
        arguments: [
            ("Hi @Bo.", "<p>Hi \(bo).</p>"),
            ("@Bo Ann\n& @Bo", "<p><span data-user-id=\"bo2\">@Bo Ann</span></p><p>&amp; \(bo)</p>"),
            ("see @Zoë <Q>!", "<p>see \(zoe)!</p>"),
            ("(@Bo)", "<p>(\(bo))</p>"),
        ])
    func written(text: String, xhtml: String) {
        let said = CommentText.saying(text, mentioning: Self.people)
        #expect(said == .xhtml(xhtml))
        #expect(said.words == text)
    }

    @Test(
        "Everything else stays plain",
        arguments: ["Bo", "@Bob", "@bo", "a@Bo", "@Bo1", "@ Bo", "@", "@Zoe\u{308} <Q>x", "@Bo\u{301}"])
    func plain(text: String) {
        #expect(CommentText.saying(text, mentioning: Self.people) == .plain(text))
    }

    private func comment(_ text: JSON) throws -> Content {
        try Content(#"{"v":2,"rootId":"r","text":\#(text.text)}"#)
    }

    @Test(
        "Editing keeps the markup of those who stay",
        arguments: [
            ("<p>Hi \(bo)</p>", "Hello @Bo", "<p>Hello \(bo)</p>"),
            ("<p>Hi \(bo)</p>", "Hi @Bo\nsee below", "<p>Hi \(bo)</p><p>see below</p>"),
            ("<p>\(bo) and \(zoe)</p>", "and @Zoë <Q>", "<p>and \(zoe)</p>"),
            ("<p>\(bo) and \(zoe)</p>", "x @Bo, @Zoë <Q> y", "<p>x \(bo), \(zoe) y</p>"),
            // Those who go, or become somebody else, are not named.
            ("<p>Hi \(bo)</p>", "Hi Bo", "<p>Hi Bo</p>"), ("<p>Hi \(bo)</p>", "Hi @Bob", "<p>Hi @Bob</p>"),
            ("<p>Hi \(bo)</p>", "Hi", "<p>Hi</p>"),
            // A name that the people at hand do not have stays, too; the second user of a name stays the second.
            ("<p>a <span data-user-id=\"q\">@Q</span></p>", "b @Q", "<p>b <span data-user-id=\"q\">@Q</span></p>"),
            (
                "<p><span data-user-id=\"1\">@T</span> <span data-user-id=\"2\">@T</span></p>", "@T",
                "<p><span data-user-id=\"1\">@T</span></p>"
            ),
            // New ones.
            ("<p>Hi</p>", "Hi @Bo", "<p>Hi \(bo)</p>"),
            // Formatting stays around a change that takes a mention along.
            ("<p><b>See</b> \(bo) now</p>", "See now", "<p><b>See</b> now</p>"),
            ("<p><b>See</b> \(bo) now</p>", "See @Ben now", "<p><b>See</b> @Ben now</p>"),
            ("<p><b>See</b> x now</p>", "See @Bo now", "<p><b>See</b> \(bo) now</p>"),
        ])
    func edited(old: String, words: String, new: String) throws {
        let changed = try comment(["format": "xhtml", "value": .string(old)])
            .replacingText(with: words, mentioning: Self.people)
        #expect(changed["text"]?["value"]?.string == new)
        #expect(Annotation(id: "c", content: changed).text == words)
    }

    @Test func aPlainCommentThatNamesSomebodyGetsMarkup() throws {
        let old = try Content(#"{"v":1,"rootId":"r","text":"Hi"}"#)
        let new = try old.replacingText(with: "Hi @Bo", mentioning: Self.people)
        let bo = Self.bo.replacing("\"", with: "\\\"")
        #expect(new.text == #"{"v":2,"rootId":"r","text":{"format":"xhtml","value":"<p>Hi \#(bo)</p>"}}"#)
        #expect(new.mentions("bo") && !new.mentions("BO"))
        // Words that were there before do not become a mention by an edit elsewhere.
        let told = try comment("old @Bo text")
        #expect(try told.replacingText(with: "old @Bo texts", mentioning: Self.people)["text"] == "old @Bo texts")
        // Only comments name people.
        let note = try Content(#"{"v":1,"type":"pspdfkit/note","text":"Hi"}"#)
        #expect(try note.replacingText(with: "Hi @Bo", mentioning: Self.people)["text"] == "Hi @Bo")
    }

    @Test("Whatever the markup, the words are read back, and the people are those of the text")
    func random() throws {
        let scraps = [
            "<p>", "</p>", #"<span data-user-id="bo">"#, "</span>", "@Bo", "@", "Bo", "<b>", "</b>", "&amp;", "é", " ",
        ]
        var state: UInt64 = 11
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<3000 {
            let old = (0..<next(12)).map { _ in scraps[next(scraps.count)] }.joined()
            let words = (0..<next(5)).map { _ in ["a", "@Bo", " ", "é", "<", "@Zoë <Q>"][next(6)] }.joined()
            let text = CommentText.xhtml(old)
            for mention in text.placedMentions {
                #expect(Array(text.words.utf8)[mention.place].elementsEqual(mention.mention.words.utf8))
            }
            let content = try comment(["format": "xhtml", "value": .string(old)])
            guard let new = try? content.replacingText(with: words, mentioning: Self.people),
                let said = CommentText(json: try #require(new["text"]))
            else { continue }
            #expect(said.words == words, "\(old) -> \(words)")
            for mention in said.placedMentions {
                #expect(Array(words.utf8)[mention.place].elementsEqual(mention.mention.words.utf8))
            }
        }
    }
}
