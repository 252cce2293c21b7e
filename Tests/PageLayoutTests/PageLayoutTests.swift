import Annotations
import PDFPages
import Testing

@testable import PageLayout

/// The layout view of pages.
@Suite struct PageLayoutTests {
    private func layout(_ page: PageText) -> String {
        let glyphs = PageGlyphs(page)
        return TypesetPage.layout(glyphs).picture(of: glyphs)
    }

    @Test(arguments: [
        "One line of text.",
        "Two lines of\ntext, no more.",
        "A paragraph of some lines\nthat ends here.\n\nAnother one.",
        "Left column of the page   and the right one\nwith two lines of text    beside it here.",
        "Name         Year     New\nSMEP         2011       0\nRDRAND       2012       1",
    ])
    func whatStandsOnAGridStaysThere(picture: String) {
        #expect(layout(drawnPage(picture)) == picture)
    }

    @Test func wordsMoveRightOnlyAsFarAsTheyMust() {
        // The first column is in smaller type, with more letters than cells.
        var text = drawnPage("xxxxx xxxxx xxxxx xxxxx xxxxx\nxxxxx xxxxx xxxxx xxxxx xxxxx")
        text.add("small letters, too many", x: 50, y: 130, size: 4, line: 50)
        text.add("beside", x: 100, y: 128, line: 51)
        let rows = layout(text).split(separator: "\n")
        #expect(rows.last == "small letters, too many beside")
    }

    @Test func columnsThatAreNotLevelShareRows() {
        var text = PageText(width: 400, height: 600, words: [])
        for row in 0..<4 {
            text.add("the left one", x: 50, y: 100 + 12 * Double(row))
            text.add("and the right", x: 150, y: 105 + 12 * Double(row))
        }
        #expect(layout(text).split(separator: "\n").count == 4)
    }

    @Test func gapsBetweenLinesAreBounded() {
        var text = PageText(width: 400, height: 800, words: [])
        text.add("at the top", x: 50, y: 100)
        text.add("far below", x: 50, y: 700)
        #expect(layout(text) == "at the top\n\n\nfar below")
    }

    @Test func turnedTextIsListedBelow() {
        var text = drawnPage("Upright text of the page.")
        text.words.append(
            .init(text: "millions", box: .init(left: 20, top: 100, width: 10, height: 40), line: 9, block: 0, flow: 0))
        #expect(layout(text) == "Upright text of the page.\n\n[turned] millions")
    }

    @Test func aLargeTitleStaysInTheMiddle() throws {
        var text = drawnPage(
            "Some text below the title, as wide as the page is.\nSome text below the title, as wide as the page is.")
        text.add("Title", x: 150, y: 60, size: 20)
        let row = try #require(layout(text).split(separator: "\n").first)
        #expect(
            row == String(repeating: " ", count: 22) + "Title" || row == String(repeating: " ", count: 23) + "Title")
    }
}
