import Screen
import Testing

@testable import Terminal

@Suite struct CanvasChangesTests {
    private func canvas(_ text: CleanText, column: Int = 0) -> Canvas {
        var canvas = Canvas(size: Size(rows: 1, columns: 12))
        canvas.write(text, row: 0, column: column)
        return canvas
    }

    @Test(
        arguments: [
            ("same", "same", nil), ("same", "sane", 2..<3), ("abcdef", "xbcdex", 0..<6), ("short", "short and", 6..<9),
            ("漢字", "漢字", nil), ("漢字", "漢x", 0..<12), ("x", "漢", 0..<12),
        ] as [(String, String, Range<Int>?)])
    func onlyTheColumnsThatChangedAreDrawn(old: String, new: String, expected: Range<Int>?) {
        let old = canvas(CleanText(cleaning: old))
        let new = canvas(CleanText(cleaning: new))
        #expect(new.changedColumns(inRow: 0, since: old) == expected)
    }

    @Test func aStyleIsAChangeToo() {
        var new = canvas("abc")
        new.restyle(Area(row: 0, column: 1, rows: 1, columns: 1)) { $0.adding(.bold) }
        #expect(new.changedColumns(inRow: 0, since: canvas("abc")) == 1..<2)
    }

    @Test func withNothingToCompareEverythingIsDrawn() {
        #expect(canvas("abc").changedColumns(inRow: 0, since: nil) == 0..<12)
        #expect(canvas("abc").changedColumns(inRow: 0, since: Canvas(size: Size(rows: 2, columns: 12))) == 0..<12)
        #expect(Canvas(size: Size(rows: 1, columns: 0)).changedColumns(inRow: 0, since: nil) == nil)
    }
}
