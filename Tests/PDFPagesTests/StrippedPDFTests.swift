import Annotations
import Foundation
import TestSupport
import Testing

@testable import PDFPages

@Suite("A PDF without annotations", .inTurns)
struct StrippedPDFTests {
    private let tools = PDFTools()

    /// Writes the stripped file, checks it with qpdf, and returns all its bytes with streams uncompressed.
    private func strip(_ bytes: [UInt8], in folder: Folder) async throws -> String {
        let source = try folder.write(bytes, as: "source.pdf")
        let target = try folder.write([], as: "target.pdf")
        try await tools.strip(source, into: target, notes: folder.write([], as: "notes.json"))
        let check = try await tools.run(.qpdf, ["--check", target], into: CollectedOutput())
        #expect(check.exitCode == 0, "\(String(decoding: check.sink.bytes, as: UTF8.self))")
        let plain = try await tools.run(
            .qpdf, ["--qdf", "--object-streams=disable", "--no-original-object-ids", target, "-"],
            into: CollectedOutput())
        let raw = try Data(contentsOf: URL(fileURLWithPath: target))
        return String(decoding: plain.sink.bytes, as: UTF8.self) + String(decoding: raw, as: UTF8.self)
    }

    private func strip(_ pdf: SmallPDF) async throws -> String { try await strip(pdf.bytes, in: try Folder()) }

    /// Each hides a secret in a different place; objects 6 and up are the page's annotations.
    @Test(arguments: [
        ["<</Type/Annot/Subtype/Text/Rect[1 1 9 9]/Contents(secret)>>"],
        ["<</Subtype/Ink/Contents(secret)/T(secret)/NM(secret)>>"],
        [
            "<</Type/Annot/Subtype/Stamp/Rect[1 1 9 9]/AP<</N 7 0 R>>>>",
            "<</Length 19>>stream\n% secret appearance\nendstream",
        ],
        [
            "<</Type/Annot/Subtype/FileAttachment/Rect[1 1 9 9]/FS 7 0 R>>",
            "<</Type/Filespec/F(secret.txt)/EF<</F 8 0 R>>>>", "<</Length 6>>stream\nsecret\nendstream",
        ],
        [
            "<</Type/Annot/Subtype/Highlight/Rect[1 1 9 9]/Popup 7 0 R/RC 8 0 R>>",
            "<</Type/Annot/Subtype/Popup/Rect[1 1 9 9]/Parent 6 0 R/Contents(secret)>>", "(<p>secret</p>)",
        ],
        [
            "<</Type/Annot/Subtype/Link/Rect[1 1 9 9]/Contents(secret)/T(secret)/A<</S/URI/URI(http://a.b)/Next 7 0 R>>>>",
            "<</S/JavaScript/JS(secret)>>",
        ],
        [
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[1 1 9 9]/V(secret)/DV(secret)/RV(secret)/AP<</N 7 0 R>>>>",
            "<</Length 19>>stream\n% secret appearance\nendstream",
        ],
        ["<</Type/Annot/Subtype/Widget/Parent 7 0 R/Rect[1 1 9 9]>>", "<</FT/Ch/T(name)/V(secret)/Kids[6 0 R]>>"],
        ["<</Subtype 7 0 R/Rect[1 1 9 9]/Contents(secret)>>", "/Text"],
        ["<</Subtype/Watermark/Rect[1 1 9 9]/Contents 7 0 R>>", "(secret)"],
        ["<</Subtype/Li#6e#6b2/Rect[1 1 9 9]/Contents(secret)>>"],
    ]) func whatAnAnnotationHoldsIsGone(_ objects: [String]) async throws {
        let text = try await strip(SmallPDF(annotations: objects))
        #expect(!text.contains("secret"))
        #expect(text.contains("(Word) Tj"), "the page's own text stays")
    }

    @Test func placesThatNameARemovedAnnotationLoseIt() async throws {
        var pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[1 1 9 9]/Contents(secret)/StructParent 0>>"])
        pdf.catalog =
            "/StructTreeRoot 7 0 R/Names<</Postilla 6 0 R>>/PieceInfo<</X<</Private(secret)>>>>/AcroForm<</Fields[]/XFA(secret)>>"
        pdf.extra += [
            "<</Type/StructTreeRoot/K 8 0 R/ParentTree<</Nums[0 8 0 R]>>>>",
            "<</Type/StructElem/S/Annot/P 7 0 R/Alt(secret)/K[<</Type/OBJR/Obj 6 0 R>> 9 0 R]>>",
            "<</Type/StructElem/S/P/P 8 0 R/ActualText(secret)/K 10 0 R>>", "<</Type/OBJR/Obj 6 0 R>>",
        ]
        #expect(try await !strip(pdf).contains("secret"))
    }

