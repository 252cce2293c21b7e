import Annotations
import Testing

/// Reading for display is lenient, because real exports lack members that the schema requires.
@Suite("Annotations read for display")
struct AnnotationTests {
    @Test func everythingThere() throws {
        let note = try annotation(
            #"""
            {"v":2,"type":"pspdfkit/markup/highlight","pageIndex":2,"bbox":[10,20.5,30,40],
             "rects":[[10,20.5,30,12],[10,33,20,12]],"note":"why?","creatorName":"Ana","color":"#ffcc00",
             "createdAt":"2024-04-11T07:23:26Z","updatedAt":"2024-04-11T07:23:37Z"}
            """#)
        #expect(note.kind == .highlight)
        #expect(note.pageIndex == 2)
        #expect(note.box == Rect(left: 10, top: 20.5, width: 30, height: 40))
        #expect(note.rects.map(\.top) == [20.5, 33])
        #expect(note.text == "why?")
        #expect(note.author == "Ana")
        #expect(note.color == "#ffcc00")
        #expect(note.createdAt?.iso8601 == "2024-04-11T07:23:26.000Z")
        #expect(note.updatedAt.flatMap { updated in note.createdAt.map { updated - $0 } } == 11_000)
        #expect(note.warning == nil)
    }

    @Test(
        "Members that are missing or make no sense",
        arguments: [
            "{}",
            #"{"pageIndex":-1,"bbox":[1,2,3],"rects":7,"text":null,"creatorName":1,"createdAt":"soon","lines":[],"action":[]}"#,
            #"{"pageIndex":1e10,"bbox":[1,2,-3,4],"rects":[[1,2,3,4,5],[1,1e999,3,4]],"points":{"a":1},"rootId":5}"#,
        ])
    func nothingThere(text: String) throws {
        let annotation = try annotation(text)
        #expect(annotation.pageIndex == nil)
        #expect(annotation.box == nil)
        #expect(annotation.rects.isEmpty)
        #expect(annotation.text.isEmpty)
        #expect(annotation.author == nil)
        #expect(annotation.createdAt == nil)
        #expect(annotation.strokes.flatMap { $0 }.isEmpty)
        #expect(annotation.rootID == nil)
        #expect(annotation.target == nil)
    }

    @Test(arguments: [
        (#"{"text":"v1 & <b>"}"#, "v1 & <b>"), (#"{"text":{"format":"plain","value":"<p>v2</p>"}}"#, "<p>v2</p>"),
        (#"{"text":{"format":"xhtml","value":"<p>one &amp; two</p>"}}"#, "one & two"),
        (#"{"note":"marked"}"#, "marked"), (#"{"note":{"format":"xhtml","value":"<b>x</b>"}}"#, "x"),
        (#"{"contents":"from a PDF"}"#, "from a PDF"), (#"{"text":"","note":"other"}"#, ""),
    ])
    func texts(content: String, text: String) throws {
        #expect(try annotation(content).text == text)
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("<p>First</p><p>second</p>", "First\nsecond"),
        ("a<br/>b<br />c<br>d", "a\nb\nc\nd"),
        ("<p style=\"color: red\">a <b>b</b></p>", "a b"), ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"), ("a<b", "a<b"),
        ("&lt;p&gt;&quot;&apos;&amp;lt;", "<p>\"'&lt;"), ("&#233;&#xE9;&#x1F600;", "éé😀"),
        ("&unknown; &#xD800; &#x110000; &;", "&unknown; &#xD800; &#x110000; &;"), ("<!-- x -->y", "y"),
        ("<p>é</p>\n", "é"),
    ])
    func xhtml(source: String, text: String) throws {
        let content = Content(JSONObject(["text": ["format": "xhtml", "value": .string(source)]]))
        #expect(Annotation(id: "1", content: content).text == text)
    }

    @Test func strokes() throws {
        let ink = try annotation(#"{"type":"pspdfkit/ink","lines":{"points":[[[1,2],[3,4]],[[5,6]]]}}"#)
        #expect(ink.strokes.map(\.count) == [2, 1])
        let polygon = try annotation(#"{"points":[[1,2],[3,4],"x",[5,6]]}"#)
        #expect(polygon.strokes == [[Point(x: 1, y: 2), Point(x: 3, y: 4), Point(x: 5, y: 6)]])
        let line = try annotation(#"{"startPoint":[1,2],"endPoint":[3,4]}"#)
        #expect(line.strokes == [[Point(x: 1, y: 2), Point(x: 3, y: 4)]])
    }

    @Test func links() throws {
        #expect(try annotation(#"{"action":{"type":"goTo","pageIndex":3}}"#).target == "page 4")
        #expect(
            try annotation(#"{"action":{"type":"uri","uri":"https://example.org"}}"#).target == "https://example.org")
        #expect(try annotation(#"{"action":{"pageIndex":9223372036854775807}}"#).target == nil)
    }

    @Test("Every kind keeps its type and has a name; an unknown one is shown unchanged")
    func kinds() {
        let types = [
            "pspdfkit/markup/highlight", "pspdfkit/markup/underline", "pspdfkit/markup/strikeout",
            "pspdfkit/markup/squiggly", "pspdfkit/note", "pspdfkit/text", "pspdfkit/ink", "pspdfkit/shape/line",
            "pspdfkit/shape/rectangle", "pspdfkit/shape/ellipse", "pspdfkit/shape/polygon", "pspdfkit/shape/polyline",
            "pspdfkit/stamp", "pspdfkit/image", "pspdfkit/link", "pspdfkit/comment-marker", "pspdfkit/comment",
            "pspdfkit/markup/redaction", "pspdfkit/widget", "pspdfkit/media", "postilla/caret", "postilla/file",
            "postilla/sound", "postilla/movie", "postilla/screen", "postilla/3d", "postilla/projection",
            "postilla/watermark", "postilla/printers-mark", "postilla/trap-network",
        ]
        for type in types {
            let kind = AnnotationKind(type: type)
            #expect(kind.type == type)
            #expect(kind.name != "unknown" && kind.letter != "?", "\(type)")
            #expect(kind.isMarkup == (type.contains("markup") && !type.contains("redaction")))
        }
        #expect(Set(types.map { AnnotationKind(type: $0).name }).count == types.count)
        let foreign = AnnotationKind(type: "vendor/3d")
        #expect(foreign == .unknown("vendor/3d"))
        #expect(foreign.type == "vendor/3d")
        #expect(foreign.letter == "?")
    }

    /// Earlier versions read these kinds as unknown, with their name aside.
    @Test(arguments: [("Widget", "form field"), ("3D", "3D model"), ("Redact", "redaction"), ("Odd", "unknown")])
    func aNameThatWasKeptAsideIsTheKind(subtype: String, name: String) throws {
        let text = #"{"type":"pspdfkit/unknown","postilla":{"pdfSubtype":"\#(subtype)"}}"#
        #expect(try annotation(text).kind.name == name)
    }

    @Test func aRowSaysTheNameOfAFieldAndOfAFile() throws {
        let field = try annotation(#"{"type":"pspdfkit/widget","formFieldName":"tax.year"}"#)
        #expect(field.summary == "tax.year" && field.text.isEmpty && field.isHidden)
        let file = try annotation(#"{"type":"postilla/file","fileName":"a.xlsx","fileSize":12345,"note":"see"}"#)
        #expect(file.summary == "a.xlsx (12 kB)  see" && !file.isHidden)
        let remark = try annotation(#"{"type":"pspdfkit/widget","formFieldName":"x","note":"why?"}"#)
        #expect(!remark.isHidden)
        #expect(try annotation(#"{"type":"pspdfkit/link","note":" "}"#).isHidden)
    }

    @Test func theValueOfAFormField() throws {
        func text(_ value: String) throws -> String {
            try annotation(#"{"type":"pspdfkit/form-field-value","name":"x","value":\#(value)}"#).text
        }
        #expect(try text(#""one""#) == "one")
        #expect(try text(#"["one","two"]"#) == "one, two")
        #expect(try text("null").isEmpty)
    }

    @Test func aCommentNeedsNoType() throws {
        let comment = try annotation(#"{"rootId":"R","text":"reply"}"#)
        #expect(comment.kind == .comment)
        #expect(comment.rootID == "R")
    }

    private func annotation(_ text: String) throws -> Annotation { Annotation(id: "1", content: try Content(text)) }
}

extension JSONObject {
    init(_ members: KeyValuePairs<String, JSON>) {
        self.init()
        for (key, value) in members { self[key] = value }
    }
}
