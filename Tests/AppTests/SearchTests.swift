import Annotations
import InstantCore
import PDFPages
import PageLayout
import Screen
import Testing

@testable import App

/// A search after `/` finds matches on the page, then on all other pages, which are read meanwhile.
@Suite struct SearchTests {
    @Test func hitsOneAfterTheOtherAndAround() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>/Of<enter>")
        #expect(stage.foot == " Match 1 of 5")
        #expect(stage.underCursor == "of")
        let first = stage.canvas.cursor
        try stage.press("n")
        #expect(stage.foot == " Match 2 of 5")
        try stage.press("4n")
        #expect(stage.foot == " Match 1 of 5")
        #expect(stage.canvas.cursor == first)
        try stage.press("N")
        #expect(stage.foot == " Match 5 of 5")
        #expect(stage.lines[0].contains("/Of"))
        try stage.press("<esc>n")
        #expect(stage.foot == " No search yet; press / to search")
    }

    @Test func whatIsNotOnThisPageIsFoundOnAnother() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>/two<enter>")
        #expect(stage.lines[0].contains("page 2 of 3"))
        #expect(stage.underCursor == "two")
        #expect(stage.foot == " Match 1 of 1")
        try stage.press("<C-o>")
        #expect(stage.lines[0].contains("page 1 of 3"))
        try stage.press("/zebra<enter>")
        #expect(stage.foot == " Not found in this document: zebra")
    }

    @Test func hitsGoOnOverThePagesAndRoundTheDocument() throws {
        let services = Sample.services()
        services.pages = [["one fox"], ["none here"], ["a fox and a fox"], ["no"]].map { Sample.page($0) }
        let stage = Stage(services)
        try stage.press("<tab>/fox<enter>n")
        #expect(stage.lines[0].contains("page 3 of 4"))
        #expect(stage.foot == " Match 2 of 3")
        try stage.press("n")
        #expect(stage.foot == " Match 3 of 3")
        try stage.press("n")
        #expect(stage.lines[0].contains("page 1 of 4"))
        #expect(stage.foot == " Match 1 of 3")
        try stage.press("N")
        #expect(stage.foot == " Match 3 of 3")
        #expect(stage.state.document?.page.cursor.glyph == 12)
        try stage.press("2N")
        #expect(stage.foot == " Match 1 of 3")
        try stage.press("301n")
        #expect(stage.foot == " Match 2 of 3")
    }

    @Test func whilePagesAreReadOneWaitsAndSeesHowFarItIs() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter>")
        #expect(stage.foot == " Searching the other pages: 0%")
        #expect(stage.lines[0].contains("/two 0%"))
        stage.send(.indexed([0: "this"]))
        #expect(stage.foot == " Searching the other pages: 33%")
        stage.send(.indexed([1: "it has two lines."]))
        #expect(stage.lines[0].contains("page 2 of 3"))
        #expect(stage.underCursor == "two")
        stage.send(.indexed([2: ""]))
        #expect(!stage.lines[0].contains("%"))
    }

    /// The pages between are taken for pages without the words until they are read.
    @Test func aPageThatSeemsToHaveTheWordsIsShownBeforeTheOthersAreRead() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter>")
        stage.send(.likelyPages([2], seeking: "three"))
        stage.send(.likelyPages([1], seeking: "two"))
        #expect(stage.foot == " Searching the other pages: 0%")
        stage.send(.indexed([1: "it has two lines."]))
        #expect(stage.lines[0].contains("page 2 of 3"))
        #expect(stage.foot == " Match 1 of 1 on this page, 33% of the document searched")
        try stage.press("n")
        #expect(stage.lines[0].contains("page 2 of 3"))
        stage.send(.indexed([0: "this"]))
        stage.send(.indexed([2: "two"]))
        #expect(stage.foot == " Match 1 of 2")
        try stage.press("n")
        #expect(stage.lines[0].contains("page 3 of 3"))
    }

    @Test func aSearchForOtherWordsStartsOverWhilePagesAreRead() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter>/rethink<enter>/rethink<enter>")
        #expect(
            stage.asked.filter { if case .indexDocument = $0 { true } else { false } }
                == [.indexDocument(seeking: "two"), .indexDocument(seeking: "rethink")])
    }

    @Test func whatCannotBeReadIsSaid() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter>")
        stage.send(.indexFailed("the file is damaged"))
        #expect(stage.foot == " Not all pages were searched: the file is damaged")
    }

    @Test func escGivesTheWaitingUp() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter><esc>")
        stage.send(.indexed([1: "two"]))
        stage.send(.indexed([2: ""]))
        #expect(stage.lines[0].contains("page 1 of 3"))
    }

    @Test func escStopsTheReadingOfTheOtherPagesAndThenTheSearch() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter>")
        stage.send(.indexed([0: "this"]))
        try stage.press("<esc>")
        #expect(stage.asked.last == .stopIndexing)
        #expect(stage.foot == " Stopped at 33% of the document; n to continue")
        #expect(stage.lines[0].contains("/two 33%"))
        try stage.press("<esc>")
        #expect(!stage.lines[0].contains("/two"))
        #expect(stage.asked.count { $0 == .stopIndexing } == 1)
    }

    @Test func aStoppedSearchGoesOnWithTheNextHit() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/two<enter><esc>")
        services.holdsPages = false
        try stage.press("n")
        #expect(stage.asked.count { $0 == .indexDocument(seeking: "two") } == 2)
        #expect(stage.lines[0].contains("page 2 of 3"))
        try stage.press("<esc>")
        #expect(!stage.asked.contains { $0 == .stopIndexing } || stage.asked.last != .stopIndexing)
    }

    @Test func whoLeavesASearchThatIsStillReadStopsTheReadingToo() throws {
        let services = Sample.services()
        let stage = Stage(services)
        services.holdsPages = true
        try stage.press("<tab>/rethink<enter><esc>")
        #expect(stage.asked.last == .stopIndexing)
        #expect(!stage.lines[0].contains("/rethink"))
    }

    @Test func turningThePageKeepsTheSearch() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>/a<enter>J")
        #expect(stage.state.document?.page.search?.hits.count == 3)
    }

    @Test(arguments: [
        ("aa", "aaaa", 2), ("a", "", 0), ("", "a", 0), ("ab", "abab ab", 3), ("\u{FC}", "gr\u{FC}\u{DF}e", 1),
    ])
    func counting(wanted: String, text: String, count: Int) {
        #expect(PageGlyphs.count(of: wanted, in: text) == count)
    }

    /// The index counts what the page highlights.
    @Test(arguments: ["the", "of", "a", "challenges arising", "systems software", "zebra"])
    func theIndexAgreesWithThePage(text: String) {
        let page = PageGlyphs(Sample.page(Sample.lines))
        let count = PageGlyphs.count(of: PageGlyphs.searchText(of: text), in: page.searchText)
        #expect(count == page.occurrences(of: text).count)
    }

    @Test func aSearchExtendsTheSelection() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>v/rethink<enter>")
        #expect(stage.statusLine.contains(#"SELECT 5 words "This calls for a rethink""#))
    }

    @Test func hitsAreMarkedWithoutColourToo() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>/adapt<enter>gg")
        let style = stage.canvas[4, 18].style
        #expect(style.attributes.contains(.underline))
    }
}