    /// Object 6 is a stamp, 7 its appearance. Other places of the file name them or repeat the text.
    @Test(arguments: [
        ("/Names<</AP<</Names[(x) 7 0 R]>>>>", []),
        ("/Names 8 0 R", ["<</AP 9 0 R/Renditions 9 0 R>>", "<</Names[(secret) 7 0 R]>>"]),
        ("/Names<</Renditions<</Names[(x) 8 0 R]>>>>", ["<</Type/Rendition/S/MR/N(secret)>>"]),
        (
            "/StructTreeRoot 8 0 R",
            [
                "<</Type/StructTreeRoot/K 9 0 R>>", "<</S/Annot/P 8 0 R/K[<</Type/OBJR/Obj 6 0 R>> 10 0 R]>>",
                "<</S/P/P 9 0 R/K<</Type/MCR/Pg 4 0 R/Stm 7 0 R/MCID 0>>>>",
            ]
        ),
        (
            "/StructTreeRoot 8 0 R",
            [
                "<</Type/StructTreeRoot/K 9 0 R/ParentTree<</Nums[0[10 0 R]]>>>>",
                "<</S/Annot/P 8 0 R/K[<</Type/OBJR/Obj 6 0 R>> 10 0 R]>>", "<</S/P/P 9 0 R/ActualText(secret)/K 0>>",
            ]
        ),
        (
            "/StructTreeRoot 8 0 R",
            [
                "<</Type/StructTreeRoot/K 9 0 R>>", "<</S/Annot/P 8 0 R/Alt(secret)/K 10 0 R>>",
                "<</S/Span/P 9 0 R/K[11 0 R]>>", "<</Type/OBJR/Obj 6 0 R>>",
            ]
        ),
    ]) func whatBelongsToAnAnnotationIsGoneEverywhere(_ catalog: String, _ objects: [String]) async throws {
        var pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/Stamp/Rect[1 1 9 9]/AP<</N<</On 7 0 R>>>>>>"])
        pdf.catalog = catalog
        pdf.extra += ["<</Length 19>>stream\n% secret appearance\nendstream"] + objects
        #expect(try await !strip(pdf).contains("secret"))
    }

    @Test(arguments: [false, true]) func anAttachedFileStaysIfTheDocumentListsIt(_ isListed: Bool) async throws {
        var pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/FileAttachment/Rect[1 1 9 9]/FS 7 0 R>>"])
        pdf.pages[0].entries += "/AF[7 0 R]"
        if isListed { pdf.catalog = "/Names<</EmbeddedFiles<</Kids[9 0 R]>>>>" }
        pdf.extra += [
            "<</Type/Filespec/F(a.txt)/EF<</F 8 0 R>>>>", "<</Length 6>>stream\nsecret\nendstream",
            "<</Names[(a) 7 0 R]/Limits[(a)(a)]/Kids[9 0 R]>>",
        ]
        #expect(try await strip(pdf).contains("secret") == isListed)
    }

