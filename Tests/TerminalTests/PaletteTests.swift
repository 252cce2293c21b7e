import Screen
import Testing

@testable import Terminal

@Suite struct PaletteTests {
    @Test(arguments: [
        (Color.normal, -1, -1, -1, -1),
        (.red, 1, 1, 1, 1),
        (.brightBlue, 4, 12, 12, 0x5C5CFF),
        (.indexed(3), 3, 3, 3, 3),
        (.indexed(196), 1, 9, 196, 0xFF0000),
        (.indexed(232), 0, 0, 232, 0x080808),
        (.rgb(0, 0, 0), 0, 0, 16, 0),
        (.rgb(0, 0, 5), 0, 0, 16, 0),
        (.rgb(255, 255, 255), 7, 15, 231, 0xFFFFFF),
        (.rgb(95, 135, 175), 6, 8, 67, 0x5F87AF),
        (.rgb(128, 128, 128), 7, 8, 244, 0x808080), (.rgb(60, 60, 60), 0, 8, 237, 0x3C3C3C),
    ])
    func everyTerminalShowsTheNearestItHas(color: Color, eight: Int, sixteen: Int, many: Int, direct: Int) {
        let terminals = [(8, eight), (16, sixteen), (256, many), (1 << 24, direct)]
        for (count, expected) in terminals {
            #expect(Palette(count: count).number(of: color) == Int32(expected), "of \(count) colours")
        }
        #expect(Palette(count: 0).number(of: color) == -1)
    }

    /// With eight colours, a grey is the terminal's white, dim; never a colour, which would have a meaning.
    @Test func aGreyOfEightIsDim() {
        #expect(Palette(count: 8).isDimInstead(.rgb(160, 160, 160)))
        #expect(!Palette(count: 8).isDimInstead(.rgb(255, 255, 255)))
        #expect(!Palette(count: 8).isDimInstead(.rgb(255, 0, 0)))
        #expect(!Palette(count: 16).isDimInstead(.rgb(160, 160, 160)))
        for level in stride(from: UInt8(0), through: 250, by: 10) {
            #expect([0, 7].contains(Palette(count: 8).number(of: .rgb(level, level, level))), "\(level)")
        }
    }

    @Test func aBrightColourOfEightIsBold() {
        #expect(Palette(count: 8).isBoldInstead(.brightRed))
        #expect(!Palette(count: 8).isBoldInstead(.red))
        #expect(!Palette(count: 8).isBoldInstead(.normal))
        #expect(!Palette(count: 16).isBoldInstead(.brightRed))
        #expect(!Palette(count: 0).isBoldInstead(.brightRed))
    }
}
