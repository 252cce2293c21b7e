import Annotations
import Foundation
import TestSupport
import Testing

@testable import PDFPages

@Suite("A layer's annotations in a PDF", .inTurns)
struct AnnotatedPDFTests {
    private let tools = PDFTools()

    /// Writes the records into the PDF, and checks the result with qpdf.
    private func annotate(
        _ pdf: SmallPDF, _ records: [Record], roots: [Record.ID: Record] = [:], image: [UInt8]? = nil
    ) async throws -> Folder {
        let folder = try Folder()
        let source = try folder.write(pdf.bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes.json")) { annotated in
            for record in records {
                let root = record.content["rootId"]?.string.flatMap { roots[$0] }
                try annotated.add(record, under: root, image: image)
            }
        }
        let check = try await tools.run(.qpdf, ["--check", target], into: CollectedOutput())
        #expect(check.exitCode == 0, "\(String(decoding: check.sink.bytes, as: UTF8.self))")
        return folder
    }

    private func text(_ path: String) async throws -> String {
        let outcome = try await tools.run(.qpdf, ["--json=2", "--json-key=qpdf", path], into: CollectedOutput())
        return String(decoding: outcome.sink.bytes, as: UTF8.self)
    }

    private static let own = [
        "<</Type/Annot/Subtype/Highlight/Rect[100 600 160 620]/QuadPoints[100 620 160 620 100 600 160 600]/Custom(kept)>>",
        "<</Type/Annot/Subtype/Text/Rect[10 700 30 720]/Contents(a note)/Popup 8 0 R/Custom(kept too)>>",
        "<</Type/Annot/Subtype/Popup/Rect[10 700 30 720]/Parent 7 0 R>>",
    ]

    @Test func whatIsTheSameStaysAsItIs() async throws {
        let pdf = SmallPDF(annotations: Self.own)
        let folder = try Folder()
        let before = try await tools.annotations(of: folder.write(pdf.bytes))
        let result = try await annotate(pdf, before.records)
        let after = try await tools.annotations(of: result.target)
        // A rewritten file renumbers its objects.
        let contents = [before, after].map { $0.records.map { $0.content.changing { $0["pdfObjectId"] = nil } } }
        #expect(contents[0] == contents[1])
        #expect(try await text(result.target).contains("kept too"))
    }

    /// Swift treats the two ids as equal strings.
    @Test func recordsWhoseIdsLookTheSameAreTwoAnnotations() async throws {
        let records = ["caf\u{E9}", "cafe\u{301}"].map { id in
            let content: JSON = [
                "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [9, 9, 9, 9], "text": .string(id),
            ]
            return Record(id: id, content: Content(content.object!), createdBy: nil, updatedBy: nil, group: nil)
        }
        let result = try await annotate(SmallPDF(annotations: []), records)
        #expect(try await tools.annotations(of: result.target).records.count == 2)
    }

