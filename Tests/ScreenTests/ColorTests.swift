import Screen
import Testing

/// Colours and their contrast, by the rules of WCAG 2.
@Suite struct ColorTests {
    @Test func contrastIsThatOfTheStandard() {
        #expect(RGB.black.contrast(with: .white) == 21)
        #expect(abs(RGB(119, 119, 119).contrast(with: .white) - 4.48) < 0.01)
        #expect(RGB(hex: "#ffd83f") == RGB(255, 216, 63))
        #expect(RGB(hex: "ffd83f") == nil && RGB(hex: "#ffd83") == nil && RGB(hex: "#gggggg") == nil)
    }

    @Test func theNearestColourIsTheOneThatLooksMostAlike() {
        #expect(XtermPalette.rgb(XtermPalette.nearest(to: RGB(95, 135, 175), among: 16..<256)) == RGB(95, 135, 175))
        // By distance in RGB this dark blue would become grey.
        let blue = XtermPalette.rgb(XtermPalette.nearest(to: RGB(40, 40, 110), among: 16..<256))
        #expect(blue.blue > blue.red)
    }

    /// Colours that annotations have, the brightest, the darkest and the greys.
    private static let marks = [
        "#ffd83f", "#fcee7c", "#ffff00", "#00ff00", "#ff0000", "#0000ff", "#ff00ff", "#00ffff", "#000000", "#ffffff",
        "#808080", "#d1202f", "#2293fb", "#123456", "#ffe08a",
    ].compactMap { RGB(hex: $0) }
    private static let grounds: [Ground?] = [
        .dark, .light, nil, Ground(background: .black, text: .white),
        Ground(background: RGB(0, 43, 54), text: RGB(147, 161, 161)),
    ]

    @Test(arguments: [ColorDepth.direct, .many], grounds)
    func markedWordsAreReadable(depth: ColorDepth, ground: Ground?) {
        let colors = MarkColors(depth: depth, ground: ground)
        for mark in Self.marks {
            let style = colors.highlight(mark)
            let contrast = style.foreground.exact.contrast(with: style.background.exact)
            #expect(contrast >= 4.5, "\(mark) gives \(style)")
            // On an unknown background the colour must do for black and for white.
            for background in ground.map({ [$0.background] }) ?? [.black, .white] {
                let ink = colors.ink(mark).exact
                #expect(ink.contrast(with: background) >= 4.5, "\(mark) gives \(ink) on \(background)")
            }
        }
    }

    @Test func aColourKeepsItsHueWhereverItIsReadable() {
        for depth in [ColorDepth.direct, .many] {
            let red = MarkColors(depth: depth, ground: nil).ink(RGB(220, 40, 40)).exact
            #expect(red.red > red.green && red.red > red.blue, "\(depth): \(red)")
        }
    }

    /// The palettes of terminals whose own colours are used: xterm, the Linux console, GNOME, Windows.
    private static let palettes: [String: [Color: RGB]] = {
        let order: [Color] = [
            .black, .red, .green, .yellow, .blue, .magenta, .cyan, .white, .brightBlack, .brightRed, .brightGreen,
            .brightYellow, .brightBlue, .brightMagenta, .brightCyan, .brightWhite,
        ]
        let codes = [
            "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 "
                + "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
            "Linux console": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa "
                + "555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
            "GNOME": "171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc "
                + "5e5c64 f66151 33da7a e9ad0c 2a7bde c061cb 33c7de ffffff",
            "Windows": "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc "
                + "767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2",
        ]
        return codes.mapValues { text in
            let colors = text.split(separator: " ").compactMap { RGB(hex: "#" + $0) }
            return Dictionary(zip(order, colors)) { first, _ in first }
        }
    }()

    @Test(arguments: palettes.keys.sorted(), [ColorDepth.eight, .sixteen])
    func markedWordsAreReadableInTheTerminalsOwnColours(name: String, depth: ColorDepth) throws {
        let palette = try #require(Self.palettes[name])
        for mark in Self.marks {
            let style = MarkColors(depth: depth, ground: nil).highlight(mark)
            let text = try #require(palette[style.foreground], "\(mark) gives \(style)")
            let background = try #require(palette[style.background], "\(mark) gives \(style)")
            #expect(text.contrast(with: background) >= 4.5, "\(mark) gives \(style)")
            #expect(MarkColors(depth: depth, ground: nil).ink(mark) == .normal, "nothing is readable everywhere")
            let grounds: [(Ground, RGB)] = [(.dark, palette[.black] ?? .black), (.light, .white)]
            for (ground, background) in grounds {
                let ink = MarkColors(depth: depth, ground: ground).ink(mark)
                let color = try #require(palette[ink], "\(mark) gives \(ink)")
                #expect(color.contrast(with: background) >= 4.5, "\(mark) gives \(ink) on \(background)")
            }
        }
    }

