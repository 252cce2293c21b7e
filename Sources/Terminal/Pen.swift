internal import CNcurses
internal import Screen

/// Converts canvas cells to ncurses cells for the open terminal, and caches its colour pairs.
struct Pen {
    private struct Colors: Hashable {
        let foreground: Int32
        let background: Int32
    }

    let palette: Palette
    private let isUTF8: Bool
    private var pairs: [Colors: Int32] = [:]
    /// How many pairs the terminal can have. With one more, ncurses would give an old number other colours, also where it
    /// is on the screen.
    private let maxPairs: Int
    /// Whether a style did not get its colours, because there are as many pairs as can be.
    var lacksColors = false
    private var last: (style: Style, look: Look)
    /// By style, because finding the nearest colour takes long.
    private var looks: [Style: Look] = [:]
    /// Buffer for one character, its marks and a terminating zero, allocated once because there are many cells.
    private var text = [wchar_t](repeating: 0, count: 1 + Glyph.maximumMarks + 1)

    private struct Look {
        let attributes: attr_t
        let pair: Int32
    }

    /// Call after `newterm`.
    init(usesColor: Bool, isUTF8: Bool) {
        // Without colours, allocating a pair in ncurses crashes.
        let hasColors = usesColor && has_colors() && start_color() == OK && use_default_colors() == OK
        palette = hasColors ? Palette(count: Int(cn_colors())) : Palette(count: 0)
        // The first one is the terminal's own colours.
        maxPairs = hasColors ? Int(cn_color_pairs()) - 1 : 0
        self.isUTF8 = isUTF8
        last = (.normal, Look(attributes: 0, pair: 0))
    }

    /// Returns one ncurses cell per character, including wide ones.
    mutating func cells(of canvas: Canvas, row: Int, columns: Range<Int>) -> [cchar_t] {
        var cells: [cchar_t] = []
        cells.reserveCapacity(columns.count)
        for column in columns {
            let cell = canvas[row, column]
            if cell.glyph.isContinuation { continue }
            if cell.style != last.style { last = (cell.style, look(of: cell.style)) }
            let isLast = column + cell.glyph.width == canvas.size.columns
            let isShown = set(cell.glyph, withMarks: !isLast)
            for _ in 0..<(isShown ? 1 : cell.glyph.width) {
                var shown = cchar_t()
                cn_set_cell(&shown, text, last.look.attributes, last.look.pair)
                cells.append(shown)
            }
        }
        return cells
    }

    /// Puts a glyph into `text` if the locale has it and the C library agrees on its width. Otherwise returns false and
    /// puts a question mark, to be shown in each of the glyph's columns.
    ///
    /// - Parameter withMarks: false in the last column, where some terminals put a following mark on the next row.
    private mutating func set(_ glyph: Glyph, withMarks: Bool) -> Bool {
        let base = isUTF8 ? glyph.base.value : Self.plain[glyph.base.value] ?? glyph.base.value
        let isShown = base < 0x7F || isUTF8 && cn_width(wchar_t(bitPattern: base)) == Int32(glyph.width)
        text[0] = wchar_t(bitPattern: isShown ? base : 0x3F)
        var count = 1
        if isShown, isUTF8, withMarks, glyph.hasMarks {
            for mark in glyph.scalars.dropFirst() where cn_width(wchar_t(bitPattern: mark.value)) == 0 {
                text[count] = wchar_t(bitPattern: mark.value)
                count += 1
            }
        }
        text[count] = 0
        return isShown
    }

    /// What stands for the punctuation of books in a locale without it.
    private static let plain: [UInt32: UInt32] = [
        0x2018: 0x27, 0x2019: 0x27, 0x201A: 0x2C, 0x201C: 0x22, 0x201D: 0x22, 0x201E: 0x22, 0xAB: 0x22, 0xBB: 0x22,
        0x2010: 0x2D, 0x2011: 0x2D, 0x2012: 0x2D, 0x2013: 0x2D, 0x2014: 0x2D, 0x2212: 0x2D, 0xAD: 0x2D, 0x2022: 0x2A,
        0xB7: 0x2E, 0xA0: 0x20, 0x2009: 0x20, 0x202F: 0x20, 0xD7: 0x78, 0x2032: 0x27, 0x2033: 0x22,
    ]

    private mutating func look(of style: Style) -> Look {
        if let look = looks[style] { return look }
        if looks.count > 4_000 { looks = [:] }
        let look = newLook(of: style)
        if !lacksColors { looks[style] = look }
        return look
    }

    private mutating func newLook(of style: Style) -> Look {
        let foreground = palette.number(of: style.foreground)
        let background = palette.number(of: style.background)
        var attributes: attr_t = 0
        if style.attributes.contains(.bold) || palette.isBoldInstead(style.foreground) { attributes |= cn_bold }
        if style.attributes.contains(.dim) || palette.isDimInstead(style.foreground) { attributes |= cn_dim }
        if style.attributes.contains(.underline) { attributes |= cn_underline }
        if style.attributes.contains(.reverse) { attributes |= cn_reverse }
        if style.attributes.contains(.italic) { attributes |= cn_italic }
        if foreground == -1, background == -1 { return Look(attributes: attributes, pair: 0) }
        let (pair, isReversed) = pair(Colors(foreground: foreground, background: background), attributes)
        if isReversed { attributes ^= cn_reverse }
        return Look(attributes: attributes, pair: pair)
    }

    /// - Returns: also whether the pair has the two colours the other way round.
    private mutating func pair(_ colors: Colors, _ attributes: attr_t) -> (pair: Int32, isReversed: Bool) {
        if let pair = pairs[colors] { return (pair, false) }
        // Eight colours make more combinations than their terminals have pairs. What else a style has belongs to its
        // foreground.
        let swapped = Colors(foreground: colors.background, background: colors.foreground)
        if maxPairs < Self.few, attributes & ~cn_reverse == 0, let pair = pairs[swapped] { return (pair, true) }
        guard pairs.count < maxPairs else {
            lacksColors = true
            return (pairs.first { $0.key.background == colors.background }?.value ?? 0, false)
        }
        let pair = max(0, alloc_pair(colors.foreground, colors.background))
        if pair > 0 { pairs[colors] = pair }
        return (pair, false)
    }

    private static let few = 256

    /// Gives up all pairs. Everything on the screen must be drawn again.
    mutating func forgetColors() {
        reset_color_pairs()
        (pairs, looks, lacksColors) = ([:], [:], false)
        last = (.normal, Look(attributes: 0, pair: 0))
    }
}

extension Canvas {
    /// Returns the columns of a row from the first to the last difference; nil when there is none. A row with wide
    /// characters is returned whole, because drawing over one half changes the other.
    func changedColumns(inRow row: Int, since old: Canvas?) -> Range<Int>? {
        guard let old, old.size == size else { return size.columns > 0 ? 0..<size.columns : nil }
        let start = row * size.columns
        var (first, end) = (start, start + size.columns)
        while first < end, cells[first] == old.cells[first] { first += 1 }
        guard first < end else { return nil }
        while cells[end - 1] == old.cells[end - 1] { end -= 1 }
        let range = start..<start + size.columns
        let hasWide = [cells[range], old.cells[range]].contains { $0.contains { $0.glyph.isContinuation } }
        return hasWide ? 0..<size.columns : first - start..<end - start
    }
}
