import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// The palette lists every command that is valid here, matched by some of its letters.
@Suite struct PickerTests {
    @Test func thePaletteShowsCommandsTheirKeysAndWhatTheyDo() throws {
        let stage = Stage(Sample.services())
        try stage.press("<C-p>")
        #expect(stage.boxTitle.hasPrefix("Commands "))
        try stage.press("nxtunr")
        #expect(stage.boxTitle.hasPrefix("Commands 1/"))
        #expect(stage.box[1].hasPrefix("▌ next-unread"))
        #expect(stage.box[1].contains("Next unread"))
        #expect(stage.box[1].hasSuffix(" m"))
        #expect(stage.box[0] == "Command: nxtunr")
        try stage.press("<enter>")
        #expect(stage.state.picker == nil)
        #expect(stage.state.document?.list.cursorID == "h1")
        #expect(stage.asked.contains { if case .findUnread = $0 { true } else { false } })
    }

    @Test func namesThatFitBetterComeFirst() throws {
        let stage = Stage(Sample.services())
        try stage.press("<C-p>sync")
        #expect(stage.box[1].hasPrefix("▌ sync "))
        try stage.press("<C-u>fi")
        #expect(stage.box[1].hasPrefix("▌ first "))
        #expect(stage.box[2].hasPrefix("  filter "))
    }

    @Test func whatIsSaidOfACommandIsSearchedToo() throws {
        let stage = Stage(Sample.services())
        try stage.press("<C-p>restore zebra")
        #expect(stage.box[1] == "  No matches.")
        try stage.press("<enter>")
        #expect(stage.state.picker != nil)
        try stage.press("<C-u>one screen up")
        #expect(stage.screen.contains("screen-up"))
    }

    @Test func whatCannotBeDoneNowIsDimAndSaysWhy() throws {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument, .download]))
        let stage = Stage(services)
        try stage.press("<C-p>delete")
        #expect(stage.box[1].contains(#"Read-only: this token lacks "write""#))
        try stage.press("<enter>")
        #expect(stage.foot == #" Read-only: this token lacks "write""#)
        #expect(stage.state.picker != nil)
    }

    @Test func aCommandThatTakesWordsAsksForThem() throws {
        let stage = Stage(Sample.services())
        try stage.press("<C-p>page<enter>")
        #expect(stage.foot == ":page")
        try stage.press("2<enter>")
        #expect(stage.lines[0].contains("page 2 of 3"))
    }

    @Test func movingAndLeaving() throws {
        let stage = Stage(Sample.services())
        try stage.press("<C-p><pgdn>")
        #expect(stage.box.contains { $0.hasPrefix("▌ ") })
        #expect(!stage.box[1].hasPrefix("▌"))
        try stage.press("<pgup><down><C-n><up>")
        #expect(stage.box[2].hasPrefix("▌"))
        try stage.press("<esc>")
        #expect(stage.state.picker == nil)
        #expect(stage.lines[0].contains("page 1 of 3"))
    }

    @Test func theLibraryHasItUnderSpace() throws {
        let stage = Stage(FakeServices(), begin: .library)
        try stage.press("<space>quit<enter>")
        #expect(stage.state.hasQuit)
    }

    @Test(arguments: [
        ("nu", "next-unread", true), ("NU", "next-unread", true), ("un", "next-unread", true), ("xx", "next", false),
        ("", "anything", true), ("n u", "next-unread", true),
    ])
    func fits(typed: String, name: String, isFound: Bool) {
        #expect((FuzzyMatch(typed).score(name) != nil) == isFound)
    }

    @Test func beginningsOfWordsCountMore() throws {
        let typed = FuzzyMatch("nu")
        #expect(try #require(typed.score("next-unread")) > (try #require(typed.score("sentence-unread"))))
    }
}
