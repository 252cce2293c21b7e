import Screen
import Testing

/// Pictures as cells.
@Suite struct PictureCellsTests {
    private func pixels(_ rows: [[RGB]]) throws -> Pixels {
        let bytes = rows.flatMap { $0.flatMap { [$0.red, $0.green, $0.blue] } }
        return try #require(Pixels(width: rows[0].count, height: rows.count, bytes: bytes))
    }

    private func text(_ cells: PictureCells) -> [String] {
        (0..<cells.size.rows).map { row in
            let line = cells.cells[row * cells.size.columns..<(row + 1) * cells.size.columns]
            return String(String.UnicodeScalarView(line.map(\.glyph.base)))
        }
    }

    private let red = RGB(255, 0, 0)

    @Test func quartersHaveTwoColours() throws {
        let cells = PictureCells(
            try pixels([[.black, .white], [.white, .white]]), room: Size(rows: 1, columns: 1), look: .quarters)
        #expect(cells.size == Size(rows: 1, columns: 1))
        #expect(text(cells) == ["▘"])
        #expect(cells.cells[0].style == Style(foreground: .rgb(0, 0, 0), background: .rgb(255, 255, 255)))
    }

    @Test(arguments: [
        ([1, 0, 0, 1], "▚"), ([0, 1, 1, 0], "▞"), ([1, 1, 0, 0], "▀"), ([0, 0, 1, 1], "▄"), ([1, 0, 1, 0], "▌"),
        ([0, 1, 0, 1], "▐"), ([1, 1, 1, 0], "▛"), ([0, 1, 1, 1], "▟"), ([0, 0, 0, 0], " "),
    ])
    func everyShapeOfQuarters(dark: [Int], shape: String) throws {
        let colors = dark.map { $0 == 1 ? red : RGB.white }
        let cells = PictureCells(
            try pixels([Array(colors[0..<2]), Array(colors[2..<4])]), room: Size(rows: 1, columns: 1), look: .quarters)
        #expect(text(cells) == [shape])
    }

    @Test func aPictureOfOneColourIsBlanks() throws {
        let cells = PictureCells(
            try pixels(Array(repeating: Array(repeating: red, count: 16), count: 16)),
            room: Size(rows: 4, columns: 20), look: .quarters)
        // It keeps its shape: four rows are as high as eight columns are wide.
        #expect(cells.size == Size(rows: 4, columns: 8))
        #expect(cells.cells.allSatisfy { $0 == Cell(glyph: .blank, style: Style(background: .rgb(255, 0, 0))) })
    }

    @Test func fewColoursAreThoseOfTheTerminal() throws {
        let cells = PictureCells(
            try pixels([[RGB(250, 250, 250)], [RGB(10, 10, 10)]]), room: Size(rows: 1, columns: 1),
            look: .halves(.sixteen))
        #expect(text(cells) == ["▄"])
        #expect(cells.cells[0].style == Style(foreground: .rgb(0, 0, 0), background: .rgb(255, 255, 255)))
    }

    @Test func withoutColoursDarkPixelsAreDots() throws {
        let dark: [[Int]] = [[1, 0], [0, 1], [1, 0], [0, 1]]
        let cells = PictureCells(
            try pixels(dark.map { $0.map { $0 == 1 ? .black : .white } }), room: Size(rows: 1, columns: 1), look: .dots)
        #expect(text(cells) == ["⢕"])
        #expect(cells.cells.allSatisfy { $0.style == .normal })
    }

    @Test func withoutUnicodeDarkPixelsAreDenseLetters() throws {
        let grey = RGB(128, 128, 128)
        let cells = PictureCells(
            try pixels([[.white, grey, .black], [.white, grey, .black]]), room: Size(rows: 1, columns: 3),
            look: .letters)
        #expect(text(cells) == [" =@"])
    }

    @Test func whatATerminalCanDecidesTheLook() {
        #expect(PictureCells.Look(.direct, isUTF8: true) == .quarters)
        #expect(PictureCells.Look(.many, isUTF8: true) == .quarters)
        #expect(PictureCells.Look(.eight, isUTF8: true) == .halves(.eight))
        #expect(PictureCells.Look(.mono, isUTF8: true) == .dots)
        #expect(PictureCells.Look(.direct, isUTF8: false) == .letters)
    }

    /// The first cells of kitty's documentation: row and column as marks, the picture's number as the colour.
    @Test func placeholdersNumberRowsAndColumns() {
        let cells = PictureCells(placeholdersOf: Size(rows: 2, columns: 3), id: 42, depth: .many)
        #expect(cells.cells[0].glyph.scalars == ["\u{10EEEE}", "\u{305}", "\u{305}"])
        #expect(cells.cells[1].glyph.scalars == ["\u{10EEEE}", "\u{305}", "\u{30D}"])
        #expect(cells.cells[5].glyph.scalars == ["\u{10EEEE}", "\u{30D}", "\u{30E}"])
        #expect(cells.cells.allSatisfy { $0.style == Style(foreground: .indexed(42)) })
        let direct = PictureCells(placeholdersOf: Size(rows: 1, columns: 1), id: 42, depth: .direct)
        #expect(direct.cells[0].style == Style(foreground: .rgb(0, 0, 42)))
        let large = PictureCells(placeholdersOf: Size(rows: 1000, columns: 1000), id: 42, depth: .many)
        #expect(large.size.rows == PictureCells.maxPlaceholders && PictureCells.maxPlaceholders > 120)
        #expect(Set(large.cells.map(\.glyph)).count == large.cells.count)
    }

    @Test func aCanvasShowsItInTheMiddle() throws {
        var canvas = Canvas(size: Size(rows: 3, columns: 9))
        let cells = PictureCells(
            try pixels([[red, red], [red, red]]), room: Size(rows: 2, columns: 9), look: .quarters)
        canvas.draw(cells, in: Area(row: 1, column: 1, rows: 2, columns: 8))
        #expect(cells.size == Size(rows: 2, columns: 4))
        #expect(canvas[1, 2] == .blank && canvas[0, 3] == .blank)
        #expect(canvas[1, 3].style.background == .rgb(255, 0, 0) && canvas[2, 6].style.background == .rgb(255, 0, 0))
        #expect(canvas[1, 7] == .blank)
    }
}
