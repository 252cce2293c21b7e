import TestSupport
import Testing

@testable import PDFPages

@Suite("A page as pixels, painted by the real tool")
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
}
