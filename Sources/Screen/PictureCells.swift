/// A picture as character cells, for terminals without pixels. Made of pixels and numbers only.
package struct PictureCells: Hashable, Sendable {
    package let size: Size
    /// Row by row.
    package let cells: [Cell]

    /// How pixels become characters.
    package enum Look: Hashable, Sendable {
        /// Quarters of a cell in two colours of 4,096.
        case quarters
        /// Halves of a cell in the terminal's few colours; every console font has them.
        case halves(ColorDepth)
        /// Dots where the picture is dark, without colour.
        case dots
        /// The darker the picture, the denser the character: for terminals without UTF-8.
        case letters

        package init(_ depth: ColorDepth, isUTF8: Bool) {
            guard isUTF8 else {
                self = .letters
                return
            }
            switch depth {
            case .mono: self = .dots
            case .eight, .sixteen: self = .halves(depth)
            case .many, .direct: self = .quarters
            }
        }
    }

    /// Shrinks a picture into cells, which are taken to be twice as high as wide.
    ///
    /// - Parameter room: The most cells it may cover; it keeps its shape.
    package init(_ pixels: Pixels, room: Size, look: Look) {
        let frame = (width: max(1, room.columns), height: max(1, room.rows) * 2)
        let fitted = Pixels.fitting((Double(pixels.width), Double(pixels.height)), into: frame)
        size = Size(rows: min(max(1, room.rows), (fitted.height + 1) / 2), columns: fitted.width)
        var cells: [Cell] = []
        cells.reserveCapacity(size.rows * size.columns)
        let (down, across) = look.parts
        let shrunk = ShrunkPixels(pixels, width: size.columns * across, height: size.rows * down)
        // Thin letters are light grey once they are shrunk, so the limit follows what the picture has.
        let ink = look == .dots ? shrunk.inkLimit : 0
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                let parts = (0..<down * across).map { part in
                    shrunk[column * across + part % across, row * down + part / across]
                }
                cells.append(Self.cell(parts, look, ink: ink))
            }
        }
        self.cells = cells
    }

    private init(size: Size, cells: [Cell]) { (self.size, self.cells) = (size, cells) }

    /// - Parameter ink: What is darker than this becomes a dot.
    private static func cell(_ parts: [RGB], _ look: Look, ink: Double) -> Cell {
        switch look {
        case .quarters: twoColors(parts.map(\.coarse), glyphs: quarters)
        case .halves(let depth): twoColors(parts.map(depth.shown), glyphs: halves)
        case .dots: Cell(glyph: Glyph(braille(parts, ink: ink)), style: .normal)
        case .letters: Cell(glyph: Glyph(letter(parts[0])), style: .normal)
        }
    }

    /// By the parts that have the foreground: the first part is the lowest bit.
    private static let quarters: [Unicode.Scalar] = [
        " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
    ]
    private static let halves: [Unicode.Scalar] = [" ", "▀", "▄", "█"]

    /// Divides the parts into a dark and a light group. The dark one is the foreground, which halves the number of
    /// colour pairs.
    private static func twoColors(_ parts: [RGB], glyphs: [Unicode.Scalar]) -> Cell {
        let light = parts.max { $0.luminance < $1.luminance } ?? .white
        let dark = parts.min { $0.luminance < $1.luminance } ?? .black
        guard light != dark else { return Cell(glyph: .blank, style: Style(background: light.color)) }
        let isDark = parts.map { $0.distance(to: dark) < $0.distance(to: light) }
        let mask = isDark.indices.reduce(0) { $0 | (isDark[$1] ? 1 << $1 : 0) }
        func mean(_ wanted: Bool) -> RGB {
            RGB.mean(of: parts.indices.filter { isDark[$0] == wanted }.map { parts[$0] })
        }
        // Two colours of few stay as they are; means of many are made coarse again.
        let (ink, paper) = glyphs.count == 4 ? (dark, light) : (mean(true).coarse, mean(false).coarse)
        return Cell(glyph: Glyph(glyphs[mask]), style: Style(foreground: ink.color, background: paper.color))
    }

    /// Four rows of two dots; Unicode numbers the left column first, and the last row last.
    private static func braille(_ parts: [RGB], ink: Double) -> Unicode.Scalar {
        let bits: [UInt32] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
        let dots = zip(parts, bits).reduce(UInt32(0)) { $1.0.lightness < ink ? $0 | $1.1 : $0 }
        return Unicode.Scalar(0x2800 + dots) ?? " "
    }

    private static func letter(_ color: RGB) -> Unicode.Scalar {
        let ramp: [Unicode.Scalar] = [" ", ".", ":", "-", "=", "+", "*", "#", "%", "@"]
        return ramp[min(ramp.count - 1, max(0, Int((1 - color.lightness) * Double(ramp.count))))]
    }
}

