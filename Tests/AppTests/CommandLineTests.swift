import PageLayout
import Screen
import Testing

@testable import App

/// Commands typed after `:`.
@Suite struct CommandLineTests {
    @Test(arguments: [
        ("page 2", [Effect]()), ("sync", [.syncNow]), ("offline", [.setOnline(false)]), ("onl", [.setOnline(true)]),
        ("forget-token", [.forgetToken]), ("author  Ana Maria ", [.rememberAuthor("Ana Maria")]), ("quit", [.quit]),
        ("q", [.quit]), ("QUIT", [.quit]),
    ])
    func effects(line: String, effects: [Effect]) throws {
        let stage = Stage(Sample.services())
        let before = stage.asked.count
        stage.send(.key(.character(":")))
        for character in line { stage.send(.key(.character(character))) }
        try stage.press("<enter>")
        let asked = stage.asked.dropFirst(before).filter {
            switch $0 {
            case .loadPage, .loadPageRows, .loadHistory, .remember: false
            default: true
            }
        }
        #expect(asked == effects)
    }

    /// A key counts to a million; a typed number may be any.
    @Test(arguments: [Int.max, .min, 1_000_000_000_000]) func anyNumberCanBeTyped(_ number: Int) throws {
        let stage = Stage(Sample.services())
        for word in [
            "down", "up", "half-down", "half-up", "screen-down", "screen-up", "first", "last", "next-page",
            "previous-page", "next-tab", "previous-tab", "search-next", "search-previous", "next-mark", "previous-mark",
            "grow-pane", "shrink-pane", "scroll-left", "scroll-right", "zoom-in", "left", "right", "word-forward",
            "word-back", "sentence-forward", "block-back", "grow-selection", "next-unread", "page",
        ] {
            try stage.press(":\(word) \(number)<enter>")
            try stage.press("<tab>:\(word) \(number)<enter><tab>")
        }
        #expect(!stage.lines.isEmpty)
    }

    @Test(arguments: [
        ("page 99", " Usage: page N (1 to 3)"), ("page", " Usage: page N (1 to 3)"),
        ("frobnicate", " Unknown command: frobnicate"),
        ("o", " Ambiguous command: offline, online, outbox, open"), ("author", " Usage: author NAME"),
        ("download", " The PDF is already downloaded"),
        ("", ""),
    ])
    func complaints(line: String, notice: String) throws {
        let stage = Stage(Sample.services())
        try stage.press(":\(line)<enter>")
        if !notice.isEmpty { #expect(stage.foot == notice) }
        #expect(stage.state.prompt == nil)
    }

    @Test func pagesViewsAndScreens() throws {
        let stage = Stage(Sample.services())
        try stage.press(":page 2<enter>")
        #expect(stage.lines[0].contains("page 2 of 3"))
        try stage.press(":reading<enter>")
        #expect(stage.state.document?.page.view == .reading)
        try stage.press(":layout<enter>")
        #expect(stage.state.document?.page.view == .layout)
        try stage.press(":filter ana<enter>")
        #expect(stage.lines[15].contains("filter: ana"))
        try stage.press(":outbox<enter>")
        #expect(stage.screen.contains("Unsent: 0"))
        try stage.press("q:help<enter>")
        #expect(stage.boxTitle.contains("Help"))
    }

    @Test func theLibraryKnowsOnlyWhatMakesSenseThere() throws {
        let stage = Stage(FakeServices(), begin: .library)
        try stage.press(":sync<enter>")
        #expect(stage.foot == " Open a layer first")
        try stage.press(":quit<enter>")
        #expect(stage.state.hasQuit)
    }

    @Test func aLongLineScrollsWithItsCursor() throws {
        let stage = Stage(Sample.services(), rows: 24, columns: 40)
        try stage.press(":" + String(repeating: "long ", count: 20) + "end")
        #expect(stage.foot.hasSuffix("end"))
        #expect(stage.canvas.cursor == Position(row: 23, column: 39))
        try stage.press("<C-a>")
        #expect(stage.foot.hasPrefix(":long long"))
        #expect(stage.canvas.cursor == Position(row: 23, column: 1))
    }
}
