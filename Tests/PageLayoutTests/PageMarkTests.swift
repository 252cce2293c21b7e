import Annotations
import PDFPages
import Screen
import Testing

@testable import PageLayout

/// Annotation marks in the text of a page.
@Suite struct PageMarkTests {
    private let text = drawnPage(
        """
        This calls for a rethink of how we approach the
        instruction set. In this paper we highlight some
        of the challenges arising from recent extensions.
        """)

    /// Returns a mark on words of a page, as their annotation would have it.
    private func mark(_ words: String, _ letter: Character = "H", on page: PageGlyphs) throws -> PageMark {
        let range = try #require(page.occurrences(of: words).first)
        return markup(page.rects(of: range), letter)
    }

    private func markup(_ rects: [Rect], _ letter: Character = "H") -> PageMark {
        PageMark(id: "\(letter)", letter: letter, rects: rects, box: .around(rects))
    }

    private func reading(_ marks: [PageMark], _ page: PageGlyphs, width: Int = 40) -> String {
        let marks = PageMarks(marks, on: page)
        let brackets = MarkBrackets(marks, in: .reading, of: page)
        return TypesetPage.reading(page, width: width, brackets: brackets).picture(of: page, marks: marks)
    }

    @Test func bracketsStandBesideTheWords() throws {
        let page = PageGlyphs(text)
        let marks = [try mark("rethink of how", on: page)]
        #expect(
            reading(marks, page) == """
                H  This calls for a [rethink of how] we
                   approach the instruction set. In this
                   paper we highlight some of the
                   challenges arising from recent
                   extensions.
                """)
    }

    @Test func aMarkOverSeveralRowsOpensOnceAndClosesOnce() throws {
        let page = PageGlyphs(text)
        #expect(
            reading([try mark("we highlight some of the challenges arising", "U", on: page)], page) == """
                   This calls for a rethink of how we
                   approach the instruction set. In this
                U  paper [we highlight some of the
                U  challenges arising] from recent
                   extensions.
                """)
    }

    @Test func aBracketAtTheStartOfARowStandsInTheMargin() throws {
        let page = PageGlyphs(text)
        #expect(
            reading([try mark("approach the instruction set. In this", on: page)], page) == """
                   This calls for a rethink of how we
                H [approach the instruction set. In this]
                   paper we highlight some of the
                   challenges arising from recent
                   extensions.
                """)
    }

    @Test func aMarkWithinAWordHasItsBracketsThere() throws {
        let page = PageGlyphs(text)
        #expect(reading([try mark("think", on: page)], page).hasPrefix("H  This calls for a re[think] of how"))
    }

    /// Brackets take part in the filling of rows.
    @Test func aWordThatDoesNotFitWithItsBracketGoesIntoTheNextRow() throws {
        let page = PageGlyphs(text)
        #expect(
            reading([try mark("how we", on: page)], page, width: 34) == """
                H  This calls for a rethink of [how
                H  we] approach the instruction set.
                   In this paper we highlight some of
                   the challenges arising from recent
                   extensions.
                """)
        #expect(reading([], page, width: 34).hasPrefix("   This calls for a rethink of how we\n"))
    }

    /// The cursor, the search and the mouse follow the letters, which brackets have moved.
    @Test func theSpotsFollowTheLetters() throws {
        let page = PageGlyphs(text)
        let marks = PageMarks([try mark("calls for", on: page), try mark("how", on: page)], on: page)
        let view = TypesetPage.reading(page, width: 40, brackets: MarkBrackets(marks, in: .reading, of: page))
        #expect(view.text(of: 0, in: page).string == " This [calls for] a rethink of [how] we ")
        let rows = marks.rows(in: view, of: page)
        #expect(rows[0]?.spans.map(\.columns) == [7..<16, 32..<35])
        #expect(view.spot(of: try #require(page.occurrences(of: "we").first).lowerBound)?.column == 37)
        #expect(view.glyph(nearest: .init(row: 0, column: 7)) == 5)
    }

    @Test func overlappingMarksHaveBracketsOfTheirOwn() throws {
        let page = PageGlyphs(text)
        let crossing = [try mark("calls for a rethink", on: page), try mark("a rethink of how", "U", on: page)]
        #expect(reading(crossing, page).hasPrefix("HU This [calls for <a rethink] of how> we"))
        let nested = [try mark("for a rethink of", on: page), try mark("rethink", "X", on: page)]
        #expect(reading(nested, page).hasPrefix("HX This calls [for a <rethink> of] how we"))
        let touching = [try mark("calls for", on: page), try mark("a rethink", on: page)]
        let together = [try mark("a rethink", on: page), try mark("a rethink of how", on: page)]
        #expect(reading(together, page).hasPrefix("H  This calls for [<a rethink> of how] we"))
        #expect(reading(touching, page).hasPrefix("H  This [calls for] [a rethink] of how we"))
    }

    @Test func theGutterHoldsTwoKinds() throws {
        let page = PageGlyphs(text)
        let marks = try [("This", "H"), ("calls", "U"), ("for", "X"), ("how", "H")].map { word, letter in
            try mark(word, Character(letter), on: page)
        }
        #expect(reading(marks, page).hasPrefix("H+[This] [calls] [for] a"))
    }

    @Test func aNoteIsShownAtTheLineItStandsBy() {
        let page = PageGlyphs(text)
        // In the left margin beside the third line, far below the text, and above it.
        for (y, row) in [(126.0, 2), (700, 2), (10, 0)] {
            let note = PageMark(id: "n", letter: "N", rects: [], box: Rect(left: 10, top: y, width: 18, height: 18))
            let view = TypesetPage.layout(page)
            #expect(Array(PageMarks([note], on: page).rows(in: view, of: page).keys) == [row])
        }
    }

    @Test func layoutBracketsEveryLineOfAMark() throws {
        let page = PageGlyphs(
            drawnPage(
                """
                The left column is set in lines   and goes on in the right one,
                of some length, and so it runs    where the text is as long as
                down to the foot of the page,     before and ends in the middle
                where it stops without an end     of nothing much to speak of.
                """))
        let marks = PageMarks([try mark("where it stops without an end and goes on in", on: page)], on: page)
        let view = TypesetPage.layout(page, brackets: MarkBrackets(marks, in: .layout, of: page))
        #expect(
            view.picture(of: page, marks: marks) == """
                H  The left column is set in lines  [and goes on in] the right one,
                   of some length, and so it runs    where the text is as long as
                   down to the foot of the page,     before and ends in the middle
                H [where it stops without an end]    of nothing much to speak of.
                """)
    }

    @Test func marksInAFoldedTableAreInItsGutterOnly() throws {
        let page = PageGlyphs(
            drawnPage(
                """
                Name         Year of it   What is new in it
                SMEP         2011         nothing at all
                RDRAND       2012         numbers by chance
                """ + "\nAVX-512      2014         longer vectors"))
        #expect(reading([try mark("2012", on: page)], page, width: 30) == "H  [table 4 x 3: Enter shows it]")
    }

    @Test func markedWordsAreReadWithoutTheLineEnds() throws {
        let page = PageGlyphs(drawnPage("we approach the instruc-\ntion set as it stands there"))
        let marks = PageMarks([try mark("the instruction set", on: page)], on: page)
        #expect(page.words(under: marks.marks[0].rects) == "the instruction set")
        #expect(marks.marks[0].rects.count == 2)
    }

    @Test func aRectTakesTheGlyphsWhoseMiddleItHolds() {
        let page = PageGlyphs(drawnPage("abcdefgh"))
        // Each letter is 5 points wide, from 50 on.
        func taken(_ rect: Rect) -> String { page.ranges(in: [rect]).map { page.text(of: $0) }.joined(separator: "|") }
        #expect(taken(Rect(left: 58, top: 98, width: 15, height: 14)) == "cde")
        #expect(taken(Rect(left: 57, top: 98, width: 15, height: 14)) == "bcd")
        // An underline: flat and within the line; and one that only touches the line from below.
        #expect(taken(Rect(left: 50, top: 107, width: 10, height: 2)) == "ab")
        #expect(taken(Rect(left: 50, top: 110, width: 10, height: 10)) == "")
    }

    @Test func marksOnAGlyphAreFound() throws {
        let page = PageGlyphs(text)
        let note = PageMark(id: "n", letter: "N", rects: [], box: Rect(left: 50, top: 100, width: 5, height: 5))
        let marks = PageMarks([try mark("This calls", on: page), try mark("calls", "U", on: page), note], on: page)
        #expect(marks.marks(at: 0) == [0, 2])
        #expect(marks.marks(at: 5) == [0, 1])
        #expect(marks.marks(at: 10) == [])
    }

    @Test func onAPageWithoutTextMarksHaveAPlaceInWords() {
        let page = PageGlyphs(PageText(width: 600, height: 900, words: []))
        let box = Rect(left: 20, top: 30, width: 10, height: 10)
        let marks = PageMarks([PageMark(id: "n", letter: "N", rects: [box], box: box)], on: page)
        #expect(marks.anchors == [nil])
        #expect(marks.rows(in: .reading(page, width: 40), of: page).isEmpty)
        #expect(box.place(width: 600, height: 900) == "top left")
    }

    @Test(arguments: [
        (100.0, 100.0, "top left"), (300, 100, "top"), (500, 450, "middle right"), (300, 450, "middle"),
        (599, 899, "bottom right"), (-50, 5000, "bottom left"),
    ])
    func placesHaveNames(x: Double, y: Double, name: String) {
        #expect(Rect(left: x, top: y, width: 0, height: 0).place(width: 600, height: 900) == name)
        // Records have any numbers.
        for value in [1e300, -1e300, .infinity, .nan, .leastNonzeroMagnitude] {
            let box = Rect(left: value, top: x, width: value, height: value)
            for size in [600, value] { #expect(!box.place(width: size, height: size).isEmpty) }
        }
    }

}
