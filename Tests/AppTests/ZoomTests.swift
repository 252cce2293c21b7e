import Annotations
import Screen
import Testing

@testable import App

/// More space between parts side by side on a page.
@Suite struct ZoomTests {
    private func stage() throws -> Stage {
        let services = Sample.services()
        services.pages[0] = Sample.page(["Name          Year", "SMEP          2011", "RDRAND        2012"])
        let stage = Stage(services)
        try stage.press("<tab>")
        return stage
    }

    @Test func columnsMoveApartAndTheCursorStaysOnItsWord() throws {
        let stage = try stage()
        try stage.press("jw")
        #expect(stage.underCursor == "2011")
        let before = stage.canvas.cursor?.column ?? 0
        try stage.press("++")
        #expect(stage.foot == " 150% of the natural width")
        #expect(stage.lines[0].contains(" 150%"))
        #expect(stage.underCursor == "2011")
        #expect(stage.canvas.cursor?.column == before + 7)
        try stage.press("2-")
        #expect(stage.canvas.cursor?.column == before)
        #expect(!stage.lines[0].contains("%"))
    }

    @Test func thereIsALeastAndAGreatest() throws {
        let stage = try stage()
        try stage.press("-")
        #expect(stage.foot == " Already at the natural width")
        try stage.press("99=")
        #expect(stage.foot == " 300% of the natural width")
        try stage.press("+")
        #expect(stage.foot == " Already at the maximum width")
        try stage.press("9999-")
        #expect(stage.foot == " 100% of the natural width")
    }

    @Test func aZoomedPageThatNoLongerFitsIsScrolledNotSetForReading() throws {
        let services = Sample.services()
        services.pages[0] = Sample.page(["A first column of words            and a second one beside it"])
        let stage = Stage(services)
        try stage.press("<tab>8+$")
        #expect(stage.lines[0].contains(" 300%"))
        #expect(stage.lines[0].contains("column "))
        #expect(stage.underCursor == "t")
    }

    @Test func theReadingViewHasNone() throws {
        let stage = try stage()
        try stage.press("L+")
        #expect(stage.foot == " Zoom needs the layout view (L)")
        try stage.press("-")
        #expect(stage.foot == " Zoom needs the layout view (L)")
    }

    @Test func everyTabHasItsOwnAndPagesKeepIt() throws {
        let stage = try stage()
        try stage.press("+J")
        #expect(stage.lines[0].contains(" 125%"))
        try stage.press(":open notes.pdf<enter><tab>")
        #expect(!stage.screen.contains("125%"))
        try stage.press("[")
        #expect(stage.lines.contains { $0.contains(" 125%") })
    }
}
