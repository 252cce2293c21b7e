internal import CNcurses
internal import Screen

/// Turns cells of a canvas into cells of ncurses, for the terminal that is open. Knows which colours there are, and
/// keeps the pairs it has asked for.
struct Pen {
    private struct Colors: Hashable {
        let foreground: Int32
        let background: Int32
    }

    private let palette: Palette
    private let isUTF8: Bool
    private var pairs: [Colors: Int32] = [:]

    /// After `newterm`.
    init(usesColor: Bool, isUTF8: Bool) {
        // Without colours, asking ncurses for a pair crashes.
        let hasColors = usesColor && has_colors() && start_color() == OK && use_default_colors() == OK
        palette = hasColors ? Palette(count: Int(cn_colors())) : Palette(count: 0)
        self.isUTF8 = isUTF8
    }

    /// One cell for each character: a wide one has one, too.
    mutating func cells(of canvas: Canvas, row: Int, columns: Range<Int>) -> [cchar_t] {
        var cells: [cchar_t] = []
        cells.reserveCapacity(columns.count)
        for column in columns {
            let cell = canvas[row, column]
            if cell.glyph.isContinuation { continue }
            let (attributes, pair) = look(of: cell.style)
            for text in texts(of: cell.glyph) {
                var shown = cchar_t()
                cn_set_cell(&shown, text, attributes, pair)
                cells.append(shown)
            }
        }
        return cells
    }

    /// What to write for a glyph: itself, where this locale has it and the C library gives it the same width; else a
    /// question mark for each column.
    private func texts(of glyph: Glyph) -> [[wchar_t]] {
        let base = glyph.base.value
        if base < 0x7F, glyph.scalars.count == 1 { return [[wchar_t(bitPattern: base), 0]] }
        guard isUTF8, cn_width(wchar_t(bitPattern: base)) == Int32(glyph.width) else {
            return Array(repeating: [wchar_t(UInt8(ascii: "?")), 0], count: glyph.width)
        }
        let marks = glyph.scalars.dropFirst().filter { cn_width(wchar_t(bitPattern: $0.value)) == 0 }
        return [[wchar_t(bitPattern: base)] + marks.map { wchar_t(bitPattern: $0.value) } + [0]]
    }

    private mutating func look(of style: Style) -> (attr_t, Int32) {
        let foreground = palette.number(of: style.foreground)
        let background = palette.number(of: style.background)
        var attributes: attr_t = 0
        if style.attributes.contains(.bold) || palette.isBoldInstead(style.foreground) { attributes |= cn_bold }
        if style.attributes.contains(.dim) { attributes |= cn_dim }
        if style.attributes.contains(.underline) { attributes |= cn_underline }
        if style.attributes.contains(.reverse) { attributes |= cn_reverse }
        if style.attributes.contains(.italic) { attributes |= cn_italic }
        if foreground == -1, background == -1 { return (attributes, 0) }
        let colors = Colors(foreground: foreground, background: background)
        if let pair = pairs[colors] { return (attributes, pair) }
        let pair = max(0, alloc_pair(foreground, background))
        if pair > 0 { pairs[colors] = pair }
        return (attributes, pair)
    }
}
