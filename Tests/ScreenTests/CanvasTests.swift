import Screen
import TestSupport
import Testing

@Suite struct CanvasTests {
    var canvas = Canvas(size: Size(rows: 3, columns: 10))

    @Test mutating func textIsWrittenWhereItIsAskedFor() {
        #expect(canvas.write("hello", row: 1, column: 2, style: Style(.bold)) == 5)
        #expect(canvas.text == "\n  hello\n")
        #expect(canvas.styleDump == "1:2-6 bold \"hello\"")
        #expect(canvas[1, 2].glyph.scalars == ["h"])
        #expect(canvas[1, 2].style == Style(.bold))
    }

    @Test(arguments: [
        (0, 7, "       abc"), (0, 9, "         a"), (0, 10, ""), (0, 100, ""), (0, -2, "cdef"), (0, -6, ""),
        (0, -100, ""), (-1, 0, ""), (3, 0, ""), (Int.max, Int.max, ""), (Int.min, Int.min + 100, ""),
    ])
    mutating func whatIsOutsideIsClipped(row: Int, column: Int, line: String) {
        canvas.write("abcdef", row: row, column: column)
        #expect(canvas.line(0) == line)
        #expect(canvas.line(1) == "")
    }

    @Test mutating func theNumberOfColumnsIsKept() {
        #expect(canvas.write("abcdef", row: 0, column: 0, maxColumns: 3) == 3)
        #expect(canvas.write("漢字", row: 1, column: 0, maxColumns: 3) == 2)
        #expect(canvas.write("abc", row: 2, column: 0, maxColumns: -1) == 0)
        #expect(canvas.text == "abc\n漢\n")
    }

    @Test mutating func wideCharactersFillTwoCells() {
        canvas.write("漢字", row: 0, column: 1, style: Style(.reverse))
        #expect(canvas[0, 1].glyph.width == 2)
        #expect(canvas[0, 2].glyph.isContinuation)
        #expect(canvas[0, 2].style == Style(.reverse))
        #expect(canvas.line(0) == " 漢字")
    }

    @Test(arguments: [(1, " x 字"), (2, "  x字"), (3, " 漢x"), (4, " 漢 x")])
    mutating func overwritingHalfOfAWideCharacterBlanksTheOther(column: Int, line: String) {
        canvas.write("漢字", row: 0, column: 1)
        canvas.write("x", row: 0, column: column)
        #expect(canvas.line(0) == line)
    }

    @Test mutating func aWideCharacterAtTheEdgeBecomesABlank() {
        canvas.write("漢字", row: 0, column: 7, style: Style(.bold))
        #expect(canvas.line(0) == "       漢")
        #expect(canvas[0, 9] == Cell(glyph: .blank, style: Style(.bold)))
        canvas.write("漢字", row: 1, column: -1)
        #expect(canvas.line(1) == " 字")
    }

    @Test mutating func anAreaClipsWhatIsDrawnInIt() {
        let area = Area(row: 1, column: 2, rows: 1, columns: 4)
        canvas.write("abcdefgh", in: area, column: 1)
        canvas.write("outside", in: area, row: 1)
        canvas.write("outside", in: area, column: 4)
        #expect(canvas.text == "\n   abc\n")
    }

    @Test mutating func rulesCarryATitle() {
        canvas = Canvas(size: Size(rows: 4, columns: 20))
        canvas.rule("Outbox", row: 0)
        canvas.rule(row: 1, column: 5, columns: 3)
        canvas.rule("Annotations of this layer", row: 2)
        canvas.rule("Outbox", row: 3, columns: 6)
        #expect(canvas.text == "─ Outbox ───────────\n     ───\n─ Annotations o... ─\n──────")
    }

    @Test mutating func filledAreasAreClippedToo() {
        canvas.fill(Area(row: 1, column: 8, rows: 9, columns: 9), with: "#", style: Style(.dim))
        canvas.fill(Area(row: -5, column: -5, rows: 6, columns: 6), with: "漢")
        #expect(canvas.text == "\n        ##\n        ##")
        #expect(canvas.styleDump == "1:8-9 dim \"##\"\n2:8-9 dim \"##\"")
    }

    @Test mutating func aSelectedRowIsRestyled() {
        canvas.write("ab", row: 1, column: 0, style: Style(foreground: .red))
        canvas.restyle(Area(row: 1, column: 0, rows: 1, columns: 99)) { $0.adding(.reverse) }
        #expect(canvas.styleDump == "1:0-1 reverse red \"ab\"\n1:2-9 reverse \"        \"")
    }

    @Test func equalDrawingsAreEqual() {
        var first = Canvas(size: Size(rows: 2, columns: 2))
        var second = first
        first.write("ab", row: 0, column: 0)
        second.write("a", row: 0, column: 0)
        #expect(first != second)
        second.write("b", row: 0, column: 1)
        #expect(first == second)
        second.cursor = Position(row: 0, column: 0)
        #expect(first != second)
    }

    @Test func aCanvasWithoutCellsTakesEverything() {
        var canvas = Canvas(size: Size(rows: -1, columns: 0))
        canvas.write("x", row: 0, column: 0)
        canvas.rule("title", row: 0)
        canvas.fill(canvas.area)
        #expect(canvas.text == "")
    }
}
