import Screen
import TestSupport
import Testing

@Suite struct ThemeTests {
    @Test func withoutColourTheRolesThatMatterStillDiffer() {
        let theme = Theme.plain
        for style in [theme.title, theme.warning, theme.error, theme.selection, theme.highlightMark, theme.statusLine] {
            #expect(style != theme.text)
            #expect(style.foreground == .normal && style.background == .normal)
        }
        // The bar tells the focused pane's row from that of the others.
        #expect(theme.accent != theme.text)
        #expect(theme.highlightMark.attributes.contains(.reverse) == false, "only the cursor is reverse")
    }

    @Test func colourOnlyAdds() {
        let standard = Theme.named(on: .dark)
        let plain = Theme.plain
        #expect(standard.error.withoutColor == plain.error)
        #expect(standard.highlightMark.withoutColor == plain.highlightMark)
        #expect(standard.error != plain.error)
    }

    @Test func stylesAreLaidOverEachOther() {
        let mark = Style(.underline, foreground: .green)
        #expect(mark.adding(.reverse) == Style([.underline, .reverse], foreground: .green))
        #expect(mark.adding(Style(.bold, foreground: .red)) == Style([.underline, .bold], foreground: .red))
        #expect(
            Style([.bold, .dim], foreground: .red, background: .indexed(7)).description == "bold dim red on indexed(7)")
    }
}
