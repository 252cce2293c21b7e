/// The terminal's background and text colour, as far as known.
package struct Ground: Hashable, Sendable {
    package var background: RGB
    package var text: RGB

    package init(background: RGB, text: RGB) { (self.background, self.text) = (background, text) }

    package static let dark = Ground(background: RGB(30, 30, 30), text: RGB(224, 224, 224))
    package static let light = Ground(background: .white, text: .black)

    package var isDark: Bool { background.luminance < 0.18 }

    /// From the variable `COLORFGBG`, which some terminals set: `15;0`, `0;default;15`. Says only dark or light.
    package init?(colorFGBG text: String) {
        guard let last = text.split(separator: ";").last, let index = Int(last), (0..<16).contains(index) else {
            return nil
        }
        self = index < 7 || index == 8 ? .dark : .light
    }
}

/// Styles for marks and people in their own colours, readable on the ground: text has a contrast of at least 4.5:1 with
/// every background that it may stand on (WCAG 2).
package struct MarkColors: Hashable, Sendable {
    package let depth: ColorDepth
    /// nil if unknown: colours are then chosen that are readable on black and on white.
    package let ground: Ground?
    private let least: Double
    /// The backgrounds that coloured text may stand on.
    private let fields: [RGB]
    /// Of xterm's colours, those that are readable as text, and those on which the text is readable; empty unless the
    /// terminal has 256.
    private let inks: [Int]
    private let washes: [Int]
    private var people: [Color] = []

    package static let contrastOfText = 4.5

    /// - Parameters:
    ///   - fields: Further backgrounds that coloured text may stand on, such as the current row's.
    ///   - least: The contrast of text.
    package init(depth: ColorDepth, ground: Ground?, fields: [RGB] = [], least: Double = MarkColors.contrastOfText) {
        self.depth = depth
        self.ground = ground
        self.least = least
        let fields = (ground.map { [$0.background] } ?? [.black, .white]) + fields
        self.fields = fields
        let text = ground?.text ?? .black
        let all = depth == .many ? Array(16..<256) : []
        inks = all.filter { index in fields.allSatisfy { XtermPalette.rgb(index).contrast(with: $0) >= least } }
        washes = all.filter { XtermPalette.rgb($0).contrast(with: text) >= least }
        people = PeopleColors.all.map(ink)
    }

    /// The colours for a theme.
    package init(depth: ColorDepth, ground: Ground?, theme: Theme) {
        let styles = [theme.selection, theme.inactiveSelection, theme.flash]
        self.init(
            depth: depth, ground: ground, fields: styles.compactMap(\.background.knownRGB),
            least: theme.contrastOfText)
    }

    /// A background for marked words, and their colour.
    package func highlight(_ color: RGB) -> Style {
        switch depth {
        case .mono: return Style(.bold)
        case .eight, .sixteen: return NamedColors.highlight(color, depth)
        case .many, .direct: break
        }
        let ground = ground ?? .light
        let isDark = ground.background.luminance < ground.text.luminance
        var share = isDark ? 0.5 : 0.75
        if depth == .many {
            guard !washes.isEmpty else { return plainHighlight(ground) }
            let wash = XtermPalette.nearest(to: color.mixed(into: ground.background, share: share), among: washes)
            return Style(foreground: ground.text.color, background: XtermPalette.rgb(wash).color)
        }
        while share > 0.05 {
            let background = color.mixed(into: ground.background, share: share)
            if background.contrast(with: ground.text) >= least {
                return Style(foreground: ground.text.color, background: background.color)
            }
            share -= 0.05
        }
        return plainHighlight(ground)
    }

    /// Where not even the terminal's own colours have enough contrast.
    private func plainHighlight(_ ground: Ground) -> Style {
        ground.isDark
            ? Style(foreground: .rgb(0, 0, 0), background: .rgb(255, 255, 255))
            : Style(foreground: .rgb(255, 255, 255), background: .rgb(0, 0, 0))
    }

    /// A background like the colour, on which the terminal's text is readable; nil if there is none.
    func wash(_ color: RGB, share: Double) -> RGB? {
        guard let ground, depth == .many || depth == .direct else { return nil }
        let wanted = color.mixed(into: ground.background, share: share)
        if depth == .many {
            return washes.isEmpty ? nil : XtermPalette.rgb(XtermPalette.nearest(to: wanted, among: washes))
        }
        return wanted.contrast(with: ground.text) >= least ? wanted : nil
    }

    /// A colour for the marked words themselves, or for a name, as close to the given one as is readable.
    package func ink(_ color: RGB) -> Color {
        switch depth {
        case .mono: return .normal
        case .eight, .sixteen: return NamedColors.ink(color, ground)
        case .many: return inks.isEmpty ? .normal : XtermPalette.rgb(XtermPalette.nearest(to: color, among: inks)).color
        case .direct: break
        }
        func least(_ color: RGB) -> Double { fields.map { $0.contrast(with: color) }.min() ?? 21 }
        // Towards black or white; on an unknown ground towards the middle between them.
        let poles: [RGB] = ground == nil && color.luminance > 0.179 ? [.black, .white] : [.white, .black]
        for pole in ground == nil ? poles : poles.sorted(by: { least($0) > least($1) }) {
            for step in 0...500 {
                let mixed = pole.mixed(into: color, share: Double(step) / 500)
                if least(mixed) >= self.least { return mixed.color }
            }
        }
        return .normal
    }

    /// The colour of a person, the same on every machine as far as it is readable.
    package func person(_ id: String) -> Color { people[PeopleColors.index(of: id)] }
}

/// Colours for people. Based on the palette of Okabe and Ito, which colour-blind readers can tell apart.
package enum PeopleColors {
    package static let all = [
        RGB(230, 159, 0), RGB(86, 180, 233), RGB(0, 158, 115), RGB(213, 94, 0), RGB(204, 121, 167), RGB(0, 114, 178),
        RGB(240, 228, 66),
    ]

    /// The index of a person's colour in ``all``.
    package static func index(of id: String) -> Int {
        let hash = id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int(hash % UInt64(all.count))
    }
}