    @Test func thePictureOfAButtonIsAValue() async throws {
        var pdf = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Widget/FT/Btn/T(photo)/Rect[1 1 9 9]/MK<</I 7 0 R/CA(Photo)>>/AP<</N 7 0 R>>>>",
            "<</Length 19>>stream\n% secret appearance\nendstream",
        ])
        pdf.pages[0].entries = "/MediaBox[0 0 99 99]/Annots[6 0 R]"
        let text = try await strip(pdf)
        #expect(!text.contains("secret") && text.contains("(Photo)"))
    }

    /// An element that describes text of the page keeps its own.
    @Test func theStructureOfThePageStays() async throws {
        var pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[1 1 9 9]/Contents(secret)>>"])
        pdf.catalog = "/StructTreeRoot 7 0 R"
        pdf.extra += [
            "<</Type/StructTreeRoot/K 8 0 R>>", "<</S/P/P 7 0 R/K[9 0 R 10 0 R]>>",
            "<</S/Span/P 8 0 R/ActualText(kept)/Pg 4 0 R/K 0>>",
            "<</S/Annot/P 8 0 R/Alt(secret)/K<</Type/OBJR/Obj 6 0 R>>>>",
        ]
        let text = try await strip(pdf)
        #expect(!text.contains("secret") && text.contains("(kept)"))
    }

    @Test func listsOfEveryShapeAreEmptied() async throws {
        for list in ["6 0 R", "[[6 0 R]]", "[<</Subtype/Text/Contents(secret)>>]", "<</Contents(secret)>>", "7 0 R"] {
            var pdf = SmallPDF()
            pdf.pages = [("/MediaBox[0 0 99 99]/Annots \(list)", "BT (Word) Tj ET")]
            pdf.extra = ["[7 0 R 7 0 R 99 0 R null]", "<</Subtype/Text/Contents(secret)>>"]
            #expect(try await !strip(pdf).contains("secret"), "\(list)")
        }
    }

    @Test func earlierRevisionsAndUnreferencedObjectsAreGone() async throws {
        var bytes = SmallPDF(annotations: ["<</Subtype/Text/Rect[1 1 9 9]/Contents(secret)>>"]).bytes
        let objects = [
            "6 0 obj\n<</Subtype/Text/Rect[1 1 9 9]/Contents(shown)>>\nendobj\n", "7 0 obj\n(secret)\nendobj\n",
        ]
        let old = try #require(String(decoding: bytes, as: UTF8.self).components(separatedBy: "startxref\n").last)
        let previous = try #require(Int(old.prefix { $0.isNumber }))
        // A later revision hides the note; nothing refers to its second object.
        var entries = ""
        for object in objects {
            let digits = "\(bytes.count)"
            entries += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
            bytes += object.utf8
        }
        let table = bytes.count
        bytes += "xref\n6 2\n\(entries)trailer<</Size 8/Root 1 0 R/Prev \(previous)>>\n".utf8
        bytes += "startxref\n\(table)\n%%EOF\nsecret".utf8
        let text = try await strip(bytes, in: try Folder())
        #expect(!text.contains("secret") && !text.contains("shown"))
    }

    @Test func linksAndEmptyFieldsStayUnderTheirIds() async throws {
        var pdf = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Text/Rect[1 1 9 9]/Contents(secret)>>",
            "<</Type/Annot/Subtype/Link/Rect[1 1 9 9]/A<</S/URI/URI(https://example.org)>>>>",
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[1 1 9 9]/V(secret)>>",
            "<</Type/Annot/Subtype/Widget/FT/Btn/T(box)/Rect[1 1 9 9]/AS/On/V/On/AP<</N<</On 10 0 R/Off 10 0 R>>>>>>",
            "<</Length 0>>stream\n\nendstream",
        ])
        pdf.catalog = "/AcroForm<</Fields[8 0 R 9 0 R]/DA(/F1 9 Tf)>>"
        pdf.pages[0].entries = "/MediaBox[0 0 99 99]/Annots[6 0 R 7 0 R 8 0 R 9 0 R]"
        let folder = try Folder()
        let text = try await strip(pdf.bytes, in: folder)
        #expect(
            text.contains("https://example.org") && text.contains("(name)") && text.contains("/NeedAppearances true"))
        #expect(text.contains("/AS /Off") && !text.contains("/V /On"))
        let own = try await tools.annotations(of: folder.target)
        #expect(own.records.map(\.id) == ["7", "8", "9"], "as in the original")

        // A layer's records replace what they name in the original.
        let result = try folder.write([], as: "result.pdf")
        try await tools.annotate(folder.target, into: result, notes: folder.write([], as: "notes.json")) { annotated in
            for record in own.records where record.id != "7" { try annotated.add(record) }
        }
        let left = try await tools.annotations(of: result).records
        #expect(left.map { $0.content["type"]?.string } == ["pspdfkit/widget", "pspdfkit/widget"])
    }

    /// The hash identifies the file to clients and between servers.
    @Test func theSameFileGivesTheSameBytes() async throws {
        let pdf = SmallPDF(annotations: ["<</Subtype/Text/Rect[1 1 9 9]/Contents(secret)>>"])
        let (one, two) = (try Folder(), try Folder())
        _ = try await strip(pdf.bytes, in: one)
        _ = try await strip(pdf.bytes, in: two)
        let files = try [one, two].map { try Data(contentsOf: URL(fileURLWithPath: $0.target)) }
        #expect(files[0] == files[1])
    }

    /// If the outline were read, qpdf would need gigabytes of memory.
    @Test func aLoopInTheOutlineCostsNothing() async throws {
        var pdf = SmallPDF(annotations: ["<</Subtype/Text/Rect[1 1 9 9]/Contents(secret)>>"])
        pdf.catalog = "/Outlines 7 0 R"
        pdf.extra += [
            "<</Type/Outlines/First 8 0 R/Last 8 0 R>>", "<</Title(a)/Parent 7 0 R/Next 9 0 R>>",
            "<</Title(b)/Parent 7 0 R/Next 8 0 R/First 8 0 R>>",
        ]
        #expect(try await !strip(pdf).contains("secret"))
    }

    @Test(arguments: Samples.all) func realFilesLoseEveryText(_ path: String) async throws {
        let folder = try Folder()
        guard let before = try? await tools.annotations(of: path) else { return }
        let target = try folder.write([], as: "target.pdf")
        try await tools.strip(path, into: target, notes: folder.write([], as: "notes.json"))
        let after = try await tools.annotations(of: target)
        let kinds = Set(after.records.compactMap { $0.content["type"]?.string })
        #expect(kinds.isSubset(of: ["pspdfkit/link", "pspdfkit/widget"]), "\(path)")
        #expect(after.records.allSatisfy { $0.content["postilla"]?["pdfSubtype"] ?? "Widget" == "Widget" })
        #expect(after.frames == before.frames)
    }
}

extension Folder {
    fileprivate var target: String { path + "/target.pdf" }
}
