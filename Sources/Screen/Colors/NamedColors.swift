/// The terminal's own eight or sixteen colours, restricted to those that are readable in xterm's palette and in those of
/// the Linux console, GNOME and Windows.
enum NamedColors {
    private typealias Named = (color: Color, rgb: RGB)

    /// Text colours on a dark background, and on a light one. On an unknown one no colour is readable for certain.
    private static let onDark: [Named] = [
        (.brightRed, RGB(255, 60, 60)), (.brightGreen, RGB(0, 255, 0)), (.brightYellow, RGB(255, 255, 0)),
        (.brightCyan, RGB(0, 255, 255)),
    ]
    private static let onLight: [Named] = [
        (.red, RGB(205, 0, 0)), (.blue, RGB(0, 0, 238)), (.magenta, RGB(205, 0, 205)),
    ]

    /// Backgrounds with the text colour that is readable on them.
    private static let backgrounds: [(background: Color, foreground: Color, rgb: RGB)] = [
        (.brightYellow, .black, RGB(255, 255, 0)), (.brightGreen, .black, RGB(0, 255, 0)),
        (.brightCyan, .black, RGB(0, 255, 255)), (.magenta, .brightWhite, RGB(205, 0, 205)),
        (.red, .brightWhite, RGB(205, 0, 0)), (.blue, .brightWhite, RGB(0, 0, 238)),
        (.white, .black, RGB(229, 229, 229)),
    ]
    /// Without yellow, which is brown where there are only eight.
    private static let eightBackgrounds: [(background: Color, foreground: Color, rgb: RGB)] = [
        (.green, .black, RGB(0, 205, 0)), (.cyan, .black, RGB(0, 205, 205)), (.magenta, .brightWhite, RGB(205, 0, 205)),
        (.red, .brightWhite, RGB(205, 0, 0)), (.blue, .brightWhite, RGB(0, 0, 238)),
        (.white, .black, RGB(229, 229, 229)),
    ]

    static func highlight(_ color: RGB, _ depth: ColorDepth) -> Style {
        let all = depth == .eight ? eightBackgrounds : backgrounds
        let nearest = all.min { color.distance(to: $0.rgb) < color.distance(to: $1.rgb) } ?? all[0]
        return Style(foreground: nearest.foreground, background: nearest.background)
    }

    static func ink(_ color: RGB, _ ground: Ground?) -> Color {
        guard let ground else { return .normal }
        let all = ground.isDark ? onDark : onLight
        // There are too few to match lightness as well.
        return all.min { color.difference(inHueTo: $0.rgb) < color.difference(inHueTo: $1.rgb) }?.color ?? .normal
    }
}

extension RGB {
    /// From 0 for the same hue to 4 for the opposite one; 2 for a grey.
    fileprivate func difference(inHueTo other: RGB) -> Double {
        let (one, two) = (oklab, other.oklab)
        let lengths = (one.a * one.a + one.b * one.b) * (two.a * two.a + two.b * two.b)
        guard lengths > 1e-8 else { return 2 }
        let product = one.a * two.a + one.b * two.b
        // The cosine of the angle, without a root: its sign and its square.
        let square = product * product / lengths
        return 2 - (product < 0 ? -square : square) * 2
    }

    /// The square of the distance in Oklab.
    fileprivate func distance(to other: RGB) -> Double {
        let (one, two) = (oklab, other.oklab)
        let (dl, da, db) = (one.lightness - two.lightness, one.a - two.a, one.b - two.b)
        return dl * dl + da * da + db * db
    }
}

extension Color {
    /// The colour, unless it depends on the terminal's palette.
    package var knownRGB: RGB? {
        switch self {
        case .rgb(let red, let green, let blue): RGB(red, green, blue)
        case .indexed(let index) where index >= 16: XtermPalette.rgb(Int(index))
        default: nil
        }
    }
}
