import PDFPages
import Screen
import TestSupport
import Testing

@testable import Terminal

extension OpenTerminal {
    /// What a page of text costs on the way to the terminal. A slow line carries about 100 kB in a second.
    @Suite struct PictureSizeTests {
        static let pages: [(file: String, page: Int)] =
            [(Repository.root + "/Resources/samples/reading-machines.pdf", 0)]
            + Repository.samples.filter { $0.name == "pdfannots-hotos17.pdf" }.map { ($0.path, 1) }

        private func pixels(_ page: (file: String, page: Int), _ width: Int, _ height: Int) async throws -> Pixels {
            let picture = try await PDFTools().picture(of: page.file, page: page.page, width: width, height: height)
            return try #require(Pixels(width: width, height: height, bytes: picture.pixels))
        }

        @Test(arguments: pages.indices) func aPageOfTextInPixels(index: Int) async throws {
            let pixels = try await pixels(Self.pages[index], 800, 1_000)
            let room = Size(rows: 63, columns: 100)
            let kitty = PictureText(pixels, as: .kitty, room: room, cell: (8, 16)).size
            #expect(kitty <= 150_000, "\(kitty)")
            let wrapped = PictureText(pixels, as: .placeholders(id: 42), room: room, cell: (8, 16)).size
            #expect(wrapped <= 150_000, "\(wrapped)")
            let sixel = PictureText(pixels, as: .sixel, room: room, cell: (8, 16)).size
            #expect(sixel <= 400_000, "\(sixel)")
            print("a page of text, \(Self.pages[index].file): kitty \(kitty), tmux \(wrapped), sixel \(sixel) bytes")
        }

        /// As wide as the screen, which shows the upper part of the page.
        @Test func aPageOfTextAsCells() async throws {
            let pixels = try await pixels(Self.pages[0], 960, 1_242)
            let upper = try #require(Pixels(width: 960, height: 480, bytes: Array(pixels.bytes.prefix(960 * 480 * 3))))
            let terminal = try VirtualTerminal(rows: 30, columns: 120)
            let device = try terminal.open()
            defer { device.close() }
            terminal.pump()
            let cells = PictureCells(
                upper, room: terminal.size, look: PictureCells.Look(device.colorDepth, isUTF8: true))
            #expect(cells.size == Size(rows: 30, columns: 120))
            let before = terminal.bytesRead
            // Piece by piece: nobody reads the terminal while the device writes, and it holds little.
            for row in 0..<30 {
                for column in stride(from: 20, through: 120, by: 20) {
                    device.draw(
                        terminal.canvas { canvas in
                            canvas.draw(cells, in: canvas.area)
                            canvas.fill(Area(row: row + 1, column: 0, rows: 29 - row, columns: 120))
                            canvas.fill(Area(row: row, column: column, rows: 1, columns: 120 - column))
                        })
                    terminal.pump()
                }
            }
            let bytes = terminal.bytesRead - before
            #expect((20_000...120_000).contains(bytes), "\(bytes)")
            print("a page of text as cells: \(bytes) bytes")
        }
    }
}
