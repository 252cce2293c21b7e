internal import Screen

/// Maps colours to ncurses numbers for a terminal without colours or with 8, 16, 256 or more. With more than 256, the
/// number is the red, green and blue value. -1 is the terminal's default.
struct Palette {
    let count: Int

    private var isDirect: Bool { count > 256 }

    func number(of color: Color) -> Int32 {
        if count < 8 { return -1 }
        switch color {
        case .normal:
            return -1
        case .indexed(let index):
            if isDirect { return index < 8 ? Int32(index) : direct(Self.rgb(ofIndex: Int(index))) }
            return Int(index) < count ? Int32(index) : nearestNamed(Self.rgb(ofIndex: Int(index)))
        case .rgb(let red, let green, let blue):
            let rgb = (Int(red), Int(green), Int(blue))
            if isDirect { return direct(rgb) }
            return count == 256 ? Self.nearestIndex(rgb) : nearestNamed(rgb)
        default:
            let index = Self.named.firstIndex(of: color) ?? 0
            if isDirect, index >= 8 { return direct(Self.rgb(ofIndex: index)) }
            return Int32(index < count ? index : index - 8)
        }
    }

    /// Whether a bright colour is shown as the plain one in bold, because the terminal has only eight.
    func isBoldInstead(_ color: Color) -> Bool {
        count >= 8 && count < 16 && (Self.named.firstIndex(of: color) ?? 0) >= 8
    }

    private static let named: [Color] = [
        .black, .red, .green, .yellow, .blue, .magenta, .cyan, .white, .brightBlack, .brightRed, .brightGreen,
        .brightYellow, .brightBlue, .brightMagenta, .brightCyan, .brightWhite,
    ]

    private typealias RGB = (red: Int, green: Int, blue: Int)

    /// Numbers below 8 are the terminal's own eight colours here too, so the darkest blues become black.
    private func direct(_ rgb: RGB) -> Int32 {
        let number = rgb.red << 16 | rgb.green << 8 | rgb.blue
        return Int32(number < 8 ? 0 : number)
    }

    /// xterm's palette: 16 colours, a cube of 6 by 6 by 6, 24 greys.
    private static func rgb(ofIndex index: Int) -> RGB {
        if index < 16 {
            let level = index < 8 ? 205 : 255
            return (index & 1 == 0 ? 0 : level, index & 2 == 0 ? 0 : level, index & 4 == 0 ? 0 : level)
        }
        if index >= 232 {
            let grey = 8 + (index - 232) * 10
            return (grey, grey, grey)
        }
        let level = { (step: Int) in step == 0 ? 0 : 55 + step * 40 }
        return (level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6))
    }

    private static func nearestIndex(_ rgb: RGB) -> Int32 {
        Int32((16..<256).min { distance(rgb, Self.rgb(ofIndex: $0)) < distance(rgb, Self.rgb(ofIndex: $1)) } ?? 16)
    }

    private func nearestNamed(_ rgb: RGB) -> Int32 {
        let indices = 0..<min(count, 16)
        return Int32(
            indices.min { Self.distance(rgb, Self.rgb(ofIndex: $0)) < Self.distance(rgb, Self.rgb(ofIndex: $1)) } ?? 0)
    }

    private static func distance(_ left: RGB, _ right: RGB) -> Int {
        let (red, green, blue) = (left.red - right.red, left.green - right.green, left.blue - right.blue)
        return red * red + green * green + blue * blue
    }
}
