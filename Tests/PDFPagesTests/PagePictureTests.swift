import Annotations
import TestSupport
import Testing

@testable import PDFPages

@Suite("A page as pixels, painted by the real tool", .inTurns)
struct PagePictureTests {
    /// The upper half red, the lower half white.
    private let halves: SmallPDF = {
        var pdf = SmallPDF()
        pdf.pages = [("/MediaBox[0 0 600 800]", "1 0 0 rg 0 400 600 400 re f")]
        return pdf
    }()

    private func color(_ picture: PagePicture, _ column: Int, _ row: Int) -> [UInt8] {
        Array(picture.pixels[3 * (row * picture.width + column)..<3 * (row * picture.width + column) + 3])
    }

    @Test func rowsComeFromTheTop() async throws {
        let folder = try Folder()
        let picture = try await PDFTools().picture(
            of: try folder.write(halves.bytes), page: 0, width: 60, height: 40)
        #expect((picture.width, picture.height) == (60, 40))
        #expect(color(picture, 30, 5) == [255, 0, 0])
        #expect(color(picture, 30, 35) == [255, 255, 255])
    }

    /// Its sides are those that it has on the screen.
    @Test func aTurnedPageIsPaintedWholeAndInParts() async throws {
        let folder = try Folder()
        var pdf = SmallPDF()
        // What is above is at the right then.
        pdf.pages = [("/MediaBox[0 0 600 800]/Rotate 90", "1 0 0 rg 0 400 600 400 re f")]
        let file = try folder.write(pdf.bytes)
        let tools = PDFTools()
        let whole = try await tools.picture(of: file, page: 0, width: 80, height: 60)
        #expect((whole.width, whole.height) == (80, 60))
        #expect(color(whole, 35, 5) == [255, 255, 255] && color(whole, 45, 55) == [255, 0, 0])
        let part = PixelArea(left: 35, top: 10, width: 10, height: 20)
        let picture = try await tools.picture(of: file, page: 0, width: 80, height: 60, part: part)
        #expect((picture.width, picture.height) == (10, 20))
        #expect(color(picture, 3, 0) == [255, 255, 255] && color(picture, 6, 19) == [255, 0, 0])
    }

    /// An enlarged page is painted only where it is visible.
    @Test func aPartIsPaintedAlone() async throws {
        let folder = try Folder()
        let file = try folder.write(halves.bytes)
        let tools = PDFTools()
        let part = PixelArea(left: 10, top: 35, width: 20, height: 10)
        let picture = try await tools.picture(of: file, page: 0, width: 60, height: 80, part: part)
        #expect((picture.width, picture.height) == (20, 10))
        #expect(color(picture, 0, 0) == [255, 0, 0] && color(picture, 19, 4) == [255, 0, 0])
        #expect(color(picture, 0, 5) == [255, 255, 255] && color(picture, 19, 9) == [255, 255, 255])
        // The whole page has more pixels than may be painted at once.
        let large = PixelArea(left: 10_000, top: 0, width: 20, height: 20)
        #expect(try await tools.picture(of: file, page: 0, width: 12_000, height: 16_000, part: large).width == 20)
        for wrong in [(-1, 0, 5, 5), (0, 0, 61, 5), (50, 0, 20, 5), (0, 76, 5, 5), (0, 0, 0, 5)] {
            let part = PixelArea(left: wrong.0, top: wrong.1, width: wrong.2, height: wrong.3)
            await #expect(throws: PDFError.tooMuchOutput(bytes: 12_000_000)) {
                try await tools.picture(of: file, page: 0, width: 60, height: 80, part: part)
            }
        }
    }

    @Test func whatCannotBePaintedSaysWhy() async throws {
        let folder = try Folder()
        let file = try folder.write(halves.bytes)
        let tools = PDFTools()
        await #expect(throws: PDFError.self) { try await tools.picture(of: file, page: 7, width: 9, height: 9) }
        await #expect(throws: PDFError.self) { try await tools.picture(of: file, page: -1, width: 9, height: 9) }
        await #expect(throws: PDFError.unreadable) {
            try await tools.picture(of: folder.path + "/none.pdf", page: 0, width: 9, height: 9)
        }
        for (width, height) in [(0, 9), (9, -1), (4_000_001, 1), (2001, 2000), (.max, .max)] {
            await #expect(throws: PDFError.tooMuchOutput(bytes: 12_000_000)) {
                try await tools.picture(of: file, page: 0, width: width, height: height)
            }
        }
    }

    @Test func onlyAWholePixmapOfTheRightSizeIsTaken() {
        let good = Array("P6\n2 1\n255\n".utf8) + [1, 2, 3, 4, 5, 6]
        #expect(PagePicture(pixmap: good, width: 2, height: 1)?.pixels == [1, 2, 3, 4, 5, 6])
        #expect(PagePicture(pixmap: good, width: 1, height: 2) == nil)
        for count in 0..<good.count { #expect(PagePicture(pixmap: Array(good[..<count]), width: 2, height: 1) == nil) }
        #expect(PagePicture(pixmap: good + [7], width: 2, height: 1) == nil)
        #expect(PagePicture(pixmap: Array("P5".utf8) + good.dropFirst(2), width: 2, height: 1) == nil)
    }

    /// A page whose own annotation is a red square, shown with the records of a layer.
    @Test func theAnnotationsAreThoseOfTheLayer() async throws {
        let folder = try Folder()
        var pdf = SmallPDF(
            annotations: [
                "<</Type/Annot/Subtype/Square/Rect[0 400 600 800]/C[0 0 1]/AP<</N 7 0 R>>>>",
                """
                <</Type/XObject/Subtype/Form/BBox[0 0 600 400]/Length 30>>stream
                1 0 0 rg 0 0 600 400 re f\n\n\n\n\n
                endstream
                """,
            ], entries: "/MediaBox[0 0 600 800]")
        pdf.pages = [("/MediaBox[0 0 600 800]", "")] + pdf.pages
        pdf.pages[1] = ("/MediaBox[0 0 600 800]/Annots[8 0 R]", "")
        pdf.extra[0] = pdf.extra[0].replacing("7 0 R", with: "9 0 R")
        let file = try folder.write(pdf.bytes)
        let tools = PDFTools()
        func picture(_ records: [DrawnRecord]?) async throws -> PagePicture {
            try await tools.picture(of: file, page: 1, width: 60, height: 80, showing: records)
        }
        let red: [UInt8] = [255, 0, 0]
        let white: [UInt8] = [255, 255, 255]
        let own = try #require(try await tools.annotations(of: file).records.first)
        #expect(color(try await picture(nil), 30, 20) == red)
        #expect(color(try await picture([DrawnRecord(own)]), 30, 20) == red, "an unchanged one keeps its appearance")
        #expect(color(try await picture([]), 30, 20) == white, "a hidden or deleted one is not drawn")

        var moved = own
        moved.content = own.content.changing {
            $0["bbox"] = [0, 400, 600, 400]
            $0["fillColor"] = "#00ff00"
        }
        let other = try await picture([DrawnRecord(moved)])
        #expect(color(other, 30, 20) == white)
        #expect(color(other, 30, 60) == [0, 255, 0], "a moved one is drawn where it is now")

        // The record's id is the number of a different object in the file that contains only the page.
        let new = Record(id: "4", content: moved.content)
        #expect(color(try await picture([DrawnRecord(new), DrawnRecord(own)]), 30, 20) == red)
        #expect(color(try await picture([DrawnRecord(new)]), 30, 60) == [0, 255, 0])
    }
}
