import Foundation
import Glibc
import Screen
import Terminal
import TestSupport
import Testing

extension OpenTerminal {
    /// A terminal has a limited number of combinations of colours at a time. Pages drawn in colours need more of them.
    @Suite struct ColorPairTests {
        /// What a person sees: the colour of the character, and that behind it.
        private struct Seen: Equatable, CustomStringConvertible {
            let text: Int
            let ground: Int

            init(_ cell: VirtualCell) {
                let isReversed = cell.attributes.contains(.reverse)
                (text, ground) =
                    isReversed ? (cell.background, cell.foreground) : (cell.foreground, cell.background)
            }

            init(_ style: Style) {
                func number(_ color: Color) -> Int {
                    switch color {
                    case .indexed(let index): Int(index)
                    case .rgb(let red, let green, let blue): 0x1000000 | Int(red) << 16 | Int(green) << 8 | Int(blue)
                    default: -1
                    }
                }
                let (one, other) = (number(style.foreground), number(style.background))
                (text, ground) = style.attributes.contains(.reverse) ? (other, one) : (one, other)
            }

            var description: String { "\(text) on \(ground)" }
        }

        private func check(_ canvas: Canvas, on terminal: VirtualTerminal, _ what: String) {
            for row in 0..<canvas.size.rows {
                let shown = (0..<canvas.size.columns).map { Seen(terminal.cell(row, $0)) }
                let drawn = (0..<canvas.size.columns).map { Seen(canvas[row, $0].style) }
                #expect(shown == drawn, "\(what), row \(row)")
            }
        }

        /// Eight colours make 81 combinations with the terminal's own two, which has 64 pairs.
        @Test(arguments: [Attributes(), .reverse])
        func eightColoursAreShownInAllCombinations(attributes: Attributes) throws {
            let terminal = try VirtualTerminal(rows: 9, columns: 9)
            let device = try terminal.open("linux")
            defer { device.close() }
            let colors: [Color] = [.normal] + (0..<8).map { .indexed($0) }
            let canvas = terminal.canvas { canvas in
                for (row, background) in colors.enumerated() {
                    for (column, foreground) in colors.enumerated() {
                        canvas.write(
                            "x", row: row, column: column,
                            style: Style(attributes, foreground: foreground, background: background))
                    }
                }
            }
            device.draw(canvas)
            terminal.pump()
            check(canvas, on: terminal, "all")
        }

        /// What stays on the screen keeps its colours when its pair's number is needed for others.
        @Test func moreCombinationsThanPairsAreShownOneAfterTheOther() throws {
            let description = try DirectColorDescription()
            defer { withExtendedLifetime(description) {} }
            // The output must fit the pty's buffer: nothing reads it while the device draws.
            let terminal = try VirtualTerminal(rows: 4, columns: 20)
            let device = try terminal.open(DirectColorDescription.name)
            defer { device.close() }
            #expect(device.colorDepth == .direct)
            var canvas = Canvas(size: terminal.size)
            canvas.write("stays", row: 0, column: 0, style: Style(foreground: .rgb(200, 100, 0)))
            var next = 0
            while next < DirectColorDescription.pairs + 1_000 {
                for row in 1..<4 {
                    for column in 0..<20 {
                        let style = Style(
                            foreground: .rgb(UInt8(next >> 8 & 0xFF), 90, 90),
                            background: .rgb(90, UInt8(next & 0xFF), 90))
                        canvas.write("x", row: row, column: column, style: style)
                        next += 1
                    }
                }
                device.draw(canvas)
                terminal.pump()
                if next < 100 || next > DirectColorDescription.pairs - 500 {
                    check(canvas, on: terminal, "up to \(next)")
                }
            }
        }
    }
}

/// A terminal of 16 million colours and few pairs for them, which the system need not know. Used while it exists.
private final class DirectColorDescription {
    static let name = "postilla-direct"
    static let pairs = 0x7FFF
    private let folder = NSTemporaryDirectory() + "postilla-terminfo-\(UUID().uuidString)"
    private let before = getenv("TERMINFO").map { String(cString: $0) }

    init() throws {
        func color(_ kind: Int) -> String {
            let parts = ["%p1%{65536}%/%d", "%p1%{256}%/%{255}%&%d", "%p1%{255}%&%d"].joined(separator: ";")
            return "\\E[%?%p1%{8}%<%t\(kind)%p1%d%e\(kind)8;2;\(parts)%;m"
        }
        let source = """
            \(Self.name)|direct colours,
            \tcolors#0x1000000, pairs#\(Self.pairs), RGB,
            \tsetaf=\(color(3)), setab=\(color(4)),
            \tuse=xterm-256color,

            """
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(source.utf8).write(to: URL(filePath: folder + "/source"))
        let run = try VirtualTerminal(
            running: ["/usr/bin/env", "tic", "-x", "-o", folder, folder + "/source"], environment: [:])
        #expect(try run.waitForExit() == 0, "\(run.text)")
        setenv("TERMINFO", folder, 1)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
        if let before { setenv("TERMINFO", before, 1) } else { unsetenv("TERMINFO") }
    }
}
