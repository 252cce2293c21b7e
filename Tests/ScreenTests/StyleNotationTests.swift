import Foundation
import Testing

@testable import Screen

@Suite struct StyleNotationTests {
    @Test(arguments: [
        ("bold", Style(.bold)), ("normal", .normal), ("dim red", Style(.dim, foreground: .red)),
        ("green underline", Style(.underline, foreground: .green)), ("208", Style(foreground: .indexed(208))),
        ("bold #d7875f on 236", Style(.bold, foreground: .rgb(0xD7, 0x87, 0x5F), background: .indexed(236))),
        ("reverse bright-blue on black", Style(.reverse, foreground: .brightBlue, background: .black)),
    ])
    func isReadAndWritten(text: String, style: Style) throws {
        #expect(try Style(notation: text) == style)
        #expect(try Style(notation: style.notation) == style)
    }

    @Test(arguments: ["purple", "256", "#12345", "on bold", "#gggggg", "-1"])
    func whatIsNoneIsNamed(text: String) {
        #expect(throws: NotationError.self) { try Style(notation: text) }
    }

    @Test(arguments: [Theme.named(on: .dark), .named(on: .light), .light, .dark, .plain])
    func everyRoleOfEveryThemeIsReadAgain(theme: Theme) throws {
        for (name, role) in Theme.roles {
            #expect(try Style(notation: theme[keyPath: role].notation) == theme[keyPath: role], "\(name)")
        }
    }

    @Test func everyRoleHasAName() {
        // The ground and the contrast are not roles.
        #expect(Mirror(reflecting: Theme.plain).children.count == Theme.roles.count + 2)
        #expect(Set(Theme.roles.map(\.style)).count == Theme.roles.count)
    }

    /// WCAG's contrast of 4.5 against white and black.
    @Test(arguments: [(Theme.light, 1.0), (Theme.dark, 0.0)])
    func theColoursCanBeReadOnTheirBackground(theme: Theme, background: Double) {
        for (name, role) in Theme.roles {
            guard case .rgb(let red, let green, let blue) = theme[keyPath: role].foreground else { continue }
            let parts = [red, green, blue].map { Double($0) / 255 }
            let linear = parts.map { $0 <= 0.03928 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
            let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
            let contrast = (max(luminance, background) + 0.05) / (min(luminance, background) + 0.05)
            #expect(contrast >= 4.5, "\(name): \(contrast)")
        }
    }
}
