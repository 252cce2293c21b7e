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
            let contrast = style.foreground.rgb.contrast(with: style.background.rgb)
            #expect(contrast >= 4.5, "\(mark) gives \(style)")
            let backgrounds = ground.map { [$0.background] } ?? [.black, .white]
            for background in backgrounds {
                let ink = colors.ink(mark).rgb
                // On an unknown background the colour must do for black and for white.
                let least = ground == nil ? 3.5 : 4.5
                #expect(ink.contrast(with: background) >= least, "\(mark) gives \(ink) on \(background)")
            }
        }
    }

    /// With 16 colours, the terminal's own palette decides: xterm's, VGA's and Tango's.
    @Test func markedWordsAreReadableWithSixteenColours() {
        let palettes: [[Color: RGB]] = [
            [
                .black: RGB(0, 0, 0), .brightWhite: RGB(255, 255, 255), .brightYellow: RGB(255, 255, 0),
                .brightGreen: RGB(0, 255, 0), .brightCyan: RGB(0, 255, 255), .brightMagenta: RGB(255, 0, 255),
                .red: RGB(205, 0, 0), .blue: RGB(0, 0, 238), .white: RGB(229, 229, 229),
            ],
            [
                .black: RGB(0, 0, 0), .brightWhite: RGB(255, 255, 255), .brightYellow: RGB(255, 255, 85),
                .brightGreen: RGB(85, 255, 85), .brightCyan: RGB(85, 255, 255), .brightMagenta: RGB(255, 85, 255),
                .red: RGB(170, 0, 0), .blue: RGB(0, 0, 170), .white: RGB(170, 170, 170),
            ],
            [
                .black: RGB(46, 52, 54), .brightWhite: RGB(238, 238, 236), .brightYellow: RGB(252, 233, 79),
                .brightGreen: RGB(138, 226, 52), .brightCyan: RGB(52, 226, 226), .brightMagenta: RGB(173, 127, 168),
                .red: RGB(204, 0, 0), .blue: RGB(52, 101, 164), .white: RGB(211, 215, 207),
            ],
        ]
        let colors = MarkColors(depth: .sixteen, ground: nil)
        for palette in palettes {
            for mark in Self.marks {
                let style = colors.highlight(mark)
                let (text, background) = (palette[style.foreground], palette[style.background])
                #expect(text != nil && background != nil, "\(mark) gives \(style)")
                if let text, let background {
                    #expect(text.contrast(with: background) >= 3.5, "\(mark) gives \(style)")
                }
            }
        }
    }

    @Test func withoutColoursAHighlightIsBold() {
        #expect(MarkColors(depth: .mono, ground: .dark).highlight(RGB(255, 0, 0)) == Style(.bold))
        #expect(MarkColors(depth: .mono, ground: .dark).ink(RGB(255, 0, 0)) == .normal)
    }

    /// Every colour of the themes that say which background they are for.
    @Test(arguments: [Theme.dark, .light])
    func theThemesAreReadable(theme: Theme) throws {
        let ground = try #require(theme.ground)
        for (name, role) in Theme.roles {
            let style = theme[keyPath: role]
            let text = style.foreground == .normal ? ground.text : style.foreground.rgb
            let background = style.background == .normal ? ground.background : style.background.rgb
            #expect(text.contrast(with: background) >= 4.5, "\(name): \(style)")
        }
    }

    @Test func aPersonHasOneColour() {
        #expect(PeopleColors.color(of: "ana") == PeopleColors.color(of: "ana"))
        let people = ["ana", "ben", "carla", "dan", "eva", "finn", "gus", "hana"]
        #expect(Set(people.map(PeopleColors.color)).count >= 4)
    }
}

extension Color {
    /// The colour that a test expects to be exact.
    fileprivate var rgb: RGB {
        switch self {
        case .rgb(let red, let green, let blue): RGB(red, green, blue)
        case .indexed(let index): XtermPalette.rgb(Int(index))
        default: .black
        }
    }
}
