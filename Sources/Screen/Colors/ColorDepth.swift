/// How many colours a terminal shows.
package enum ColorDepth: Hashable, Sendable, CaseIterable {
    /// None: `NO_COLOR`, or a monochrome terminal.
    case mono
    /// The terminal's own eight; a bright one is shown in bold.
    case eight
    /// The terminal's own sixteen.
    case sixteen
    /// xterm's 256.
    case many
    case direct

    /// - Parameter count: The number of colours in the terminal's description.
    package init(count: Int) {
        self =
            switch count {
            case ..<8: .mono
            case ..<16: .eight
            case ..<256: .sixteen
            case 256: .many
            default: .direct
            }
    }

    /// The colour as a terminal of this depth shows it.
    package func shown(_ color: RGB) -> RGB {
        switch self {
        case .mono, .direct: color
        case .many: XtermPalette.rgb(XtermPalette.nearest(to: color, among: 16..<256))
        case .sixteen: XtermPalette.rgb(XtermPalette.nearest(to: color, among: 0..<16))
        case .eight: XtermPalette.rgb(XtermPalette.nearest(to: color, among: 0..<8))
        }
    }
}

/// xterm's palette: 16 colours, a cube of 6 by 6 by 6, 24 greys.
package enum XtermPalette {
    package static func rgb(_ index: Int) -> RGB { colors[max(0, min(index, 255))] }

    /// Returns the index of the colour that looks most like this one; a grey for a grey.
    package static func nearest(to color: RGB, among indices: some Collection<Int>) -> Int {
        let sought = color.oklab
        let isGrey = chroma(sought) < 0.02 * 0.02
        var (best, least) = (indices.first ?? 0, Double.infinity)
        for index in indices {
            let (lightness, a, b) = labs[index]
            let (dl, da, db) = (lightness - sought.lightness, a - sought.a, b - sought.b)
            // A colour in place of a grey would have a meaning.
            let penalty = isGrey && chroma(labs[index]) > 0.02 * 0.02 ? 10.0 : 0
            let distance = dl * dl + da * da + db * db + penalty
            if distance < least { (best, least) = (index, distance) }
        }
        return best
    }

    private static func chroma(_ lab: (lightness: Double, a: Double, b: Double)) -> Double {
        lab.a * lab.a + lab.b * lab.b
    }

    private static let colors: [RGB] = (0..<256).map { index in
        // xterm's defaults for the terminal's own colours.
        let named: [(UInt8, UInt8, UInt8)] = [
            (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
            (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255),
            (0, 255, 255), (255, 255, 255),
        ]
        if index < 16 { return RGB(named[index].0, named[index].1, named[index].2) }
        if index >= 232 {
            let grey = UInt8(8 + (index - 232) * 10)
            return RGB(grey, grey, grey)
        }
        let level = { (step: Int) in UInt8(step == 0 ? 0 : 55 + step * 40) }
        return RGB(level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6))
    }
    private static let labs = colors.map(\.oklab)
}
