import Annotations
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// A recent change by another person is highlighted briefly, then counts as unread.
@Suite struct ChangeHighlightTests {
    /// The list with the cursor on its first row, just after ana added a note below it.
    private func stageWithNews(_ id: String = "n0") -> Stage {
        let services = Sample.services()
        let stage = Stage(services)
        services.records.append(Sample.note("n0", page: 0, top: 700, text: "Just said", by: "ana", minutes: 0))
        services.unread.insert("n0")
        stage.send(.recordsChanged([id], author: "ana", byOthers: [id]))
        return stage
    }

    private func style(of text: String, on stage: Stage) throws -> Style {
        let row = try #require(stage.lines.firstIndex { $0.contains(text) })
        return stage.canvas[row, 10].style
    }

    @Test func aNewRowStandsOutForASecondOrTwoAndThenIsUnread() throws {
        let stage = stageWithNews()
        let cursor = stage.canvas.cursor
        #expect(try style(of: "Just said", on: stage) == Theme.standard.unread.adding(Theme.standard.flash))
        stage.now = .noon + 1000
        stage.send(.tick(stage.now))
        #expect(try style(of: "Just said", on: stage).attributes.contains(.underline))
        stage.now = .noon + 2000
        stage.send(.tick(stage.now))
        #expect(try style(of: "Just said", on: stage) == Theme.standard.unread)
        #expect(stage.canvas.cursor == cursor)
        #expect(stage.screen.contains("· 2 new"))
    }

    @Test func itCanBeToldWithoutColour() {
        for theme in [Theme.plain, .named(on: .dark), .light, .dark] {
            #expect(theme.flash.attributes != theme.unread.attributes)
            #expect(theme.flash.attributes != theme.text.attributes)
            // Reverse marks the cursor.
            #expect(!theme.flash.attributes.contains(.reverse))
        }
    }

    @Test func theProgramWakesUpOnceToEndIt() {
        let stage = stageWithNews()
        #expect(stage.state.wakeAfter == 2000)
        stage.now = .noon + 2000
        stage.send(.tick(stage.now))
        #expect(stage.state.wakeAfter ?? 0 > 2000)
    }

    @Test func theWordsOnThePageStandOutToo() throws {
        let services = Sample.services()
        let stage = Stage(services)
        let (row, column) = (3, PagePane.gutter + 6)
        let before = stage.canvas
        #expect(before.line(row).contains("accelerating"))
        stage.send(.recordsChanged(["h2"], author: nil, byOthers: ["h2"]))
        #expect(stage.screen == before.text)
        #expect(stage.canvas[row, column].style.attributes.contains(.underline))
        #expect(!before[row, column].style.attributes.contains(.underline))
        stage.now = .noon + 2000
        stage.send(.tick(stage.now))
        #expect(stage.canvas == before)
    }

    @Test func aCommentOfAThreadStandsOut() throws {
        let stage = Stage(ThreadTests.services(), rows: 40)
        try stage.press("<tab>")
        let id = try #require(stage.state.document?.thread.comments.last?.id)
        let before = stage.canvas
        stage.send(.recordsChanged([id], author: nil, byOthers: [id]))
        #expect(stage.canvas != before)
        #expect(stage.screen == before.text)
    }

    @Test func theCursorsRowShowsItAsWell() {
        let stage = stageWithNews("h1")
        let row = stage.canvas.cursor?.row ?? 0
        #expect(stage.canvas[row, 10].style == Theme.standard.selection.adding(Theme.standard.flash))
    }

    @Test func whatThisPersonDoesDoesNotStandOut() throws {
        let stage = Stage(Sample.services())
        try stage.press("jeMore<enter>")
        stage.send(.recordsChanged(["h2"], author: nil))
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.state.document?.highlights == ChangeHighlights())
    }

    @Test func whoWantsACalmScreenHasOne() {
        var state = AppState(
            begin: .layer(.hotos), size: Size(rows: 24, columns: 80), flashesChanges: false, seed: (1, 2))
        _ = update(&state, .opened(Sample.services().opened))
        _ = update(&state, .recordsChanged(["h1"], author: "ana", byOthers: ["h1"]))
        #expect(state.document?.recentAuthors.authors == ["ana"])
        #expect(state.document?.highlights == ChangeHighlights())
    }

    @Test func aTabBehindForgetsWhatIsOverBeforeItIsSeen() throws {
        let stage = stageWithNews()
        try stage.press(":open notes.pdf<enter>[")
        stage.send(.at(.hotos, .recordsChanged(["h2"], author: "ana", byOthers: ["h2"])))
        stage.now = .noon + 3000
        try stage.press("]")
        #expect(stage.state.document?.highlights.contains("h2", at: stage.now) == false)
    }

    /// With ten changes a second for a minute, no row's highlight changes more than once a second.
    @Test(arguments: [Int64(0), 137, 999, -1, -1001])
    func aStreamOfChangesNeverFlickers(offset: Int64) {
        var flashes = ChangeHighlights()
        var lastEnd = Timestamp(milliseconds: .min)
        for step in 0..<600 {
            let now = Timestamp(milliseconds: offset + Int64(step) * 100)
            flashes.add(["often"], at: now)
            if step % 7 == 0 { flashes.add(["\(step)"], at: now) }
            #expect(flashes.contains("often", at: now))
            flashes.drop(at: now)
            let end = flashes.nextEnd ?? now
            #expect(end > now && end - now <= 2000)
            #expect(end == lastEnd || lastEnd.milliseconds == .min || end - lastEnd >= 1000)
            lastEnd = end
        }
    }

    @Test func aFloodIsBounded() {
        var flashes = ChangeHighlights()
        flashes.add((0..<10_000).map(String.init), at: .noon)
        #expect((0..<10_000).count { flashes.contains("\($0)", at: .noon) } == ChangeHighlights.maxCount)
        flashes.drop(at: .noon + 2000)
        #expect(flashes == ChangeHighlights())
    }
}
