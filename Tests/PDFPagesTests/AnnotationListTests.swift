import Annotations
import Children
import Foundation
import TestSupport
import Testing

@testable import PDFPages

@Suite("Which annotations a file has, and where they are", .inTurns)
struct AnnotationListTests {
    private let tools = PDFTools()

    @Test func aPopupBelongsToItsParent() async throws {
        let folder = try Folder()
        let pdf = SmallPDF(annotations: [
            "<</Type/Annot/Subtype/Text/Rect[0 0 9 9]/Popup 7 0 R>>",
            "<</Type/Annot/Subtype/Popup/Rect[9 9 90 90]/Parent 6 0 R/Contents(said in the popup)>>",
        ])
        let base = try await tools.annotations(of: folder.write(pdf.bytes))
        #expect(base.records.map(\.id) == ["6"])
        #expect(base.records[0].content["text"] == "said in the popup")
        #expect(base.warnings.isEmpty)
    }

    @Test func whatIsNoAnnotationIsListedAndWhatComesTwiceCountsOnce() async throws {
        let folder = try Folder()
        var pdf = SmallPDF(annotations: ["<</Type/Annot/Subtype/Text/Rect[0 0 9 9]>>"])
        pdf.pages[0].entries = "/MediaBox[0 0 612 792]/Annots[6 0 R null 99 0 R 7 6 0 R<</Subtype/Text/Rect[1 1 2 2]>>]"
        let base = try await tools.annotations(of: folder.write(pdf.bytes))
        #expect(base.records.map(\.id) == ["6", "p0a5"])
        #expect(base.records[1].content["pdfObjectId"] == nil)
        #expect(
            base.warnings.map(\.description) == [
                "page 1, entry 2 of the list is not an annotation", "page 1, entry 3 of the list is not an annotation",
                "page 1, entry 4 of the list is not an annotation",
                "page 1, annotation 6, listed more than once; only the first counts",
            ])
        #expect(try await tools.annotations(of: folder.write(pdf.bytes)) == base)
    }

    @Test func linksAreFollowedByName() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        pdf.catalog =
            "/Dests<</old[6 0 R/Fit]>>/Names<</Dests<</Kids[<</Names[(new)<</D[4 0 R/XYZ 0 0 0]>>(loop)(loop)]>>]>>>>"
        let links = ["/Dest/old", "/A<</S/GoTo/D(new)>>", "/Dest(loop)", "/Dest[1/Fit]", "/Dest[7/Fit]"]
        let list = links.map { "<</Subtype/Link/Rect[0 0 9 9]\($0)>>" }.joined()
        pdf.pages = [("/MediaBox[0 0 612 792]/Annots[\(list)]", ""), ("/MediaBox[0 0 612 792]", "")]
        let base = try await tools.annotations(of: folder.write(pdf.bytes))
        #expect(base.records.map { $0.content["action"]?["pageIndex"]?.integer } == [1, 0, nil, 1, nil])
    }

    @Test(
        "A mark around a word covers the word, however the page is rotated and cropped",
        arguments: [0, 90, 180, 270, -90, 450], ["", "/CropBox[50 40 550 700]", "/CropBox[700 -5 90 640]"])
    func marksMeetWords(rotation: Int, crop: String) async throws {
        let folder = try Folder()
        let quad = "[100 616 147.5 616 100 598 147.5 598]"
        let pdf = SmallPDF(
            annotations: ["<</Subtype/Highlight/Rect[100 598 147.5 616]/QuadPoints\(quad)>>"],
            entries: "/MediaBox[0 0 612 792]/Rotate \(rotation)\(crop)")
        let file = try folder.write(pdf.bytes)
        let page = try await tools.text(of: file, page: 0)
        let base = try await tools.annotations(of: file)
        let mark = try #require(Annotation(base.records[0]).rects.first)
        let word = try #require(page.words.first)
        #expect(word.box.overlap(mark) > 0.95 * mark.width * mark.height)
        #expect(Annotation(base.records[0]).box == mark)
    }

    @Test("A file that has no pages or is not a PDF is an error", arguments: ["", "%PDF-1.7\n", "hello"])
    func refused(text: String) async throws {
        let folder = try Folder()
        let file = try folder.write(Array(text.utf8))
        await #expect(throws: PDFError.self) { try await tools.annotations(of: file) }
    }

    @Test("A file with changed bytes is read or refused", arguments: 0..<12)
    func flipped(seed: UInt64) async throws {
        var generator = SplitMix(seed: seed)
        let folder = try Folder()
        var bytes = SmallPDF(annotations: AnnotationKindTests.kinds.map { "<</Type/Annot\($0.0)>>" }).bytes
        for _ in 0..<20 {
            bytes[Int.random(in: 8..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        do {
            let base = try await tools.annotations(of: folder.write(bytes))
            #expect(Set(base.records.map(\.id)).count == base.records.count)
        } catch is PDFError {
            // Refused without crashing this process, as required.
        }
    }

    @Test(
        "Real files have as many annotations of each kind as their text says", .enabled(if: !Samples.all.isEmpty),
        arguments: Samples.all)
    func counts(file: String) async throws {
        let base = try await tools.annotations(of: file)
        var counts: [String: Int] = [:]
        for record in base.records { counts[Self.subtype(of: record), default: 0] += 1 }
        #expect(try counts == Self.count(in: file))
        #expect(base.records.allSatisfy { $0.content["bbox"] != nil })
    }

    /// Returns PDF's name for the kind of a record.
    private static func subtype(of record: Record) -> String {
        switch Annotation(record).kind {
        case .highlight: "Highlight"
        case .underline: "Underline"
        case .strikeOut: "StrikeOut"
        case .squiggly: "Squiggly"
        case .note, .comment: "Text"
        case .text: "FreeText"
        case .ink: "Ink"
        case .line: "Line"
        case .rectangle: "Square"
        case .ellipse: "Circle"
        case .polygon: "Polygon"
        case .polyline: "PolyLine"
        case .stamp: "Stamp"
        case .link: "Link"
        case let kind: kind.pdfSubtype ?? record.content["postilla"]?["pdfSubtype"]?.string ?? ""
        }
    }

    /// Counts independently: objects with a rectangle and a subtype in the text of the unpacked file.
    private static func count(in file: String) throws -> [String: Int] {
        let qpdf = ChildProcess()
        qpdf.executableURL = URL(fileURLWithPath: "/usr/bin/qpdf")
        qpdf.arguments = ["--qdf", "--object-streams=disable", "--no-warn", file, "-"]
        let pipe = Pipe()
        qpdf.standardOutput = pipe
        try qpdf.run()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        qpdf.waitUntilExit()
        var counts: [String: Int] = [:]
        for object in text.split(separator: "\nendobj\n") {
            let lines = object.split(separator: "\n")
            let subtype = lines.first { $0.hasPrefix("  /Subtype /") }
            guard lines.contains(where: { $0.hasPrefix("  /Rect ") }), let subtype else { continue }
            counts[String(subtype.dropFirst("  /Subtype /".count)), default: 0] += 1
        }
        counts["Popup"] = nil
        return counts
    }
}