    @Test func whatWasDeletedIsGoneWithItsPopup() async throws {
        let pdf = SmallPDF(annotations: Self.own)
        let folder = try Folder()
        let before = try await tools.annotations(of: folder.write(pdf.bytes)).records
        let result = try await annotate(pdf, [before[0]])
        #expect(
            try await tools.annotations(of: result.target).records.map(\.content["type"]) == [
                "pspdfkit/markup/highlight"
            ])
        #expect(try await !text(result.target).contains("Popup"))
    }

    @Test func whatWasChangedIsWrittenOverIt() async throws {
        let pdf = SmallPDF(annotations: Self.own)
        let folder = try Folder()
        var records = try await tools.annotations(of: folder.write(pdf.bytes)).records
        records[1].content = records[1].content.changing { $0["text"] = "another note" }
        let result = try await annotate(pdf, records)
        let after = try await tools.annotations(of: result.target).records
        #expect(after.map { $0.content["text"] } == [nil, "another note"])
        let text = try await text(result.target)
        #expect(text.contains("kept\"") && text.contains("kept too"))
        #expect(text.contains("/Popup\": "))
    }

    private static let actions = [
        "/A<</S/Launch/F(own.exe)>>", "/A<</S/JavaScript/JS(own script)>>", "/A<</S/GoToR/F(own.pdf)/D[0/Fit]>>",
        "/A<</S/URI/URI(own:address)>>",
    ]

    /// The file's own actions stay, even if something else about the link changes; a record can neither add nor replace
    /// such an action.
    @Test(arguments: actions, ["nothing", "color", "action"])
    func aFileKeepsItsOwnActionsAndGetsNoNewOnes(_ own: String, _ change: String) async throws {
        let pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/Link/Rect[0 700 90 720]\(own)>>"])
        let folder = try Folder()
        var record = try #require(try await tools.annotations(of: folder.write(pdf.bytes)).records.first)
        record.content = record.content.changing {
            if change == "color" { $0["borderColor"] = "#ff0000" }
            if change == "action" { $0["action"] = ["type": "launch", "filePath": "record.exe"] }
        }
        let script: JSON = [
            "v": 1, "type": "pspdfkit/link", "pageIndex": 0, "bbox": [9, 9, 9, 9],
            "action": ["type": "uri", "uri": "javascript:record()"],
        ]
        let new = Record(id: "new", content: Content(try #require(script.object)))
        let result = try await annotate(pdf, [record, new])
        let text = try await text(result.target)
        #expect(text.contains("own") == (change != "action"), "\(text)")
        #expect(!text.contains("record"))
        #expect(text.components(separatedBy: "/Link").count == 3)
    }

    @Test(arguments: ["", "/Rotate 90", "/Rotate 180/CropBox[50 50 500 700]", "/Rotate 270"])
    func eachKindIsReadBackAsItWasWritten(_ entries: String) async throws {
        let pdf = SmallPDF(annotations: [], entries: "/MediaBox[0 0 612 792]" + entries)
        let records = WritingSamples.records
        let result = try await annotate(pdf, records, roots: WritingSamples.roots)
        let after = try await tools.annotations(of: result.target)
        #expect(after.records.count == records.count - 1, "PDF cannot represent the invented one")
        for (record, again) in zip(records.filter { !["madeup", "reply"].contains($0.id) }, after.records) {
            for member in record.content.object.members where WritingSamples.lasting.contains(member.key) {
                #expect(again.content[member.key]?.text == member.value.text, "\(record.id) \(member.key)")
            }
        }
        #expect(try await text(result.target).contains("/IRT"))
    }

    @Test func aReplyMayComeBeforeItsRootAndAnswerWhatWasInTheFile() async throws {
        var pdf = SmallPDF(annotations: [])
        pdf.pages[0].entries =
            "/MediaBox[0 0 612 792]/Annots[<</Subtype/Underline/Rect[0 0 9 9]/QuadPoints[0 9 9 9 0 0 9 0]>>]"
        let folder = try Folder()
        let inline = try #require(try await tools.annotations(of: folder.write(pdf.bytes)).records.first)
        #expect(inline.id == "p0a0")
        let comment = Record(id: "a", content: .comment(.plain("why?"), under: inline.id, inline.content))
        let result = try await annotate(pdf, [comment, inline], roots: [inline.id: inline])
        let after = try await tools.annotations(of: result.target).records
        #expect(after.map { $0.content["type"]?.string } == ["pspdfkit/markup/underline", "pspdfkit/comment"])
        #expect(after[1].content["rootId"]?.string == after[0].id)
    }

    private static let attachment = [
        "<</Type/Annot/Subtype/FileAttachment/Rect[0 700 20 720]/Contents(see this)/FS 7 0 R/Name/Paperclip>>",
        "<</Type/Filespec/F(a.txt)/EF<</F 8 0 R>>>>", "<</Type/EmbeddedFile/Length 5>>stream\nhello\nendstream",
    ]

    /// An edit of a kind that Instant JSON does not know keeps what the annotation holds, in both ways of writing.
    @Test(arguments: [false, true]) func anAttachedFileOutlivesAnEdit(isRewritten: Bool) async throws {
        var pdf = SmallPDF(annotations: [Self.attachment[0]])
        pdf.extra = Self.attachment
        var bytes = pdf.bytes
        if isRewritten {
            bytes = Array(String(decoding: bytes, as: UTF8.self).replacing("startxref\n", with: "startxref\n1").utf8)
        }
        let folder = try Folder()
        let source = try folder.write(bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        let record = try #require(try await tools.annotations(of: source).records.first).changing {
            $0["note"] = "edited"
        }
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { try $0.add(record) }
        let text = try await text(target)
        for part in ["u:edited", "/Paperclip", "u:a.txt", "/EmbeddedFile"] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("see this"))
        let result = Array(try Data(contentsOf: URL(fileURLWithPath: target)))
        #expect(result.starts(with: bytes) == !isRewritten)
    }

    @Test func anAnnotationOfTwoPagesStaysOnBoth() async throws {
        var pdf = SmallPDF()
        pdf.pages = Array(repeating: ("/MediaBox[0 0 100 100]/Annots[8 0 R]", ""), count: 2)
        pdf.extra = ["<</Type/Annot/Subtype/Square/Rect[1 1 9 9]/C[1 0 0]>>"]
        let folder = try Folder()
        let record = try #require(try await tools.annotations(of: folder.write(pdf.bytes)).records.first)
        let result = try await annotate(pdf, [record.changing { $0["strokeColor"] = "#00ff00" }])
        let dump = try await tools.dump(of: result.target)
        let lists = PageTree(dump, limit: 9).pages.map { $0.dictionary.array("Annots") }
        #expect(lists == Array(repeating: [.reference(ObjectID(number: 8))], count: 2))
        let gone = try await annotate(pdf, [])
        let empty = PageTree(try await tools.dump(of: gone.target), limit: 9).pages
        #expect(empty.allSatisfy { $0.dictionary.array("Annots") == [] })
    }

    /// A record that was never edited does not change the file, even if it was read by a version that reads otherwise.
    @Test func whatIsKeptStaysAsItIs() async throws {
        let folder = try Folder()
        let pdf = SmallPDF(annotations: Self.own)
        let source = try folder.write(pdf.bytes)
        let target = try folder.write([], as: "target.pdf")
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes")) { annotated in
            let kept = ["6", "7", "8", "none"].map { annotated.keep($0) }
            #expect(kept == [true, true, false, false])
        }
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: target))) == pdf.bytes)
    }

    /// An annotation list that is an indirect object, with a dangling reference.
    @Test func oddTreesAreWrittenTo() async throws {
        var pdf = SmallPDF()
        pdf.pages = [("/MediaBox[0 0 100 100]/Annots 6 0 R", "")]
        pdf.extra = ["[7 0 R 99 0 R]", "<</Type/Annot/Subtype/Square/Rect[1 1 9 9]>>"]
        let note = Record(
            id: "n",
            content: try Content(#"{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,30,40],"text":"x"}"#))
        let folder = try Folder()
        let own = try await tools.annotations(of: folder.write(pdf.bytes)).records
        let result = try await annotate(pdf, own + [note])
        #expect(
            try await tools.annotations(of: result.target).records.map { $0.content["type"]?.string } == [
                "pspdfkit/shape/rectangle", "pspdfkit/note",
            ])
    }

    @Test(arguments: [
        WritingSamples.png(type: 0, bits: 8), WritingSamples.png(type: 2, bits: 8),
        WritingSamples.png(type: 3, bits: 8),
        WritingSamples.png(type: 4, bits: 8), WritingSamples.png(type: 6, bits: 8), [1, 2, 3], [],
    ])
    func picturesAreHeldOrFramed(_ image: [UInt8]) async throws {
        let result = try await annotate(SmallPDF(annotations: []), [WritingSamples.image], image: image)
        #expect(try await text(result.target).contains("\"/Subtype\": \"/Image\"") == (image.count > 9))
        #expect(try result.picture(of: result.target).starts(with: Array("P6\n".utf8)))
    }

    @Test func anEncryptedFileAndOneThatIsNoneAreToldApart() async throws {
        let folder = try Folder()
        let target = try folder.write([], as: "target.pdf")
        let notes = try folder.write([], as: "notes.json")
        for (bytes, error) in [([], PDFError.empty), (Array("hello".utf8), .notPDF)] {
            let source = try folder.write(bytes, as: "source.pdf")
            await #expect(throws: error) { try await tools.annotate(source, into: target, notes: notes) { _ in } }
        }
    }

    @Test(.enabled(if: !Samples.all.isEmpty), arguments: Samples.all)
    func realFilesStayReadable(_ source: String) async throws {
        let before = try await tools.annotations(of: source)
        let folder = try Folder()
        let target = try folder.write([], as: "target.pdf")
        try await tools.annotate(source, into: target, notes: folder.write([], as: "notes.json")) { annotated in
            for record in before.records { try annotated.add(record) }
            for record in WritingSamples.records {
                try annotated.add(record, under: record.content["rootId"]?.string.flatMap { WritingSamples.roots[$0] })
            }
        }
        let after = try await tools.annotations(of: target).records
        #expect(after.count == before.records.count + WritingSamples.records.count - 1)
    }
}

extension Folder {
    fileprivate var target: String { path + "/target.pdf" }
}
