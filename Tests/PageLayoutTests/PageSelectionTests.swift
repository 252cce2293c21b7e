import Annotations
import PDFPages
import Testing

@testable import PageLayout

/// Selections on a page, and their results.
@Suite struct PageSelectionTests {
    private let columns = drawnPage(
        """
        The left column is set in lines   and goes on in the right one,
        of some length. And so it runs,   where the text is as long as
        down to the foot of the page...   before. It ends in the middle
        where it stops without an end     of nothing much (to speak of).
        """)

    private func select(_ page: PageGlyphs, from: String, to: String) throws -> PageSelection {
        var selection = PageSelection(at: try #require(page.occurrences(of: from).first).lowerBound)
        selection.head = try #require(page.occurrences(of: to).first).upperBound - 1
        return selection
    }

    @Test func aSelectionGoesOnAtTheHeadOfTheNextColumn() throws {
        let page = PageGlyphs(columns)
        let view = TypesetPage.reading(page, width: 60)
        let range = try select(page, from: "without", to: "goes on").range(in: view, of: page)
        #expect(page.text(of: range) == "without an end\nand goes on")
        #expect(
            page.rects(of: range) == [
                Rect(left: 125, top: 136, width: 70, height: 10), Rect(left: 220, top: 100, width: 55, height: 10),
            ])
        #expect(page.wordCount(in: range) == 6)
    }

    @Test func backwardsIsTheSame() throws {
        let page = PageGlyphs(columns)
        let view = TypesetPage.reading(page, width: 60)
        var selection = try select(page, from: "column", to: "lines")
        let forwards = selection.range(in: view, of: page)
        selection.swapEnds()
        #expect(selection.range(in: view, of: page) == forwards)
        #expect(selection.head == forwards.lowerBound)
    }

    @Test func rowsAreThoseOfTheView() throws {
        let page = PageGlyphs(columns)
        var selection = try select(page, from: "length", to: "length")
        selection.unit = .rows
        let reading = TypesetPage.reading(page, width: 40)
        #expect(page.text(of: selection.range(in: reading, of: page)) == "length. And so it runs, down to the foot")
        let layout = TypesetPage.layout(page)
        #expect(page.text(of: selection.range(in: layout, of: page)) == "of some length. And so it runs,")
    }

    @Test func growingTakesTheWordThenTheSentenceThenTheBlock() throws {
        let page = PageGlyphs(drawnPage("One of them. (Two of them,\nhere), no more. And three."))
        let view = TypesetPage.reading(page, width: 60)
        var selection = PageSelection(at: try #require(page.occurrences(of: "wo").first).lowerBound)
        var seen: [String] = []
        for _ in 0..<5 {
            selection.grow(in: page)
            seen.append(page.text(of: selection.range(in: view, of: page)))
        }
        let block = "One of them. (Two of them, here), no more. And three."
        #expect(seen == ["Two", "(Two of them, here), no more.", block, block, block])
    }

    @Test(arguments: [
        ("one two", "one two"),
        ("some of the challenges arising from an accelerating rate of change", "some of the \u{2026} change"),
        ("incomprehensibilities incomprehensibilities end", "incomprehensibilities \u{2026} end"),
    ])
    func excerpts(source: String, expected: String) {
        let page = PageGlyphs(drawnPage(source))
        #expect(page.excerpt(of: 0..<page.count, cells: 22) == expected)
    }

    @Test func wordsAreCountedWhole() throws {
        let page = PageGlyphs(drawnPage("an instruc-\ntion set - or two, perhaps"))
        #expect(page.wordCount(in: 0..<page.count) == 6)
        let half = try #require(page.occurrences(of: "truction").first)
        #expect(page.wordCount(in: half) == 1)
        #expect(page.wordCount(in: 0..<0) == 0)
    }

    @Test func whatIsSelectedIsWhatIsMarked() throws {
        let page = PageGlyphs(columns)
        for (first, last) in [(0, 0), (3, 40), (20, 200), (0, page.count - 1)] {
            let range = page.trimmed(first..<last + 1)
            let marked = page.ranges(in: page.rects(of: range)).flatMap { $0 }.filter { !page.glyphs[$0].isSpace }
            #expect(marked == range.filter { !page.glyphs[$0].isSpace })
        }
    }

    @Test func nothingIsSelectedOnAnEmptyPage() {
        let page = PageGlyphs(PageText(width: 10, height: 10, words: []))
        var selection = PageSelection(at: 0)
        selection.grow(in: page)
        #expect(selection.range(in: .reading(page, width: 40), of: page).isEmpty)
        #expect(page.rects(of: 0..<0).isEmpty)
    }
}
