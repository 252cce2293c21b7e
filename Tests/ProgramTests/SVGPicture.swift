import Screen
import TestSupport

/// The screen of a terminal as an SVG image, with its colours.
struct SVGPicture {
    private static let (width, height, margin) = (8.4, 18.0, 12.0)
    private let terminal: VirtualTerminal
    private let ground: Ground

    init(_ terminal: VirtualTerminal, on ground: Ground) { (self.terminal, self.ground) = (terminal, ground) }

    private struct Look: Equatable {
        var foreground: RGB
        var background: RGB?
        var attributes: Attributes
    }

    var text: String {
        let size = terminal.size
        let width = Self.number(Double(size.columns) * Self.width + 2 * Self.margin)
        let height = Self.number(Double(size.rows) * Self.height + 2 * Self.margin)
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" "
                + "font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\">",
            "<rect width=\"\(width)\" height=\"\(height)\" rx=\"8\" fill=\"\(Self.code(ground.background))\"/>",
        ]
        for row in 0..<size.rows { lines += line(row) }
        return (lines + ["</svg>"]).joined(separator: "\n")
    }

    private func line(_ row: Int) -> [String] {
        var runs: [(column: Int, columns: Int, text: String, look: Look)] = []
        var column = 0
        while column < terminal.size.columns {
            let cell = terminal.cell(row, column)
            let look = look(of: cell)
            let text = cell.text.isEmpty ? " " : cell.text
            let width = max(1, cell.width)
            if let last = runs.last, last.look == look {
                runs[runs.count - 1].columns += width
                runs[runs.count - 1].text += text
            } else {
                runs.append((column, width, text, look))
            }
            column += width
        }
        let top = Double(row) * Self.height + Self.margin
        return runs.flatMap { run -> [String] in
            let left = Self.number(Double(run.column) * Self.width + Self.margin)
            let width = Self.number(Double(run.columns) * Self.width)
            var elements: [String] = []
            if let background = run.look.background {
                elements.append(
                    "<rect x=\"\(left)\" y=\"\(Self.number(top))\" width=\"\(width)\" "
                        + "height=\"\(Self.number(Self.height))\" fill=\"\(Self.code(background))\"/>")
            }
            guard run.text.contains(where: { $0 != " " }) || run.look.attributes.contains(.underline) else {
                return elements
            }
            var style = "fill=\"\(Self.code(run.look.foreground))\""
            if run.look.attributes.contains(.bold) { style += " font-weight=\"bold\"" }
            if run.look.attributes.contains(.italic) { style += " font-style=\"italic\"" }
            if run.look.attributes.contains(.underline) { style += " text-decoration=\"underline\"" }
            elements.append(
                "<text x=\"\(left)\" y=\"\(Self.number(top + 13.5))\" textLength=\"\(width)\" xml:space=\"preserve\" "
                    + "\(style)>\(Self.escaped(run.text))</text>")
            return elements
        }
    }

    private func look(of cell: VirtualCell) -> Look {
        var foreground = Self.color(cell.foreground) ?? ground.text
        var background = Self.color(cell.background)
        if cell.attributes.contains(.reverse) {
            (foreground, background) = (background ?? ground.background, foreground)
        }
        return Look(
            foreground: foreground, background: background, attributes: cell.attributes.subtracting(.reverse))
    }

    private static func color(_ value: Int) -> RGB? {
        if value < 0 { return nil }
        if value < 0x100_0000 { return XtermPalette.rgb(value) }
        return RGB(UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
    }

    private static func code(_ color: RGB) -> String {
        "#" + [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
