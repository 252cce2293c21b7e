import Annotations
import TestSupport
import Testing

@testable import PDFPages

/// The rich text of an annotation (`RC`) says what the annotation says, in its styles, also after an edit.
@Suite("Rich text", .inTurns) struct RichTextTests {
    private static let frame = PageFrame(width: 612, height: 792)
    private static let source = """
        /Subtype/FreeText/Rect[10 600 210 700]/Contents(one two three)/DA(0 0 1 rg /Helv 10 Tf)/BS<</W 1>>\
        /RC(<?xml version="1.0"?><body style="font-size:10pt;color:#0000FF"><p>one <span style="font-weight:bold">\
        two</span> <i>three</i></p></body>)
        """

    private func read(_ source: String = source) async throws -> (PDFDictionary, Content) {
        let folder = try Folder()
        let path = try folder.write(SmallPDF(annotations: ["<</Type/Annot\(source)>>"]).bytes)
        let dump = try await PDFTools().dump(of: path)
        let record = try #require(try await PDFTools().annotations(of: path).records.first)
        return (try #require(PDFDictionary(.reference(ObjectID(number: 6)), in: dump)), record.content)
    }

    private func changes(
        _ source: String = source, _ change: (inout JSONObject) -> Void
    ) async throws -> [String: PDFObject?] {
        let (old, before) = try await read(source)
        let after = before.changing(change)
        let merge = AnnotationMerge(old, from: before, to: after, on: Self.frame, pageCount: 1)
        return try #require(merge).entries
    }

    /// The parts of a rich text: its words, with `b`, `i` and the colour before a colon where they have them.
    private func parts(_ rich: PDFObject??) throws -> [String] {
        let text = try #require(rich??.string)
        var whole = TextStyle()
        if let style = TextStyle.firstStyle(in: text) { whole.read(style) }
        return StyledText(xhtml: text, in: TextStyle()).runs.map { run in
            let color = run.style.color == whole.color ? "" : run.style.color ?? ""
            let marks = (run.style.isBold ? "b" : "") + (run.style.isItalic ? "i" : "") + color
            return marks.isEmpty ? run.words : "\(marks):\(run.words)"
        }
    }

    @Test func anEditOfAnotherMemberLeavesIt() async throws {
        for (member, value) in [("borderWidth", 3), ("opacity", 0.5), ("subject", "new"), ("customData", ["a": 1])]
            as [(String, JSON)]
        {
            #expect(try await changes { $0[member] = value }["RC"] == nil, "\(member)")
        }
    }

    @Test(arguments: [
        ("one twofold three", ["one ", "b:twofold", " ", "i:three"]),
        ("zero one two three", ["zero one ", "b:two", " ", "i:three"]),
        ("one two", ["one ", "b:two"]), ("other <words> & more", ["other <words> & more"]),
        ("one two three\nand four", ["one ", "b:two", " ", "i:three\nand four"]),
        ("one \u{1}two three", ["one ", "b:two", " ", "i:three"]),
    ])
    func anEditOfTheTextChangesTheRichTextToo(_ text: String, _ expected: [String]) async throws {
        let entries = try await changes { $0["text"] = .string(text) }
        #expect(entries["Contents"]??.string == text)
        #expect(try parts(entries["RC"]) == expected)
    }

    @Test func anEditOfTheStyleKeepsTheOtherStyles() async throws {
        let color = try await changes { $0["fontColor"] = "#ff0000" }
        #expect(try parts(color["RC"]) == ["one ", "b:two", " ", "i:three"])
        #expect(color["RC"]??.string?.contains("color:#ff0000") == true)
        let style = try await changes { $0["fontStyle"] = ["bold"] }
        #expect(try parts(style["RC"]) == ["b:one two three"])
    }

    /// Rich text that says something else than the annotation would hide the edit.
    @Test func aRichTextThatSaysSomethingElseIsRemoved() async throws {
        let source = Self.source.replacing("/Contents(one two three)", with: "/Contents(something)")
        let entries = try await changes(source) { $0["text"] = "new" }
        #expect(entries["RC"] == .some(nil))
    }

    @Test func theRichTextOfANoteFollowsItsText() async throws {
        let note = "/Subtype/Text/Rect[10 600 30 620]/Contents(a b)/RC(<body><p>a <b>b</b></p></body>)"
        let edited = try await changes(note) { $0["text"] = "a bc" }
        #expect(try parts(edited["RC"]) == ["a ", "b:bc"])
        let markup = note.replacing("/Text", with: "/Highlight")
        let remark = try await changes(markup) { $0["note"] = "new" }
        #expect(try parts(remark["RC"]) == ["new"])
    }

    @Test func aRecordWithStylesOfItsOwnChangesIt() async throws {
        let xhtml: JSON = ["format": "xhtml", "value": "<p>one <b>two three</b></p>"]
        let entries = try await changes { $0["text"] = xhtml }
        #expect(try parts(entries["RC"]) == ["one ", "b:two three"])
        let same: JSON = ["format": "xhtml", "value": "<p>one <strong>two</strong> <em>three</em></p>"]
        #expect(try await changes { $0["text"] = same }.isEmpty)
    }

    @Test func aNewTextIsWrittenWithItsStyles() throws {
        let content = try Content(
            ##"{"type":"pspdfkit/text","pageIndex":0,"bbox":[9,9,200,50],"fontSize":10,"fontColor":"#0000ff","text":{"format":"xhtml","value":"<p>a <span style='color: rgb(255, 0, 0)'>red</span> word</p><p>&lt;b&gt;</p>"}}"##
        )
        let entries = try #require(PDFAnnotation(content, on: Self.frame)).entries
        #expect(entries["Contents"] == .string("a red word\n<b>"))
        #expect(try parts(entries["RC"]) == ["a ", "#ff0000:red", " word\n<b>"])
        let plain = content.changing { $0["text"] = ["format": "xhtml", "value": "<p>a word</p>"] }
        let written = try #require(PDFAnnotation(plain, on: Self.frame))
        #expect(written.entries["RC"] == nil)
    }

    // MARK: Drawing

    /// The words that a stream sets in each font.
    private func set(_ appearance: Appearance) -> [String] {
        var (font, result): (Int, [String]) = (0, [])
        for row in appearance.stream.split(separator: "\n") {
            if row.hasSuffix(" Tf") { font = Int(row.dropFirst(2).prefix { $0 != " " }) ?? 0 }
            guard row.hasSuffix(" Tj") else { continue }
            let digits = row.dropFirst().prefix { $0 != ">" }.utf8.compactMap(\.hexadecimalValue)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            result.append("\(appearance.fonts[font]): \(String(decoding: bytes, as: UTF8.self))")
        }
        return result
    }

    @Test func theStylesAreDrawn() async throws {
        let (old, content) = try await read()
        let drawn = try #require(AppearanceWriter(content, on: Self.frame, over: old)?.appearance())
        let expected = ["Helvetica: one ", "Helvetica-Bold: two", "Helvetica:  ", "Helvetica-Oblique: three"]
        #expect(set(drawn) == expected)
        let own = content.changing {
            $0["text"] = ["format": "xhtml", "value": "<p>one <b>two</b> <i>three</i></p>"]
        }
        let again = try #require(AppearanceWriter(own, on: Self.frame)?.appearance())
        #expect(set(again) == expected)
        // What the file says in other styles is not what this record says.
        let other = content.changing { $0["text"] = "four" }
        let edited = try #require(AppearanceWriter(other, on: Self.frame, over: old)?.appearance())
        #expect(set(edited) == ["Helvetica: four"])
    }

    @Test(arguments: [
        "<u>under</u>", "<s>out</s>", "<span style='font-size:40pt'>big</span> small",
        String(repeating: "<b>", count: 5000) + "deep", "<p", "&#0;&#xD800;", "</p></b></i>",
    ])
    func anyStyleCanBeDrawn(_ xhtml: String) throws {
        let text: JSON = ["format": "xhtml", "value": .string(xhtml)]
        let content = try Content(##"{"type":"pspdfkit/text","pageIndex":0,"bbox":[9,9,200,50]}"##)
            .changing { $0["text"] = text }
        let drawn = try #require(AppearanceWriter(content, on: Self.frame)?.appearance())
        let rest = drawn.stream.firstRange(of: "ET\n").map { drawn.stream[$0.upperBound...] } ?? ""
        let rules = rest.split(separator: "\n").filter { $0.hasSuffix(" re") }
        #expect(rules.count == (xhtml.hasPrefix("<u>") || xhtml.hasPrefix("<s>") ? 1 : 0))
        #expect(PDFAnnotation(content, on: Self.frame) != nil)
    }
}
