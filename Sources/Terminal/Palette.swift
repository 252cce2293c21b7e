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
            if isDirect { return index < 8 ? Int32(index) : direct(XtermPalette.rgb(Int(index))) }
            return Int(index) < count ? Int32(index) : nearest(XtermPalette.rgb(Int(index)), among: 0..<16)
        case .rgb(let red, let green, let blue):
            let rgb = RGB(red, green, blue)
            if isDirect { return direct(rgb) }
            return count == 256 ? nearest(rgb, among: 16..<256) : nearest(rgb, among: 0..<16)
        default:
            let index = Self.named.firstIndex(of: color) ?? 0
            if isDirect, index >= 8 { return direct(XtermPalette.rgb(index)) }
            return Int32(index < count ? index : index - 8)
        }
    }

    /// Whether a bright colour is shown as the plain one in bold, because the terminal has only eight.
    func isBoldInstead(_ color: Color) -> Bool {
        count >= 8 && count < 16 && (Self.named.firstIndex(of: color) ?? 0) >= 8
    }

    /// Whether a grey is shown as the terminal's white made dim, because it has no grey.
    func isDimInstead(_ color: Color) -> Bool {
        guard count >= 8, count < 16, let rgb = color.knownRGB else { return false }
        return number(of: color) == 7 && rgb.luminance < 0.6
    }

    private static let named: [Color] = [
        .black, .red, .green, .yellow, .blue, .magenta, .cyan, .white, .brightBlack, .brightRed, .brightGreen,
        .brightYellow, .brightBlue, .brightMagenta, .brightCyan, .brightWhite,
    ]

    /// Numbers below 8 are the terminal's own eight colours here too, so the darkest blues become black.
    private func direct(_ rgb: RGB) -> Int32 {
        let number = Int(rgb.red) << 16 | Int(rgb.green) << 8 | Int(rgb.blue)
        return Int32(number < 8 ? 0 : number)
    }

    private func nearest(_ rgb: RGB, among indices: Range<Int>) -> Int32 {
        Int32(XtermPalette.nearest(to: rgb, among: indices.lowerBound..<min(count, indices.upperBound)))
    }
}
