import Annotations
import Screen
import TestSupport
import Testing

@testable import App

/// The look of the main screens: text and styles, in every kind of terminal, at three sizes.
@Suite struct LookTests {
    struct Look: CustomTestStringConvertible, Sendable {
        var name: String
        var theme: Theme
        var art: LineArt
        var depth: ColorDepth
        var testDescription: String { name }
    }

    static let looks = [
        Look(name: "direct", theme: .dark, art: .unicode, depth: .direct),
        Look(name: "256", theme: .light, art: .unicode, depth: .many),
        Look(name: "16", theme: .named(on: .dark), art: .unicode, depth: .sixteen),
        Look(name: "contrast", theme: .highContrast(.direct, .dark), art: .unicode, depth: .direct),
        Look(name: "mono", theme: .plain, art: .unicode, depth: .mono),
        Look(name: "ascii", theme: .plain, art: .ascii, depth: .mono),
    ]
    static let screens: [(name: String, keys: String)] = [
        ("list", ""), ("page", "<tab>jjw"), ("reader", "<enter>"), ("token", "T"),
    ]

    private static func stage(_ look: Look, _ rows: Int, _ columns: Int) -> Stage {
        let services = ThreadTests.services()
        services.records += [
            Sample.markup("x1", "strikeout", page: 0, line: 0, from: 5, count: 9, text: "", by: "dan", minutes: 30),
            Sample.markup("z1", "squiggly", page: 0, line: 3, from: 23, count: 3, text: "", by: "eva", minutes: 3),
        ]
        return Stage(
            services, rows: rows, columns: columns, theme: look.theme, art: look.art, depth: look.depth)
    }

    @Test(arguments: looks, [(30, 120), (24, 80), (20, 40)])
    func golden(look: Look, size: (rows: Int, columns: Int)) throws {
        for screen in Self.screens {
            let stage = Self.stage(look, size.rows, size.columns)
            try stage.press(screen.keys)
            let text = stage.screen + "\n\n" + stage.canvas.styleDump
            if look.name == "ascii" { #expect(stage.screen.utf8.allSatisfy { $0 < 0x80 }) }
            try expectSnapshot(text, "look-\(screen.name)-\(look.name)-\(size.columns)x\(size.rows)")
        }
    }

    /// Without colours marked words stand in brackets; with colours nothing is drawn in the text.
    @Test(arguments: looks)
    func bracketsAreOnlyWhereColoursAreMissing(look: Look) throws {
        let stage = Self.stage(look, 24, 80)
        #expect(stage.screen.contains("[some of the challenges]") == (look.depth == .mono))
        #expect(stage.screen.contains("highlight some of the challenges arising") == (look.depth != .mono))
    }

    /// `marks = "brackets"` and `strike = "combining"`.
    @Test func theUserMayWantBracketsOrALineThroughTheLetters() throws {
        let services = Sample.services()
        services.records.append(
            Sample.markup("x1", "strikeout", page: 0, line: 0, from: 5, count: 9, text: "", by: "dan", minutes: 30))
        let plain = Stage(services)
        #expect(plain.screen.contains("This calls for a rethink"))
        let stage = Stage(services, markStyle: MarkStyle(hasBrackets: true, combinesStrike: true))
        #expect(stage.screen.contains("[some of the challenges]"))
        #expect(stage.canvas[1, 5].glyph.scalars.contains("\u{336}") == false)
        let struck = (0..<80).filter { stage.canvas[1, $0].glyph.scalars.contains("\u{336}") }
        #expect(struck.count == 8, "the blank between the words is not struck")
        let ascii = Stage(services, art: .ascii, markStyle: MarkStyle(combinesStrike: true))
        #expect(!(0..<80).contains { ascii.canvas[1, $0].glyph.scalars.contains("\u{336}") })
    }

    /// The terminal answers when it likes; the theme and the marks follow.
    @Test func theColoursFollowTheTerminal() throws {
        let stage = Stage(Sample.services(), themeChoice: ThemeChoice(.auto), depth: .direct)
        let before = stage.canvas
        stage.send(.ground(.light))
        #expect(stage.screen == before.text)
        #expect(stage.state.theme == .computed(.direct, .light) && stage.state.markColors.ground == .light)
        stage.send(.ground(Ground(background: .black, text: .white)))
        #expect(stage.state.theme.ground?.background == .black)
        let dark = Stage(Sample.services(), themeChoice: ThemeChoice(.dark), depth: .direct)
        dark.send(.ground(.light))
        #expect(dark.state.theme == .dark)
    }

    @Test func aHighlightHasItsOwnColourAsBackground() throws {
        let services = Sample.services()
        services.records[0].content = services.records[0].content.changing { $0["color"] = "#2293fb" }
        let stage = Stage(services, theme: .light, depth: .direct)
        let style = stage.canvas[2, 30].style
        let colors = MarkColors(depth: .direct, ground: .light, theme: .light)
        #expect(style.background == colors.highlight(RGB(0x22, 0x93, 0xFB)).background)
        #expect(stage.canvas[2, 52].style.background == .normal)
        #expect(stage.canvas[4, 16].style.attributes.contains(.underline))
    }
}
