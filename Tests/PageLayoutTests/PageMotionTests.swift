import PDFPages
import Testing

@testable import PageLayout

/// Cursor motions over the text of a page.
@Suite struct PageMotionTests {
    private let text = drawnPage(
        """
        The left column is set in lines   and goes on in the right one,
        of some length. And so it runs,   where the text is as long as
        down to the foot of the page...   before. It ends in the middle
        where it stops without an end     of nothing much (to speak of).
        """)

    /// Returns the text around the cursor after some keys, with its row and the cursor in brackets.
    private func after(_ keys: String, from word: String, layout: Bool = false) throws -> String? {
        let page = PageGlyphs(text)
        let view = layout ? TypesetPage.layout(page) : TypesetPage.reading(page, width: 40)
        var cursor = PageCursor(glyph: try #require(page.occurrences(of: word).first).lowerBound)
        for key in keys {
            let motion = try #require(Self.motions[key])
            guard let next = view.moved(cursor, by: motion, in: page) else { return nil }
            cursor = next
        }
        let around = max(0, cursor.glyph - 4)..<min(page.count, cursor.glyph + 5)
        let spot = view.spots[cursor.glyph]
        let letters = around.map { index in
            index == cursor.glyph ? "[\(page.text(of: index..<index + 1))]" : page.text(of: index..<index + 1)
        }
        return "\(spot.row): \(letters.joined())"
    }

    private static let motions: [Character: PageMotion] = [
        "h": .left, "l": .right, "j": .down, "k": .up, "w": .wordForward, "b": .wordBack, "e": .wordEnd,
        "0": .rowStart, "^": .rowText, "$": .rowEnd, "(": .sentenceBack, ")": .sentenceForward, "{": .blockBack,
        "}": .blockForward, "g": .first, "G": .last,
    ]

    @Test(arguments: [
        ("l", "left", "0: he l[e]ft c"),
        ("h", "left", "0: The[ ]left"),
        ("w", "left", "0: eft [c]olum"),
        ("e", "left", "0:  lef[t] col"),
        ("ee", "left", "0: olum[n] is "),
        ("b", "column", "0: The [l]eft "),
        ("b", "olumn", "0: eft [c]olum"),
        ("e", "length", "1: engt[h]. An"),
        ("w", "length", "1: th. [A]nd s"),
        (")", "column", "1: th. [A]nd s"),
        ("(", "length", "0: [T]he l"),
        ("))", "column", "5:  end[a]nd g"),
    ])
    func wordsAndSentences(keys: String, word: String, expected: String) throws {
        #expect(try after(keys, from: word) == expected)
    }

    @Test func rowsKeepTheColumn() throws {
        // The motion skips the rule between the columns.
        #expect(try after("jj", from: "column") == after("jjjk", from: "column"))
        #expect(try after("jk", from: "column") == "0: eft [c]olum")
        let page = PageGlyphs(drawnPage("a long enough first line\nshort\nand a long enough third line to see it"))
        let view = TypesetPage.layout(page)
        let start = PageCursor(glyph: try #require(page.occurrences(of: "first").first).lowerBound)
        let short = try #require(view.moved(start, by: .down, in: page))
        #expect(page.text(of: short.glyph..<short.glyph + 1) == "t")
        let third = try #require(view.moved(short, by: .down, in: page))
        #expect(view.spots[third.glyph].column == view.spots[start.glyph].column)
    }

    @Test func endsOfRows() throws {
        #expect(try after("0", from: "column") == "0: [T]he l")
        #expect(try after("$", from: "left")?.hasPrefix("0:") == true)
        #expect(try after("$l", from: "left")?.hasPrefix("0:") == true, "the space behind the row's last word")
        // In the layout view, a row spans everything side by side.
        #expect(try after("$", from: "left", layout: true) == "0:  one[,]wher")
    }

    @Test func columnsFollowOneAnother() throws {
        #expect(try after("w", from: "end")?.hasSuffix("[a]nd g") == true)
        #expect(try after("}", from: "left") == after("w", from: "end"))
        #expect(try after("}{", from: "column") == after("g", from: "column"))
    }

    @Test func atTheEndsOfThePageThereIsNoMore() throws {
        #expect(try after("gh", from: "left") == nil)
        #expect(try after("gb", from: "left") == nil)
        #expect(try after("gk", from: "left") == nil)
        #expect(try after("Gl", from: "left") == nil)
        #expect(try after("Gw", from: "left") == nil)
        #expect(try after("Gj", from: "left") == nil)
        #expect(try after("G}", from: "left") == nil)
        #expect(try after("G)", from: "left") == nil)
    }

    @Test func hiddenHyphensAreSteppedOver() throws {
        let page = PageGlyphs(drawnPage("the instruc-\ntion set of it"))
        let view = TypesetPage.reading(page, width: 40)
        let c = PageCursor(glyph: try #require(page.occurrences(of: "c").first).lowerBound)
        let t = try #require(view.moved(c, by: .right, in: page))
        #expect(page.text(of: c.glyph..<t.glyph + 1) == "ct")
        #expect(view.spots[t.glyph].column == view.spots[c.glyph].column + 1)
        #expect(view.moved(t, by: .left, in: page)?.glyph == c.glyph)
        #expect(view.moved(c, by: .wordEnd, in: page).map { page.text(of: c.glyph..<$0.glyph + 1) } == "ction")
    }

    @Test(arguments: [
        ("He met Mr. Smith there. Then he left.", ["He met Mr. Smith there.", "Then he left."]),
        ("See Fig. 3 for it. And J. S. Bach too!", ["See Fig. 3 for it.", "And J. S. Bach too!"]),
        ("It is 3.14 (about). \"Really?\" No.", ["It is 3.14 (about).", "\"Really?\"", "No."]),
        ("One, e.g. this. two", ["One, e.g. this. two"]),
        ("それは本です。 これも。 終", ["それは本です。", "これも。", "終"]),
    ])
    func sentences(source: String, expected: [String]) {
        let page = PageGlyphs(drawnPage(source))
        let found = page.sentences.map { page.text(of: $0) }
        #expect(found == expected)
    }
}