extension PictureCells {
    /// The cells that kitty's graphics protocol replaces by parts of a picture (its "Unicode placeholders"). A
    /// multiplexer moves and clips them as it does any text.
    ///
    /// - Parameters:
    ///   - size: At most ``maxPlaceholders`` rows and columns.
    ///   - id: The picture's number, 16 to 255, which the cells tell by their colour.
    package init(placeholdersOf size: Size, id: UInt8, depth: ColorDepth) {
        let color: Color = depth == .direct ? .rgb(0, 0, id) : .indexed(id)
        let size = Size(
            rows: min(size.rows, Self.maxPlaceholders), columns: min(size.columns, Self.maxPlaceholders))
        var cells: [Cell] = []
        for row in 0..<size.rows {
            for column in 0..<size.columns {
                var glyph = Glyph(Self.placeholder)
                _ = glyph.add(Self.diacritics[row])
                _ = glyph.add(Self.diacritics[column])
                cells.append(Cell(glyph: glyph, style: Style(foreground: color)))
            }
        }
        self.init(size: size, cells: cells)
    }

    /// The most rows and columns that placeholders can number here.
    package static let maxPlaceholders = diacritics.count

    private static let placeholder: Unicode.Scalar = "\u{10EEEE}"

    /// The marks that stand for 0, 1, 2 … in kitty's table: `rowcolumn-diacritics.txt`, as far as a screen needs it.
    private static let diacritics: [Unicode.Scalar] = [
        0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C, 0x350, 0x351, 0x352, 0x357,
        0x35B, 0x363, 0x364, 0x365, 0x366, 0x367, 0x368, 0x369, 0x36A, 0x36B, 0x36C, 0x36D, 0x36E, 0x36F, 0x483, 0x484,
        0x485, 0x486, 0x487, 0x592, 0x593, 0x594, 0x595, 0x597, 0x598, 0x599, 0x59C, 0x59D, 0x59E, 0x59F, 0x5A0, 0x5A1,
        0x5A8, 0x5A9, 0x5AB, 0x5AC, 0x5AF, 0x5C4, 0x610, 0x611, 0x612, 0x613, 0x614, 0x615, 0x616, 0x617, 0x657, 0x658,
        0x659, 0x65A, 0x65B, 0x65D, 0x65E, 0x6D6, 0x6D7, 0x6D8, 0x6D9, 0x6DA, 0x6DB, 0x6DC, 0x6DF, 0x6E0, 0x6E1, 0x6E2,
        0x6E4, 0x6E7, 0x6E8, 0x6EB, 0x6EC, 0x730, 0x732, 0x733, 0x735, 0x736, 0x73A, 0x73D, 0x73F, 0x740, 0x741, 0x743,
        0x745, 0x747, 0x749, 0x74A, 0x7EB, 0x7EC, 0x7ED, 0x7EE, 0x7EF, 0x7F0, 0x7F1, 0x7F3, 0x816, 0x817, 0x818, 0x819,
        0x81B, 0x81C, 0x81D, 0x81E, 0x81F, 0x820, 0x821, 0x822, 0x823, 0x825, 0x826, 0x827, 0x829, 0x82A, 0x82B, 0x82C,
        0x82D, 0x951, 0x953, 0x954, 0xF82, 0xF83, 0xF86, 0xF87, 0x135D, 0x135E, 0x135F, 0x17DD, 0x193A, 0x1A17,
    ].compactMap(Unicode.Scalar.init)
}

