extension CleanText {
    /// Breaks the text into lines of at most `columns` (at least one), at blanks and between wide characters; a longer
    /// word is cut. Drops the blanks at a break. Returns at least one line.
    package func wrapped(to columns: Int) -> [CleanText] {
        let columns = max(1, columns)
        if width <= columns { return [self] }
        var lines: [CleanText] = []
        var line: [Glyph] = []
        var lineWidth = 0
        /// Index in `line` of the glyph that a new line could start with.
        var breakAt: Int?

        func endLine(at index: Int) {
            var head = line[..<index]
            while head.last == .blank { head.removeLast() }
            lines.append(CleanText(head))
            line = Array(line[index...].drop { $0 == .blank })
            lineWidth = line.reduce(0) { $0 + $1.width }
            breakAt = nil
        }

        for glyph in glyphs {
            if let last = line.last, (last == .blank && glyph != .blank) || last.width == 2 || glyph.width == 2 {
                breakAt = line.count
            }
            if lineWidth + glyph.width > columns, !line.isEmpty {
                if glyph == .blank {
                    endLine(at: line.count)
                    continue
                }
                endLine(at: breakAt ?? line.count)
            }
            if glyph == .blank, line.isEmpty, !lines.isEmpty { continue }
            line.append(glyph)
            lineWidth += glyph.width
        }
        if !line.isEmpty || lines.isEmpty { lines.append(CleanText(line)) }
        return lines
    }
}