    @Test(arguments: palettes.keys.sorted(), [Ground.dark, .light])
    func theThemeInTheTerminalsOwnColoursIsReadable(name: String, ground: Ground) throws {
        let palette = try #require(Self.palettes[name])
        let theme = Theme.named(on: ground)
        let back = ground.isDark ? palette[.black] ?? .black : .white
        for (name, role) in Theme.roles where theme[keyPath: role].foreground != .normal {
            let color = try #require(palette[theme[keyPath: role].foreground], "\(name)")
            #expect(color.contrast(with: back) >= 4.5, "\(name): \(color)")
            #expect(theme[keyPath: role].background == .normal)
        }
    }

    @Test func withoutColoursAHighlightIsBold() {
        #expect(MarkColors(depth: .mono, ground: .dark).highlight(RGB(255, 0, 0)) == Style(.bold))
        #expect(MarkColors(depth: .mono, ground: .dark).ink(RGB(255, 0, 0)) == .normal)
    }

    struct Shown: CustomTestStringConvertible, Sendable {
        var name: String
        var theme: Theme
        var depth: ColorDepth
        var ground: Ground?
        var testDescription: String { name }
    }

    private static let solarized = Ground(background: RGB(0, 43, 54), text: RGB(147, 161, 161))
    static let themes: [Shown] = {
        var all = [
            Shown(name: "dark", theme: .dark, depth: .direct, ground: .dark),
            Shown(name: "light", theme: .light, depth: .direct, ground: .light),
        ]
        let black = Ground(background: .black, text: RGB(200, 200, 200))
        let grounds: [(String, Ground?)] = [
            ("dark", .dark), ("light", .light), ("black", black), ("solarized", solarized), ("unknown", nil),
        ]
        for (name, ground) in grounds {
            for depth in [ColorDepth.direct, .many] {
                for base in [ThemeChoice.Base.auto, .highContrast] {
                    let theme = ThemeChoice(base).theme(depth, ground)
                    all.append(
                        Shown(name: "\(base.rawValue) on \(name), \(depth)", theme: theme, depth: depth, ground: ground)
                    )
                }
            }
        }
        return all
    }()

    /// Every colour of every theme, also on the backgrounds that a row or a changed row has.
    @Test(arguments: themes)
    func everyThemeIsReadable(shown: Shown) {
        let theme = shown.theme
        let grounds = shown.ground.map { [$0] } ?? [Ground(background: .black, text: .white), .light]
        for ground in grounds {
            for (name, role) in Theme.roles {
                let style = theme[keyPath: role]
                let text = style.foreground == .normal ? ground.text : style.foreground.exact
                let background = style.background == .normal ? ground.background : style.background.exact
                let least = min(theme.contrastOfText, ground.text.contrast(with: ground.background))
                #expect(text.contrast(with: background) >= least, "\(name): \(style) on \(ground.background)")
            }
            let colors = MarkColors(depth: shown.depth, ground: shown.ground, theme: theme)
            let rows = [theme.selection, theme.inactiveSelection].map(\.background).filter { $0 != .normal }
            for row in rows.map(\.exact) + [ground.background] {
                for person in ["ana", "ben", "carla", "dan", "eva", "finn", "gus", "hana", "ivo"] {
                    let color = colors.person(person)
                    let ink = color == .normal ? ground.text : color.exact
                    let least = min(theme.contrastOfText, ground.text.contrast(with: ground.background))
                    #expect(ink.contrast(with: row) >= least, "\(person): \(color) on \(row)")
                }
                for style in [theme.unread, theme.unsent, theme.dimmed] where style.foreground != .normal {
                    #expect(style.foreground.exact.contrast(with: row) >= 4.5, "\(style) on \(row)")
                }
            }
        }
    }

    @Test func aPersonHasOneColour() {
        #expect(PeopleColors.index(of: "ana") == PeopleColors.index(of: "ana"))
        let people = ["ana", "ben", "carla", "dan", "eva", "finn", "gus", "hana"]
        #expect(Set(people.map(PeopleColors.index)).count >= 4)
    }

    @Test(arguments: [("15;0", true), ("0;15", false), ("0;default;15", false), ("7;8", true)])
    func theEnvironmentMaySayWhetherItIsDark(text: String, isDark: Bool) {
        #expect(Ground(colorFGBG: text)?.isDark == isDark)
        #expect(Ground(colorFGBG: "") == nil && Ground(colorFGBG: "x;y") == nil && Ground(colorFGBG: "0;99") == nil)
    }
}

extension Color {
    /// The colour, which a test expects to be exact.
    fileprivate var exact: RGB {
        switch self {
        case .rgb(let red, let green, let blue): RGB(red, green, blue)
        case .indexed(let index): XtermPalette.rgb(Int(index))
        default: .black
        }
    }
}
