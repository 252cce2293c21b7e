package import Screen

// A canvas as text, for tests and for failure messages.

extension Canvas {
    /// Returns the text of one row, without trailing blanks.
    package func line(_ row: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for column in 0..<size.columns {
            scalars.append(contentsOf: self[row, column].glyph.scalars)
        }
        let shown = String(scalars)
        return String(shown.prefix(shown.count - shown.reversed().prefix { $0 == " " }.count))
    }

    /// All rows, one per line, without trailing blanks.
    package var text: String {
        (0..<size.rows).map(line).joined(separator: "\n")
    }

    /// Every run of cells that is not in the normal style, one per line: `2:0-9 bold red "Annotations"`.
    package var styleDump: String {
        var dump: [String] = []
        for row in 0..<size.rows {
            var start = 0
            while start < size.columns {
                let style = self[row, start].style
                var end = start
                var shown = String.UnicodeScalarView()
                while end < size.columns, self[row, end].style == style {
                    shown.append(contentsOf: self[row, end].glyph.scalars)
                    end += 1
                }
                if style != .normal { dump.append("\(row):\(start)-\(end - 1) \(style) \"\(String(shown))\"") }
                start = end
            }
        }
        return dump.joined(separator: "\n")
    }
}

extension Style: CustomStringConvertible {
    package var description: String {
        var words: [String] = []
        let names: [(Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reverse, "reverse"), (.italic, "italic"),
        ]
        words += names.filter { attributes.contains($0.0) }.map(\.1)
        if foreground != .normal { words.append("\(foreground)") }
        if background != .normal { words.append("on \(background)") }
        return words.isEmpty ? "normal" : words.joined(separator: " ")
    }
}
