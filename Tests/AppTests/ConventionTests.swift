import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Small conventions of terminal programs: marks of many rows, panes by number, copying, the mouse.
@Suite struct ConventionTests {
    @Test func everythingListedIsMarkedOrTheMarksAreInverted() throws {
        let stage = Stage(Sample.services())
        try stage.press("<C-a>")
        #expect(stage.state.document?.list.marks.ids.map(\.text).sorted() == ["h1", "h2", "n1", "u1"])
        #expect(stage.screen.contains("4 marked"))
        try stage.press("<esc>gg<space>*")
        #expect(stage.state.document?.list.marks.ids.map(\.text).sorted() == ["h2", "n1", "u1"])
        try stage.press("**")
        #expect(stage.state.document?.list.marks.ids.map(\.text).sorted() == ["h2", "n1", "u1"])
        // Only what the filter lists.
        try stage.press("<esc>/kind:h<enter><C-a>")
        #expect(stage.state.document?.list.marks.ids.map(\.text).sorted() == ["h1", "h2"])
    }

    @Test func panesHaveNumbers() throws {
        let stage = Stage(ThreadTests.services())
        try stage.press("<A-3>")
        #expect(stage.state.document?.focus == .page)
        try stage.press("<A-2>")
        #expect(stage.state.document?.focus == .thread)
        try stage.press("<A-1>")
        #expect(stage.state.document?.focus == .list)
        try stage.press("G<A-2>")
        #expect(stage.state.document?.focus == .list && stage.foot.contains("has no thread"))
    }

