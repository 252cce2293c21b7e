import Annotations
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PDFPages

@Suite("Text and sizes of real files, read by the real tools", .inTurns)
struct TextTests {
    private let tools = PDFTools()

    private func file(_ folder: Folder, entries: String) throws -> String {
        try folder.write(SmallPDF(annotations: [], entries: entries).bytes)
    }

    /// The word's baseline starts at (100, 602) in the file; its box extends from 597.86 to 616.36.
    @Test(
        "A word has the position that the displayed page shows",
        arguments: [
            (0, PageSize(width: 500, height: 660), Point(x: 50, y: 83.64)),
            (90, PageSize(width: 660, height: 500), Point(x: 557.86, y: 50)),
            (180, PageSize(width: 500, height: 660), Point(x: 402.22, y: 557.86)),
            (270, PageSize(width: 660, height: 500), Point(x: 83.64, y: 402.22)),
        ])
    func boxes(rotation: Int, size: PageSize, corner: Point) async throws {
        let folder = try Folder()
        let shapes = ["/MediaBox[0 0 612 792]/CropBox[50 40 550 700]", "/MediaBox[50 40 550 700]"]
        for shape in shapes {
            let file = try file(folder, entries: "\(shape)/Rotate \(rotation)")
            let page = try await tools.text(of: file, page: 0)
            #expect(try await tools.info(of: file).pages == [size])
            #expect(PageSize(width: page.width, height: page.height) == size)
            #expect(page.words.map(\.text) == ["Word"])
            #expect(abs(page.words[0].box.left - corner.x) < 0.01)
            #expect(abs(page.words[0].box.top - corner.y) < 0.01)
        }
    }

    @Test func pagesComeInOrder() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        pdf.pages = (1...12).map { ("/MediaBox[0 0 612 792]", "BT /F1 20 Tf 100 602 Td (page\($0)) Tj ET") }
        let file = try folder.write(pdf.bytes)
        let seen = Mutex<[String]>([])
        try await tools.text(of: file, pages: 2...99) { index, page in
            seen.withLock { $0.append("\(index) \(page.words.map(\.text).joined(separator: " "))") }
        }
        #expect(seen.withLock { $0 } == (2...11).map { "\($0) page\($0 + 1)" })
        await #expect(throws: PDFError.noSuchPage(12, count: 12)) { try await tools.text(of: file, page: 12) }
    }

    @Test func aPageWithoutTextHasNoWords() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        pdf.pages = [("/MediaBox[0 0 100 200]", "0 0 m 10 10 l S")]
        let page = try await tools.text(of: folder.write(pdf.bytes), page: 0)
        #expect(page == PageText(width: 100, height: 200, words: []))
    }

    /// With poppler-data the text is there; without it the error says what to install.
    @Test func missingCharacterMapsAreTold() async throws {
        let folder = try Folder()
        var pdf = SmallPDF(annotations: [])
        pdf.pages = [
            ("/MediaBox[0 0 300 300]/Resources<</Font<</J 6 0 R>>>>", "BT /J 20 Tf 20 200 Td <93FA967B> Tj ET")
        ]
        pdf.extra = [
            "<</Type/Font/Subtype/Type0/BaseFont/Ryumin/Encoding/90ms-RKSJ-H/DescendantFonts[7 0 R]>>",
            "<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)"
                + "/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/Ryumin/Flags 4>>>>",
        ]
        let file = try folder.write(pdf.bytes)
        if FileManager.default.fileExists(atPath: tools.characterMaps) {
            #expect(try await tools.text(of: file, page: 0).words.map(\.text) == ["日本"])
        } else {
            await #expect(throws: PDFError.characterMapsMissing) { try await tools.text(of: file, page: 0) }
        }
        var without = tools
        without.characterMaps = "/nowhere"
        #expect(try await without.lacksCharacterMaps(file, page: 0))
        let plain = try folder.write(SmallPDF(annotations: []).bytes, as: "plain.pdf")
        #expect(try await !without.lacksCharacterMaps(plain, page: 0))
    }

    @Test func aTitleCannotPassForFacts() async throws {
        let folder = try Folder()
        var pdf = SmallPDF(annotations: [])
        pdf.info = "/Title(A title\\nPages: 900\\nEncrypted: yes\\nPage 1 size: 9 x 9 pts)"
        let info = try await tools.info(of: folder.write(pdf.bytes))
        #expect(info == PDFInfo(title: info.title, isEncrypted: false, pages: [.usual]))
        #expect(info.title?.hasPrefix("A title") == true)
    }

    @Test("A file's name is never taken for anything else", arguments: ["-h", "@args", "fd://0", "a b\n'\".pdf", "-"])
    func names(name: String) async throws {
        let folder = try Folder()
        // "fd://0" would be a path with a folder.
        let safe = name.replacing("/", with: "_")
        let file = try folder.write(SmallPDF(annotations: []).bytes, as: safe)
        #expect(try await tools.info(of: file).pages.count == 1)
        #expect(try await tools.text(of: file, page: 0).words.count == 1)
        #expect(try PDFTools.argument(for: name) == "./" + name)
    }

    @Test("Real files", .enabled(if: !Samples.all.isEmpty), arguments: Samples.all)
    func samples(file: String) async throws {
        let info = try await tools.info(of: file)
        let count = Mutex(0)
        try await tools.text(of: file, pages: 0...info.pages.count - 1) { index, page in
            #expect(page.width == info.pages[index].width)
            let sheet = Rect(left: 0, top: 0, width: page.width, height: page.height)
            // Glyphs may extend over the edge; whole words do not.
            #expect(page.words.allSatisfy { $0.box.width == 0 || $0.box.overlap(sheet) > 0 })
            count.withLock { $0 += 1 }
        }
        #expect(count.withLock { $0 } == info.pages.count)
    }
}