extension Canvas {
    /// Draws a picture in the middle of an area, at its top.
    package mutating func draw(_ picture: PictureCells, in area: Area) {
        let left = area.column + max(0, (area.columns - picture.size.columns) / 2)
        for row in 0..<min(picture.size.rows, area.rows) {
            for column in 0..<min(picture.size.columns, area.columns) {
                put(picture.cells[row * picture.size.columns + column], row: area.row + row, column: left + column)
            }
        }
    }
}

extension PictureCells.Look {
    /// Rows and columns of a cell's parts.
    fileprivate var parts: (down: Int, across: Int) {
        switch self {
        case .quarters: (2, 2)
        case .halves: (2, 1)
        case .dots: (4, 2)
        case .letters: (1, 1)
        }
    }
}

/// A picture made smaller, or larger: each pixel is the mean of the pixels it covers.
private struct ShrunkPixels {
    private let width: Int
    private var colors: [RGB] = []

    init(_ pixels: Pixels, width: Int, height: Int) {
        self.width = width
        colors.reserveCapacity(width * height)
        pixels.bytes.withUnsafeBufferPointer { bytes in
            for row in 0..<height {
                let rows = Self.covered(row, of: height, in: pixels.height)
                for column in 0..<width {
                    let columns = Self.covered(column, of: width, in: pixels.width)
                    var (red, green, blue) = (0, 0, 0)
                    for y in rows {
                        var place = 3 * (y * pixels.width + columns.lowerBound)
                        for _ in columns {
                            red += Int(bytes[place])
                            green += Int(bytes[place + 1])
                            blue += Int(bytes[place + 2])
                            place += 3
                        }
                    }
                    let count = rows.count * columns.count
                    colors.append(RGB(UInt8(red / count), UInt8(green / count), UInt8(blue / count)))
                }
            }
        }
    }

    /// The lightness that separates letters from paper: nearer to the paper's.
    var inkLimit: Double {
        let lights = colors.map(\.lightness)
        guard let darkest = lights.min(), let lightest = lights.max(), lightest - darkest > 0.02 else { return 0.5 }
        return max(0.75, lightest - 0.4 * (lightest - darkest))
    }

    subscript(column: Int, row: Int) -> RGB { colors[row * width + column] }

    private static func covered(_ index: Int, of count: Int, in length: Int) -> Range<Int> {
        let start = min(length - 1, index * length / count)
        return start..<max(start + 1, min(length, (index + 1) * length / count))
    }
}

extension RGB {
    /// The nearest of 4,096 colours: less to send, and few colour pairs.
    fileprivate var coarse: RGB {
        func step(_ value: UInt8) -> UInt8 { UInt8((Int(value) + 8) / 17 * 17) }
        return RGB(step(red), step(green), step(blue))
    }

    /// 0 for black to 1 for white, as the numbers are, not as the eye sees light.
    fileprivate var lightness: Double { Double(Int(red) * 3 + Int(green) * 6 + Int(blue)) / 2_550 }

    fileprivate func distance(to other: RGB) -> Int {
        let parts = [Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue)]
        return parts.reduce(0) { $0 + $1 * $1 }
    }

    fileprivate static func mean(of colors: [RGB]) -> RGB {
        guard !colors.isEmpty else { return .white }
        func mean(_ part: (RGB) -> UInt8) -> UInt8 {
            UInt8(colors.reduce(0) { $0 + Int(part($1)) } / colors.count)
        }
        return RGB(mean(\.red), mean(\.green), mean(\.blue))
    }
}
