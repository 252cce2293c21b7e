import Annotations
import Testing

@Suite("New annotations") struct MakingTests {
    @Test func aNoteStandsWhereItIsPut() throws {
        let note = Content.note(onPage: 2, at: Point(x: 10, y: 20), text: "Read this")
        try note.validate()
        #expect(note.text.hasPrefix(#"{"v":1,"type":"pspdfkit/note","pageIndex":2,"bbox":[10,20,32,32],"#))
        #expect(note["text"]?.string == "Read this")
    }

    @Test(arguments: [
        (MarkupKind.highlight, "pspdfkit/markup/highlight", "#fcee7c"),
        (.underline, "pspdfkit/markup/underline", "#2293fb"),
        (.strikeOut, "pspdfkit/markup/strikeout", "#d1202f"), (.squiggly, "pspdfkit/markup/squiggly", "#bd10e0"),
    ])
    func marksAreOfTheirKindAndColour(_ kind: MarkupKind, _ type: String, _ color: String) throws {
        let lines = [
            Rect(left: 10, top: 10, width: 50, height: 8), Rect(left: 5, top: 20, width: 20, height: 8),
        ]
        let mark = Content.markup(kind, onPage: 0, rects: lines)
        try mark.validate()
        #expect(mark["type"]?.string == type)
        #expect(mark["color"]?.string == color)
        #expect(mark["bbox"] == [5, 10, 55, 18])
        #expect(mark["rects"] == [[10, 10, 50, 8], [5, 20, 20, 8]])
        // Only a highlight covers the words, which it must not hide.
        #expect(mark["blendMode"]?.string == (kind == .highlight ? "multiply" : nil))
        #expect(throws: InvalidContent.badBox) { try Content.markup(kind, onPage: 0, rects: []).validate() }
    }

    @Test(
        "The text is stored where the kind keeps it, in the structure it had",
        arguments: [
            (#"{"type":"pspdfkit/note","text":"old","new":1}"#, #"{"type":"pspdfkit/note","text":"new","new":1}"#),
            (#"{"type":"pspdfkit/note"}"#, #"{"type":"pspdfkit/note","text":"new"}"#),
            (
                #"{"type":"pspdfkit/text","text":{"format":"xhtml","value":"<p>old</p>"}}"#,
                #"{"type":"pspdfkit/text","text":{"format":"plain","value":"new"}}"#
            ),
            (
                #"{"type":"pspdfkit/markup/highlight","text":"kept","note":"old"}"#,
                #"{"type":"pspdfkit/markup/highlight","text":"kept","note":"new"}"#
            ),
            (
                #"{"type":"pspdfkit/markup/underline","note":{"format":"plain","value":"old"}}"#,
                #"{"type":"pspdfkit/markup/underline","note":{"format":"plain","value":"new"}}"#
            ),
            (#"{"type":"pspdfkit/ink","note":"old"}"#, #"{"type":"pspdfkit/ink","note":"new"}"#),
            (
                #"{"type":"pspdfkit/stamp","note":"old","text":"misplaced"}"#,
                #"{"type":"pspdfkit/stamp","note":"new"}"#
            ),
            (#"{"type":"pspdfkit/shape/line"}"#, #"{"type":"pspdfkit/shape/line","note":"new"}"#),
            (#"{"type":"pspdfkit/link"}"#, #"{"type":"pspdfkit/link","note":"new"}"#),
            (#"{"type":"pspdfkit/unknown","note":"old"}"#, #"{"type":"pspdfkit/unknown","note":"new"}"#),
            (#"{"type":"made/up","text":"old"}"#, #"{"type":"made/up","text":"new"}"#),
            (#"{"rootId":"a"}"#, #"{"rootId":"a","text":"new"}"#),
        ])
    func anotherText(_ before: String, _ after: String) throws {
        #expect(try Content(before).changingText(to: "new").text == after)
        guard !before.contains("xhtml") else { return }
        #expect(try Content(before).replacingText(with: "new").text == after)
    }
}
