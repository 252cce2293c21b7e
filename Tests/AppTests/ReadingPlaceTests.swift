import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// Reading all day: places, bookmarks, marks one after the other, the same mark again.
@Suite struct ReadingPlaceTests {
    private static func kept(_ stage: Stage) -> ReadingPlace? {
        stage.asked.reversed().lazy.compactMap { if case .keepPlace(let place) = $0 { place } else { nil } }.first
    }

    @Test func thePlaceIsKeptOnLeavingAndResumed() throws {
        let services = Sample.services()
        services.entries = [LibraryEntry(id: .hotos, title: "hotos17", state: "clean", isDownloaded: true)]
        let stage = Stage(services, begin: .library)
        try stage.press("<enter>jj<tab>Jww")
        let cursor = stage.underCursor
        try stage.press("q")
        let place = try #require(Self.kept(stage))
        #expect(place.place.page == 1 && place.isOnPage && place.row == "u1")
        services.opened.reading = place
        try stage.press("<enter>")
        #expect(stage.underCursor == cursor && cursor == "page.")
        #expect(stage.state.document?.list.cursorID == "u1" && stage.state.document?.focus == .page)
        // Nothing has changed: nothing is stored again.
        let count = stage.asked.count
        try stage.press("q")
        #expect(!stage.asked.dropFirst(count).contains { if case .keepPlace = $0 { true } else { false } })
    }

    @Test func quittingKeepsThePlaceOfEveryLayer() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>J:quit<enter>")
        #expect(Self.kept(stage)?.place.page == 1)
        #expect(stage.asked.last == .quit)
    }

    @Test func aPlaceBeyondTheEndIsTheLastPage() throws {
        let services = Sample.services()
        services.opened.reading = ReadingPlace(place: .init(page: 99, glyph: 9_999), row: "gone", isOnPage: true)
        let stage = Stage(services)
        #expect(stage.state.document?.page.index == 2)
        #expect(stage.state.document?.list.cursor == 0)
        try stage.press("K")
        #expect(stage.state.document?.page.index == 1)
    }

    @Test func bookmarks() throws {
        let stage = Stage(Sample.services())
        try stage.press("'a")
        #expect(stage.foot == " No bookmarks yet; M and a letter sets one" || stage.state.document?.editor != nil)
        try stage.press("<esc><tab>jwMa")
        #expect(stage.foot == " Bookmark a set on page 1; 'a goes there")
        let word = stage.underCursor
        #expect(Self.kept(stage)?.bookmarks["a"]?.page == 0)
        try stage.press("J'")
        #expect(stage.foot == " Go to bookmark: a page 1")
        try stage.press("a")
        #expect(stage.underCursor == word && stage.state.document?.page.index == 0)
        try stage.press("''")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("'z")
        #expect(stage.foot == " No bookmark z")
        // Esc cancels, and the letter after it is a key again.
        try stage.press("M<esc>j")
        #expect(stage.state.document?.bookmarks.count == 1 && stage.state.letterUse == nil)
    }

    @Test func aLetterThatIsAwaitedBelongsToNoOverlay() throws {
        let stage = Stage(Sample.services())
        try stage.press("M")
        stage.send(.status(SyncStatus(connection: .needsToken(.expired), grant: .hotos())))
        if stage.state.token != nil {
            try stage.press("a")
            #expect(stage.state.document?.bookmarks.isEmpty == true)
        }
    }

    @Test func fromMarkToMarkAndBeyondThePage() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>gm")
        #expect(stage.underCursor == "some")
        try stage.press("gm")
        #expect(stage.underCursor == "accelerating")
        try stage.press("2gm")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("gm")
        #expect(stage.foot == " No further marks")
        try stage.press("gM")
        #expect(stage.state.document?.page.index == 0 && stage.underCursor == "can")
    }

    @Test func theLastMarkIsRepeated() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>v.")
        #expect(stage.foot == " Nothing to repeat: no words were marked yet")
        try stage.press("eU")
        #expect(stage.services.records.count == 5)
        try stage.press("jvee.")
        #expect(stage.services.records.count == 6)
        #expect(Annotation(stage.services.records[5]).kind == .underline)
        try stage.press("<esc>.")
        #expect(stage.foot == " Select words first (v)")
    }

    /// While a layer is loaded for the first time, the cursor is on its first row until the user moves it.
    @Test func theCursorIsOnTheFirstRowWhileALayerFills() throws {
        let services = Sample.services()
        let all = services.records
        services.records = [all[3]]
        let stage = Stage(services)
        #expect(stage.state.document?.list.cursorID == "n1")
        services.records = all
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.state.document?.list.cursorID == "h1" && stage.state.document?.list.cursor == 0)
        // Once it was moved, it stays on its record.
        try stage.press("jj")
        services.records.insert(
            Sample.note("a0", page: 0, top: 1, text: "above all", by: "ana", minutes: 1), at: 0)
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.state.document?.list.cursorID == "u1" && stage.state.document?.list.cursor == 3)
    }

    @Test func everythingListedIsMarkedAsRead() throws {
        let services = Sample.services()
        services.unread = ["h1", "h2", "n1"]
        let stage = Stage(services)
        try stage.press("/kind:note<enter>ga")
        #expect(services.unread == ["h1", "h2"])
        try stage.press("<esc>ga")
        #expect(services.unread.isEmpty && stage.foot == " Everything marked as read")
        stage.now = .noon + 10_000
        try stage.press("jga")
        #expect(stage.foot == " Nothing new")
    }
}

