import Annotations
import Testing

@Suite("Comments and their roots") struct CommentTests {
    private func root(_ version: Int64) throws -> Content {
        try Content(#"{"v":\#(version),"type":"pspdfkit/markup/highlight","pageIndex":3,"bbox":[1,2,3,4]}"#)
    }

    @Test("A comment has its root's version, unless its text needs version 2")
    func versions() throws {
        let rows: [(Int64, CommentText, String)] = [
            (1, .plain("a"), #""v":1,"#), (1, .plain("a"), #""text":"a""#),
            (1, .xhtml("<p>a</p>"), #""v":2,"#), (2, .plain("a"), #""text":{"format":"plain","value":"a"}"#),
            (2, .xhtml("<p>a</p>"), #""text":{"format":"xhtml","value":"<p>a</p>"}"#),
        ]
        for (version, text, part) in rows {
            let comment = Content.comment(text, under: "r", try root(version))
            #expect(comment.text.contains(part), "\(comment.text)")
            #expect(comment.text.contains(#""type":"pspdfkit/comment","pageIndex":3,"rootId":"r""#))
            try comment.validate()
            #expect(comment.contentType == .comments)
        }
    }

    @Test func theWordsOfEitherFormAreRead() throws {
        let rows: [(String, CommentText?, String)] = [
            (#""a""#, .plain("a"), "a"),
            (#"{"format":"plain","value":"<p>"}"#, .plain("<p>"), "<p>"),
            (#"{"format":"xhtml","value":"<p>a &amp; b</p>"}"#, .xhtml("<p>a &amp; b</p>"), "a & b"),
            (#"{"value":"a"}"#, .plain("a"), "a"),
            ("7", nil, ""), (#"{"format":"xhtml"}"#, nil, ""),
        ]
        for (json, text, words) in rows {
            let read = CommentText(json: try JSON(parsing: json))
            #expect(read == text, "\(json)")
            #expect((read?.words ?? "") == words, "\(json)")
        }
    }

    @Test func aMarkerStandsAroundItsPlace() throws {
        let marker = Content.commentMarker(onPage: 2, at: Point(x: 100, y: 60.5))
        try marker.validate()
        #expect(marker["bbox"] == [84, 44.5, 32, 32])
        #expect((marker["pageIndex"], marker.noThread) == (2, nil))
    }

    @Test(
        "Any markup and any note can be replied to, other annotations not",
        arguments: [
            ("pspdfkit/markup/highlight", nil), ("pspdfkit/markup/squiggly", nil), ("pspdfkit/comment-marker", nil),
            ("pspdfkit/note", nil), ("pspdfkit/ink", nil), ("pspdfkit/image", nil), ("pspdfkit/new", nil),
            ("pspdfkit/unknown", nil), ("pspdfkit/link", "a link"), ("pspdfkit/widget", "a form field"),
        ] as [(String, String?)])
    func roots(type: String, name: String?) throws {
        let why = try Content(#"{"type":"\#(type)"}"#).noThread
        #expect(why?.description == name.map { "\($0) cannot be replied to, only markup and notes" })
    }

    @Test(
        "An annotation without a type of its own is judged by its kind in the PDF",
        arguments: [("Caret", true), ("FileAttachment", true), ("Widget", false), ("Screen", false), ("3D", false)])
    func subtypes(subtype: String, isRoot: Bool) throws {
        let content = try Content(#"{"type":"pspdfkit/unknown","postilla":{"pdfSubtype":"\#(subtype)"}}"#)
        #expect((content.noThread == nil) == isRoot)
    }

    @Test func aCommentIsNoRoot() throws {
        #expect(try Content(#"{"type":"pspdfkit/markup/highlight","rootId":"r"}"#).noThread == .isComment)
        #expect(NoThread.isComment.description.hasPrefix("threads are flat"))
    }
}
