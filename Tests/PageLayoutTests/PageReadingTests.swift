import Annotations
import PDFPages
import Screen
import Testing

@testable import PageLayout

/// The reading view of pages.
@Suite struct PageReadingTests {
    private func reading(_ page: PageText, width: Int = 40, opened: Set<Int> = []) -> String {
        let glyphs = PageGlyphs(page)
        return TypesetPage.reading(glyphs, width: width, opened: opened).picture(of: glyphs)
    }

    @Test func linesOfAParagraphFlowTogether() {
        let text = drawnPage(
            """
            The page is read as text, and the
            lines of a paragraph go on where
            the line before them has ended.
            """)
        #expect(
            reading(text, width: 24) == """
                The page is read as
                text, and the lines of a
                paragraph go on where
                the line before them has
                ended.
                """)
    }

    /// A wide table on an upright sheet, turned to the left or to the right.
    @Test(arguments: [true, false]) func aTurnedTableIsReadAsIfItStoodUpright(isUpwards: Bool) {
        let upright = drawnPage(
            """
            State      Permits    Handguns   Longguns
            Alabama    21000      11000      12000
            Alaska     20         2700       3200
            Arizona    4100       17000      9900
            Arkansas   5900       7900       11000
            """, width: 800, height: 500)
        var page = upright
        (page.width, page.height) = (500, 800)
        for index in page.words.indices {
            let box = page.words[index].box
            page.words[index].box =
                isUpwards
                ? Rect(left: box.top, top: 800 - box.right, width: box.height, height: box.width)
                : Rect(left: 500 - box.bottom, top: box.left, width: box.height, height: box.width)
        }
        let (glyphs, expected) = (PageGlyphs(page), PageGlyphs(upright))
        #expect(glyphs.text(of: 0..<glyphs.count) == expected.text(of: 0..<expected.count))
        #expect(glyphs.blocks.map(\.kind) == expected.blocks.map(\.kind))
        #expect(reading(page) == reading(upright))
        // Marks are found by their place on the real page.
        let word = page.words[6]
        #expect(glyphs.words(under: [word.box]) == word.text)
        #expect(TypesetPage.layout(glyphs, zoom: 100).rows.count > 0)
    }

    @Test func paragraphsStandApart() {
        let text = drawnPage(
            """
            One paragraph fills its lines to
            the end, or nearly to the end.
              Another one begins with its
            first line standing in a little.

            A third comes after a wide gap.
            """)
        #expect(
            reading(text, width: 60) == """
                One paragraph fills its lines to the end, or nearly to the
                end.

                Another one begins with its first line standing in a little.

                A third comes after a wide gap.
                """)
    }

    @Test func aLineEndedOnPurposeStaysEnded() {
        let text = drawnPage(
            """
            Postilla House
            12 Margin Street
            Folio, and a line that is long
            """)
        #expect(reading(text) == "Postilla House\n12 Margin Street\nFolio, and a line that is long")
    }

    @Test(arguments: [
        ("a whole instruc-\ntion, in two lines", "a whole instruction, in two lines"),
        ("the user-mode and a user-\nmode driver, together", "the user-mode and a user-mode driver, together"),
        ("these are closely-\nrelated instructions", "these are closely-related instructions"),
        ("verified with SMT-\nbased methods and so on", "verified with SMT-based methods and so on"),
        ("the years from 2015-\n2016 and the others", "the years from 2015-2016 and the others"),
        ("long before the pre-\nSkylake parts of it", "long before the pre-Skylake parts of it"),
        ("a soft hyphen instruc\u{AD}\ntion, in two lines", "a soft hyphen instruction, in two lines"),
        ("so it is - or it was -\nbut nobody knows it", "so it is - or it was - but nobody knows it"),
    ])
    func hyphenatedLineEndsAreJoined(source: String, shown: String) {
        #expect(reading(drawnPage(source), width: 60) == shown)
    }

    @Test func columnsAreReadOneAfterTheOther() {
        let text = drawnPage(
            """
            The left column is set in lines   and goes on in the right one,
            of some length, and so it runs    where the text is as long as
            down to the foot of the page,     before and ends in the middle
            where it stops without an end     of nothing much to speak of.
            """)
        #expect(
            reading(text, width: 60) == """
                The left column is set in lines of some length, and so it
                runs down to the foot of the page, where it stops without an
                end
                ------------------------- column 2 -------------------------
                and goes on in the right one, where the text is as long as
                before and ends in the middle of nothing much to speak of.
                """)
    }

    @Test func aTitleRunsAcrossTheColumnsBelowIt() {
        var text = drawnPage(
            """
            The left column is set in lines   and goes on in the right one,
            of some length, and so it runs    where the text is as long as
            down to the foot of the page.     before and ends with a stop.
            """)
        text.add("A title in the middle", x: 130, y: 60, size: 14)
        let glyphs = PageGlyphs(text)
        let view = TypesetPage.reading(glyphs, width: 60)
        #expect(view.text(of: 0, in: glyphs).string == " A title in the middle")
        #expect(view.rows[0].role == .heading)
        #expect(glyphs.blocks.map(\.column) == [0, 1, 2])
    }

    @Test func theShortLastLineOfAnAbstractIsNotTakenForAColumn() {
        let text = drawnPage(
            """
            An abstract that runs across the columns below it, and a little
            further.

            The left column is set in lines   and goes on in the right one,
            of some length, and so it runs    where the text is as long as
            down to the foot of the page.     before and ends with a stop.
            """)
        let page = PageGlyphs(text)
        #expect(page.blocks.map(\.column) == [0, 1, 2])
        #expect(page.text(of: page.blocks[0].glyphs).hasSuffix("and a little further."))
    }

    @Test func aHeadingIsJoinedToItsNumberAndStandsAboveItsText() {
        var text = drawnPage("Text of the chapter, long enough to\nbe a paragraph of two lines.")
        text.add("2", x: 50, y: 70, size: 13)
        text.add("The rise of it all", x: 75, y: 70, size: 13)
        #expect(
            reading(text, width: 60) == """
                2 The rise of it all
                Text of the chapter, long enough to be a paragraph of two
                lines.
                """)
    }

    @Test func aTableIsShownAsRowsOfCells() {
        let text = drawnPage(
            """
            Name         Year     New    Changed
            SMEP         2011       0          0
            RDRAND       2012       1          0
            AVX-512      2014     129         12
            """)
        #expect(
            reading(text, width: 40) == """
                Name    | Year | New | Changed
                SMEP    | 2011 | 0   | 0
                RDRAND  | 2012 | 1   | 0
                AVX-512 | 2014 | 129 | 12
                """)
    }

    @Test func aTableTooWideIsFoldedUntilItIsOpened() {
        let text = drawnPage(
            """
            Name         Year of it   What is new in it
            SMEP         2011         nothing at all
            RDRAND       2012         numbers by chance
            AVX-512      2014         longer vectors
            """)
        #expect(reading(text, width: 30) == "[table 4 x 3: Enter shows it]")
        #expect(
            reading(text, width: 30, opened: [0]) == """
                Name | Year of it | What is
                  new in it
                SMEP | 2011 | nothing at all
                RDRAND | 2012 | numbers by
                  chance
                AVX-512 | 2014 | longer
                  vectors
                """)
    }

    @Test func oneNameTooLongForItsColumnDoesNotBreakATable() {
        let text = drawnPage(
            """
            Name         What it does        Year
            SMEP         nothing at all      2011
            RDRAND       numbers by chance   2012
            AVX-512      longer vectors      2014
            XSAVEC/XSAVES/XRST   switch      2014
            MPX          bounds checking     2015
            SGX1         secure enclaves     2015
            """)
        #expect(PageGlyphs(text).blocks.count == 1)
        #expect(reading(text, width: 60).contains("SMEP               | nothing at all"))
    }

    @Test func formulasStandOnTheirOwnWithSigns() {
        var text = drawnPage(
            """
            The energy of a body at rest is what its
            mass is times the speed of light squared

            and this is all that need be said of it.
            """)
        text.add("E = mc", x: 150, y: 124, line: 90)
        text.add("2", x: 180, y: 121, size: 6, line: 90)
        text.add("+ x", x: 190, y: 124, line: 90)
        text.add("i", x: 205, y: 131, size: 6, line: 90)
        #expect(
            reading(text, width: 80) == """
                The energy of a body at rest is what its mass is times the speed of light
                squared

                  E = mc^2 + x_i

                and this is all that need be said of it.
                """)
    }

    @Test func runningHeadsComeLastAndTurnedTextAfterThem() {
        var text = drawnPage("The matter of the page begins\nhere, and goes on a little.\nAnd then\nit ends.")
        text.add("Journal of Margins", x: 50, y: 20, size: 8)
        text.add("17", x: 250, y: 770)
        text.words.append(
            .init(text: "millions", box: .init(left: 20, top: 200, width: 10, height: 40), line: 99, block: 0, flow: 0))
        let glyphs = PageGlyphs(text)
        let view = TypesetPage.reading(glyphs, width: 60)
        #expect(
            view.picture(of: glyphs) == """
                The matter of the page begins here, and goes on a little.
                And then
                it ends.

                Journal of Margins
                17

                [turned] millions
                """)
        #expect(view.rows.map(\.role).suffix(4) == [.dim, .dim, .body, .dim])
    }

    @Test func numbersOfAFigureAreOneDimBlock() {
        let text = drawnPage(
            "10                   90\n20                   80\n30                   70\n40                   60")
        #expect(reading(text, width: 50) == "10  90  20  80  30  70  40  60")
    }

    @Test func itemsOfAListBeginRows() {
        let text = drawnPage(
            """
            1. The first of the items, which is
               long enough for two lines of it.
            2. The second of the items, which is
               about as long as the first one.
            """)
        #expect(
            reading(text, width: 80) == """
                1. The first of the items, which is long enough for two lines of it.

                2. The second of the items, which is about as long as the first one.
                """)
    }

    @Test func wideLettersTakeTwoCellsAndBreakAnywhere() {
        let text = drawnPage("日本語の文章は空白なし\nで続いて行くものです。")
        #expect(reading(text, width: 16) == "日本語の文章は空\n白なしで続いて行\nくものです。")
        #expect(reading(text, width: 15) == "日本語の文章は\n空白なしで続い\nて行くものです。".replacing("です。", with: "で\nす。"))
    }

    @Test func rightToLeftIsInTheOrderItIsRead() {
        // On paper the first word is on the right, and each word's letters are given from left to right.
        func onPaper(_ word: String) -> String { String(word.reversed()) }
        var text = PageText(width: 400, height: 800, words: [])
        let (peace, world) = ("שלום", "עולם")
        text.add("(\(onPaper(world))) 2026 \(onPaper(peace))", x: 50, y: 100)
        #expect(reading(text) == "\(peace) 2026 (\(world))")
        // The first letter in reading order is the rightmost.
        let glyphs = PageGlyphs(text)
        #expect(glyphs.glyphs[0].box.right == 50 + 5 * 16)
    }

    @Test func controlsInTheSourceAreShownNotSent() {
        #expect(reading(drawnPage("an \u{1B}[31mevil\u{202E} word")) == "an \u{241B}[31mevil\u{2426} word")
    }

    @Test func aWordLongerThanTheRowIsCut() {
        #expect(
            reading(drawnPage("see https://example.org/a/b/c now"), width: 12)
                == "see\nhttps://exam\nple.org/a/b/\nc now")
    }

    @Test func aPageWithoutTextHasNoRows() {
        #expect(reading(PageText(width: 400, height: 600, words: [])) == "")
    }
}