/// A walk through open remarks with one key each.
@Suite struct ReviewTests {
    private func stage() -> Stage { Stage(ThreadTests.services(), rows: 24, columns: 80) }

    @Test func eachRemarkIsDecidedWithOneKey() throws {
        let services = Sample.services()
        services.records += [
            Sample.note("n2", page: 1, top: 200, text: "Second", by: "ben", minutes: 10),
            Sample.note("n3", page: 1, top: 300, text: "Third", by: "ben", minutes: 9),
            Sample.note("n4", page: 1, top: 400, text: "Fourth", by: "ben", minutes: 8),
        ]
        let stage = Stage(services)
        try stage.press("gv")
        #expect(stage.screen.contains("Review: ") && stage.state.document?.list.cursorID == "h1")
        #expect(stage.lines.last?.hasPrefix(" a accept  x reject  r answer  n skip  Esc end") == true)
        try stage.press("a")
        #expect(stage.state.document?.list.cursorID == "n1")
        try stage.press("n")
        #expect(stage.state.document?.list.cursorID == "n2")
        try stage.press("x")
        #expect(stage.state.document?.list.cursorID == "n3")
        // An answer goes on as a decision does.
        try stage.press("ranswer<enter>")
        #expect(stage.state.document?.list.cursorID == "n4" && stage.state.document?.isReviewing == true)
        #expect(stage.foot.hasPrefix(" Added reply"))
        try stage.press("n")
        #expect(stage.foot == " This was the last open remark" && stage.state.document?.reader == nil)
        let states = services.records.compactMap(\.content.state)
        #expect(states == [.accepted, .rejected])
        #expect(services.records.contains { Annotation($0).text == "answer" })
    }

    @Test func anAnswerThatWaitsForANameGoesOnAfterwards() throws {
        let services = Sample.services()
        services.opened.author = nil
        let stage = Stage(services)
        try stage.press("gvranswer<enter>")
        #expect(stage.state.document?.list.cursorID == "h1" && stage.state.prompt != nil)
        try stage.press("Mia<enter>")
        #expect(stage.state.document?.list.cursorID == "n1" && stage.state.document?.isReviewing == true)
    }

    @Test func aReplyOutsideAReviewStays() throws {
        let stage = Stage(Sample.services())
        try stage.press("<enter>ranswer<enter>")
        #expect(stage.state.document?.list.cursorID == "h1" && stage.state.document?.reader != nil)
    }

    @Test func withoutRemarksThereIsNothingToReview() throws {
        let services = Sample.services()
        services.records = [services.records[1]]
        let stage = Stage(services)
        try stage.press("gv")
        #expect(stage.foot == " No open remarks" && stage.state.document?.reader == nil)
    }

    @Test func aReaderMaySkipButNotDecide() throws {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = Stage(services)
        try stage.press("gva")
        #expect(stage.foot == " Read-only: this token lacks \"write\"")
        #expect(stage.state.document?.list.cursorID == "h1")
        try stage.press("n<esc>")
        #expect(stage.state.document?.list.cursorID == "n1" && stage.state.document?.isReviewing == false)
    }
}
