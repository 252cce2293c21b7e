/// The terminal's background and text colour, as far as known.
package struct Ground: Hashable, Sendable {
    package var background: RGB
    package var text: RGB

    package init(background: RGB, text: RGB) { (self.background, self.text) = (background, text) }

    package static let dark = Ground(background: RGB(30, 30, 30), text: RGB(224, 224, 224))
    package static let light = Ground(background: .white, text: .black)
}

/// Styles for marks in their own colour, readable on the ground. Text keeps a contrast of at least 4.5:1.
package struct MarkColors: Hashable, Sendable {
    package let depth: ColorDepth
    /// nil if unknown: colours are then chosen that are readable on black and on white.
    package let ground: Ground?

    package init(depth: ColorDepth, ground: Ground?) { (self.depth, self.ground) = (depth, ground) }

    private static let text = 4.5
    /// The luminance that has a contrast of 4.58:1 with black and with white.
    private static let middle = 0.179

    /// A background for marked words, and their colour.
    package func highlight(_ color: RGB) -> Style {
        switch depth {
        case .mono: return Style(.bold)
        case .sixteen:
            let (background, foreground) = Self.named(color)
            return Style(foreground: foreground, background: background)
        case .many, .direct: break
        }
        let ground = ground ?? Ground(background: .white, text: .black)
        let isDark = ground.background.luminance < ground.text.luminance
        var share = isDark ? 0.5 : 0.75
        var background = ground.background
        while share > 0.05 {
            background = depth.shown(color.mixed(into: ground.background, share: share))
            if background.contrast(with: depth.shown(ground.text)) >= Self.text { break }
            share -= 0.05
        }
        return Style(foreground: depth.shown(ground.text).color, background: background.color)
    }

    /// A colour for the marked words themselves, or for a name, as close to the given one as is readable.
    package func ink(_ color: RGB) -> Color {
        switch depth {
        case .mono: return .normal
        case .sixteen: return Self.readableNamed(color)
        case .many, .direct: break
        }
        guard let ground else {
            let pole: RGB = color.luminance > Self.middle ? .black : .white
            return depth.shown(Self.reached(color, pole) { abs($0.luminance - Self.middle) < 0.012 }).color
        }
        let pole: RGB = ground.background.luminance < 0.18 ? .white : .black
        return depth.shown(
            Self.reached(color, pole) { depth.shown($0).contrast(with: ground.background) >= Self.text }
        ).color
    }

    /// Mixes a colour with black or white until it suits.
    private static func reached(_ color: RGB, _ pole: RGB, _ suits: (RGB) -> Bool) -> RGB {
        for step in 0...100 {
            let mixed = pole.mixed(into: color, share: Double(step) / 100)
            if suits(mixed) { return mixed }
        }
        return pole
    }

    /// Of the terminal's own colours, those whose contrast with black or white does not depend on its palette.
    private static let backgrounds: [(background: Color, foreground: Color, rgb: RGB)] = [
        (.brightYellow, .black, RGB(255, 255, 0)), (.brightGreen, .black, RGB(0, 255, 0)),
        (.brightCyan, .black, RGB(0, 255, 255)), (.brightMagenta, .black, RGB(255, 0, 255)),
        (.red, .brightWhite, RGB(205, 0, 0)), (.blue, .brightWhite, RGB(0, 0, 238)),
        (.white, .black, RGB(229, 229, 229)),
    ]

    private static func named(_ color: RGB) -> (Color, Color) {
        let nearest = backgrounds.min { color.distance(to: $0.rgb) < color.distance(to: $1.rgb) }
        return nearest.map { ($0.background, $0.foreground) } ?? (.brightYellow, .black)
    }

    private static func readableNamed(_ color: RGB) -> Color {
        let inks: [(Color, RGB)] = [
            (.red, RGB(205, 0, 0)), (.green, RGB(0, 205, 0)), (.blue, RGB(0, 0, 238)), (.magenta, RGB(205, 0, 205)),
            (.cyan, RGB(0, 205, 205)),
        ]
        return inks.min { color.distance(to: $0.1) < color.distance(to: $1.1) }?.0 ?? .normal
    }
}

extension RGB {
    /// The square of the distance in Oklab.
    fileprivate func distance(to other: RGB) -> Double {
        let (one, two) = (oklab, other.oklab)
        let (dl, da, db) = (one.lightness - two.lightness, one.a - two.a, one.b - two.b)
        return dl * dl + da * da + db * db
    }
}

/// Colours for people. Based on the palette of Okabe and Ito, which colour-blind readers can tell apart.
package enum PeopleColors {
    private static let colors = [
        RGB(230, 159, 0), RGB(86, 180, 233), RGB(0, 158, 115), RGB(213, 94, 0), RGB(204, 121, 167), RGB(0, 114, 178),
        RGB(240, 228, 66),
    ]

    /// The colour of a person, the same on every machine.
    package static func color(of id: String) -> RGB {
        let hash = id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return colors[Int(hash % UInt64(colors.count))]
    }
}