    @Test func textsAreCopiedFromListAndThread() throws {
        let stage = Stage(ThreadTests.services())
        try stage.press("y")
        #expect(
            stage.asked.last { if case .copy = $0 { true } else { false } } == .copy("Which ones?", isAddress: false))
        try stage.press("<A-2>jy")
        #expect(stage.asked.last { if case .copy = $0 { true } else { false } } == .copy("I agree.", isAddress: false))
        try stage.press("<A-1>jy")
        #expect(stage.foot.contains("No text to copy"))
    }

    @Test func aClickOnAKeyIsThatKey() throws {
        let stage = Stage(Sample.services())
        func click(_ label: String) throws {
            let line = try #require(stage.lines.last)
            let start = try #require(line.ranges(of: label).first).lowerBound
            stage.send(.key(.click(row: 23, column: line.distance(from: line.startIndex, to: start))))
        }
        try click("reply")
        #expect(stage.state.document?.editor != nil)
        stage.send(.key(.character("x")))
        try click("save")
        #expect(stage.state.document?.editor == nil && stage.services.records.count == 5)
        try click("? help")
        #expect(stage.state.help != nil)
        try stage.press("<esc>")
        // Between two keys, and in a line that is being typed.
        stage.send(.key(.click(row: 23, column: 0)))
        try stage.press(":x")
        stage.send(.key(.click(row: 23, column: 4)))
        #expect(stage.state.prompt?.input.text == "x")
    }

    @Test func theMouseIsSwitchedByACommand() throws {
        let stage = Stage(Sample.services())
        try stage.press(":mouse<space>off<enter>")
        #expect(stage.asked.contains(.useMouse(false)) && stage.foot.contains("The terminal has the mouse"))
        try stage.press(":mouse<space>on<enter>")
        #expect(stage.asked.contains(.useMouse(true)))
        try stage.press(":mouse<enter>")
        #expect(stage.foot.contains("Usage: mouse on or mouse off"))
    }

    @Test func partsOfAWordAreCountedInCharacters() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>jv")
        #expect(stage.statusLine.contains(#"SELECT 1 character "t""#))
        try stage.press("l")
        #expect(stage.statusLine.contains(#"SELECT 2 characters "th""#))
        try stage.press("e")
        #expect(stage.statusLine.contains(#"SELECT 1 word "this""#))
    }

    /// A search extends a selection by the whole match.
    @Test func aSearchTakesTheMatchIntoTheSelection() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>jv/paper<enter>")
        #expect(stage.statusLine.contains(#"SELECT 2 words "this paper""#))
    }

    @Test func annotationsThatAreStillOnTheirWayAreNotDenied() throws {
        let services = Sample.services()
        services.records = []
        let stage = Stage(services)
        #expect(stage.screen.contains("Waiting for the annotations ..."))
        var status = SyncStatus.live()
        status.lastSync = .noon
        stage.send(.status(status))
        #expect(stage.screen.contains("No annotations yet"))
    }

    @Test func presenceIsLeftOutOfTheRequests() throws {
        let services = Sample.services()
        services.requests = [
            SentRequest(at: .noon, method: "POST", path: "presence", outcome: "200", milliseconds: 3),
            SentRequest(at: .noon, method: "POST", path: "push", outcome: "200", milliseconds: 3),
            SentRequest(at: .noon, method: "POST", path: "presence", outcome: "503", milliseconds: 3),
        ]
        let stage = Stage(services)
        try stage.press(":requests<enter>")
        #expect(stage.screen.contains("Requests to the server: 2, 1 about presence left out"))
        #expect(stage.screen.contains("503") && stage.screen.contains("push"))
    }

    // MARK: Lines, filters, places

    @Test func argumentsOfCommandsAreCompleted() throws {
        let stage = Stage(Sample.services())
        try stage.press(":mouse<space><tab>")
        #expect(stage.state.prompt?.input.text == "mouse off")
        try stage.press("<esc>:color<space>re<tab>")
        #expect(stage.state.prompt?.input.text == "color red")
    }

    @Test func aFilterLeavesOutWhatFollowsAnExclamationMark() throws {
        let stage = Stage(Sample.services())
        try stage.press("/!kind:h<enter>")
        #expect(stage.screen.contains("Annotations 2 of 4"))
    }

    @Test func hitsAreCountedOverAllPages() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>/page<enter>")
        #expect(stage.foot.contains("Match 1 of 1") && stage.state.document?.page.index == 1)
        try stage.press("/two<enter>")
        #expect(stage.foot.contains("Match 1 of 1"))
    }

    /// Where the terminal tells Ctrl-I from Tab, it goes forward; Tab still changes the pane.
    @Test func theJumpListGoesForward() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>2G<C-o>")
        #expect(stage.state.document?.page.index == 0)
        stage.send(.key(.control("i")))
        #expect(stage.state.document?.page.index == 1)
        try stage.press("<C-o>g;")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("<tab>")
        #expect(stage.state.document?.focus == .list)
    }

    @Test func addressesInTheTextAreLinks() throws {
        let services = Sample.services()
        services.records = []
        services.pages = [
            Sample.page(["See https://example.com/a, or mailto:ana@example.com.", "javascript:alert(1)"])
        ]
        let stage = Stage(services)
        let links = stage.canvas.links
        #expect(
            links.map { String(decoding: $0.target.bytes, as: UTF8.self) } == [
                "https://example.com/a", "mailto:ana@example.com",
            ])
        for link in links {
            let cells = link.columns.map { stage.canvas[link.row, $0].glyph.base }
            #expect(
                String(String.UnicodeScalarView(cells))
                    == String(decoding: link.target.bytes, as: UTF8.self))
        }
        // Nothing leads anywhere from beneath a box.
        try stage.press("?")
        #expect(stage.canvas.links.isEmpty)
    }

    @Test func escClosesOneThingAfterTheOther() throws {
        let stage = Stage(Sample.services())
        try stage.press("e?")
        #expect(stage.state.overlay == .editor)
        try stage.press("<esc>")
        #expect(stage.state.overlay == nil)
        try stage.press("<enter>?")
        #expect(stage.state.overlay == .help)
        try stage.press("<esc>")
        #expect(stage.state.overlay == .reader)
        try stage.press("<esc>")
        #expect(stage.state.overlay == nil)
    }

    @Test func undoNamesWhatItUndid() throws {
        let stage = Stage(Sample.services())
        try stage.press("adraft<enter>")
        try stage.press("u")
        #expect(stage.foot.contains("Undone: added note"), "\(stage.foot)")
    }

    @Test func aCommandOfOnesOwnGetsTheWordsAndTheAnnotation() throws {
        let stage = Stage(Sample.services())
        try stage.press(":run<space>todo later<enter>")
        #expect(stage.asked.contains(.runHook(.run(words: "todo later", record: "h1", page: 0))))
    }
}
