import Screen
import Terminal
import TestSupport
import Testing

extension OpenTerminal {
    /// After any sequence of drawings, the terminal shows the canvas.
    @Suite struct DrawingFuzzTests {
        private struct Random: RandomNumberGenerator {
            var state: UInt64

            mutating func next() -> UInt64 {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return state
            }
        }

        private let texts: [String] = [
            "abc", "a longer piece of text", "深層学習", "한국어 and ascii", "e\u{301}a\u{308}", "漢", "x", "   ", "🙂🙂",
            "naïve",
        ]
        private let hostile: [String] = [
            "\u{1B}[2J", "\u{1B}]0;owned\u{7}", "\u{1B}[6n", "\u{9B}31m", "\r\roverwritten", "a\u{8}\u{8}b",
            "\u{202E}reversed",
            "\u{1B}[?1049l", "\u{1B}c", "\n\n\n", "\u{E}\u{F}", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}",
            "\u{200D}\u{200D}",
            "👨\u{200D}👩\u{200D}👧", "\u{1B}[200~", "\u{1B}P1$r\u{1B}\\", "\u{0}\u{7F}",
        ]

        @Test(arguments: 1...12)
        func theTerminalShowsTheCanvas(seed: UInt64) throws {
            let terminal = try VirtualTerminal(rows: 6, columns: 24)
            let device = try terminal.open()
            defer { device.close() }
            var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15)
            let styles: [Style] = [
                .normal, Style(.bold), Style(.reverse, foreground: .red), Style(background: .indexed(33)),
            ]
            var canvas = Canvas(size: terminal.size)
            for round in 0..<60 {
                if Int.random(in: 0..<5, using: &random) == 0 { canvas = Canvas(size: terminal.size) }
                for _ in 0..<Int.random(in: 1..<6, using: &random) {
                    let text = (seed % 2 == 0 ? texts : texts + hostile).randomElement(using: &random) ?? ""
                    canvas.write(
                        CleanText(cleaning: text), row: .random(in: 0..<6, using: &random),
                        column: .random(in: -3..<24, using: &random),
                        style: styles.randomElement(using: &random) ?? .normal)
                }
                if round % 20 == 19 { device.redraw() }
                device.draw(canvas)
                terminal.pump()
                for row in 0..<6 {
                    #expect(terminal.line(row) == expectedLine(row, of: canvas), "seed \(seed), drawing \(round)")
                    let columns = (0..<24).filter { !canvas[row, $0].glyph.isContinuation }
                    let drawn = columns.map { canvas[row, $0].style.attributes }
                    let shown = columns.map { terminal.cell(row, $0).attributes }
                    #expect(drawn == shown, "seed \(seed), drawing \(round), row \(row)")
                }
            }
            #expect(terminal.isAlternateScreen && terminal.marksPastes && !terminal.isCursorVisible)
        }

        /// Marks in the last column are omitted, because some terminals, including this one, put them on the next row.
        private func expectedLine(_ row: Int, of canvas: Canvas) -> String {
            let last = canvas[row, canvas.size.columns - 1].glyph
            guard last.hasMarks else { return canvas.line(row) }
            var scalars = canvas.line(row).unicodeScalars
            scalars.removeLast(last.scalars.count - 1)
            return String(scalars)
        }
    }
}
