import Annotations
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// The library of layers, opening a layer and returning.
@Suite struct LibraryTests {
    static let entries = [
        LibraryEntry(
            id: .hotos, title: "hotos17", state: "clean", isDownloaded: true, bytes: 309_000,
            lastSync: .noon + -300_000, unread: 2, unsent: 1),
        LibraryEntry(
            id: LayerReference(server: "http://docs.example", documentID: "plan"), state: "dirty", isDownloaded: false),
        LibraryEntry(
            id: LayerReference(server: "http://docs.example", documentID: "torn"), state: "unknown",
            isDownloaded: true, problem: "the local copy is damaged"),
    ]

    private func library(columns: Int = 110) -> Stage {
        let services = Sample.services()
        services.entries = Self.entries
        return Stage(services, begin: .library, rows: 10, columns: columns)
    }

    @Test func whatIsOnThisMachine() {
        #expect(
            library().screen == """
                ─ Layers on this machine ─────────────────────────────────────────────────────────────────────────────────────
                ▌ hotos17 / review                          1 unsent  2 new  synced 5m  309 kB  mia  http://localhost:5000
                  plan / default layer                      no PDF  anonymous  http://docs.example
                  torn / default layer                      the local copy is damaged  anonymous  http://docs.example





                 Enter open  + add  o open PDF  d demo  x remove  ? help
                """)
    }

    @Test func empty() throws {
        let stage = Stage(FakeServices(), begin: .library, rows: 8, columns: 60)
        #expect(stage.lines[1].hasPrefix("  No layers yet. A layer is one set of annotations"))
        #expect(stage.screen.contains("d   Try it: a server with sample documents"))
        try stage.press("<enter>jkxGq")
        #expect(stage.state.hasQuit)
    }

    /// A first run explains itself, at every size.
    @Test(arguments: [(30, 120), (24, 80), (20, 40)])
    func theFirstRunExplainsItself(rows: Int, columns: Int) throws {
        let stage = Stage(FakeServices(), begin: .library, rows: rows, columns: columns)
        for way in ["Try it", "Add a layer", "Open a PDF", "All keys"] { #expect(stage.screen.contains(way)) }
        try expectSnapshot(stage.screen, "first-run-\(columns)x\(rows)")
    }

    /// Layers of one long title stay apart, and so do the copies of two users.
    @Test func layersOfOneDocumentAreToldApart() throws {
        let services = FakeServices()
        services.entries = ["slow", "fast"].flatMap { layer in
            ["S", "S2"].map { user in
                LibraryEntry(
                    id: LayerReference(server: "http://a", documentID: "d", layer: layer, userID: user),
                    title: "Reading Machines: What a Margin Is For, Second Edition", state: "clean", isDownloaded: true)
            }
        }
        let stage = Stage(services, begin: .library, rows: 10, columns: 110)
        #expect(stage.lines.prefix(5).filter { $0.contains("/ slow") }.count == 2)
        #expect(stage.lines.filter { $0.contains("/ fast") }.count == 2)
        try stage.press("jx")
        #expect(stage.foot.contains("/ slow of S2 "))
    }

    /// Programs write such titles into PDFs; they name nothing.
    @Test(arguments: [
        ("untitled", "plan.pdf"), ("", "plan.pdf"), ("Microsoft Word - plan.doc", "plan.pdf"), ("A Plan", "A Plan"),
    ])
    func aTitleThatSaysNothingIsNotAName(title: String, name: String) {
        #expect(DocumentTitle.name(title, of: "plan.pdf") == name)
    }

    @Test func aFileIsKnownByItsNameAndItsTitleIsSaidToo() throws {
        let services = Sample.services()
        let stage = Stage(services, begin: .file("/home/mia/plan.pdf"), rows: 24, columns: 120)
        #expect(stage.lines[0].hasPrefix(" plan.pdf "))
        stage.send(.titled("A Plan"))
        #expect(stage.lines[0].hasPrefix(" plan.pdf · A Plan "))
        stage.send(.titled("untitled"))
        #expect(stage.lines[0].hasPrefix(" plan.pdf ") && !stage.lines[0].contains("untitled"))
    }

    @Test func whatNoLayerNeedsCanBeRemoved() throws {
        let stage = library()
        try stage.press(":prune<enter>")
        #expect(stage.asked.contains(.pruneStorage))
        stage.send(.notice("Nothing removed: every PDF is needed"))
        #expect(stage.foot == " Nothing removed: every PDF is needed")
    }

    @Test func openingAndLeaving() throws {
        let stage = library()
        try stage.press("<enter>")
        #expect(stage.asked.contains(.openLayer(.hotos)))
        #expect(stage.lines.prefix(2).contains { $0.contains("hotos17 › review") })
        try stage.press("<esc><esc><esc>")
        #expect(stage.state.document != nil)
        try stage.press("<C-c>")
        #expect(stage.foot == " Press q to leave this layer, q again to quit")
        try stage.press("q")
        #expect(stage.asked.suffix(2) == [.closeLayer, .loadLibrary])
        #expect(stage.lines[0].hasPrefix("─ Layers on this machine"))
        try stage.press("<C-c>")
        #expect(stage.foot == " Press q to quit")
        try stage.press("q")
        #expect(stage.asked.last == .quit)
    }

    /// What does not fit into its row is shown below the list while the cursor is on it.
    @Test func aLongRowCanBeReadInFull() throws {
        let stage = library(columns: 45)
        try stage.press("G")
        #expect(stage.screen.contains("torn / default layer"))
        #expect(
            stage.screen.contains(
                "torn / default layer · the local copy is\n  damaged · anonymous · http://docs.example"))
        let wide = library(columns: 140)
        #expect(!wide.lines.dropLast().dropFirst(4).contains { !$0.isEmpty })
    }

    @Test func aDamagedOneSaysSo() throws {
        let stage = library()
        try stage.press("G<enter>")
        #expect(stage.foot == " The local copy is damaged")
        #expect(!stage.asked.contains { if case .openLayer = $0 { true } else { false } })
    }

    @Test func removingNamesWhatGoes() throws {
        let stage = library()
        try stage.press("x")
        #expect(stage.foot == "Remove hotos17 / review of mia and 1 unsent edit? s to save first, y/N")
        try stage.press("n")
        #expect(stage.foot == " Cancelled")
        try stage.press("xy")
        #expect(stage.asked.last == .removeLayer(.hotos, unsent: 1))
    }

    @Test func whatWaitsCanBeSavedBeforeItGoes() throws {
        let stage = library()
        try stage.press("xs")
        #expect(stage.asked.last == .saveUnsent(.hotos))
        stage.send(.notice("1 unsent edit saved in /home/mia/unsent-1.json"))
        #expect(stage.foot == " 1 unsent edit saved in /home/mia/unsent-1.json")
        #expect(!stage.asked.contains { if case .removeLayer = $0 { true } else { false } })
        // Without queued edits there is nothing to save.
        try stage.press("jx")
        #expect(stage.foot == "Remove plan / default layer from this machine? y/N")
        try stage.press("s")
        #expect(stage.foot == " Cancelled")
    }

    @Test func theQuestionFitsAScreenOf80ColumnsWhateverTheTitle() throws {
        let services = FakeServices()
        services.entries = [Self.entries[0]]
        services.entries[0].title = "\u{1B}[2J" + String(repeating: "A long title ", count: 20)
        services.entries[0].unsent = 1000
        let stage = Stage(services, begin: .library)
        try stage.press("x")
        #expect(stage.foot.hasSuffix(" and 1000 unsent edits? s to save first, y/N"))
    }

    @Test func whatCannotBeReadIsNotRemovedBlindly() throws {
        let stage = library()
        try stage.press("Gx")
        #expect(stage.foot == " The local copy is damaged; run postilla storage check")
        #expect(stage.state.prompt == nil)
    }

    @Test func storageIsTheSameList() throws {
        let stage = Stage(Sample.services())
        try stage.press(":storage<enter>")
        #expect(stage.lines[1].hasPrefix("─ Layers on this machine") || stage.lines[0].hasPrefix("─ Layers on this"))
    }

    @Test func addingByServerAndToken() throws {
        let stage = library(columns: 80)
        try stage.press("+http://localhost:5000<enter>")
        #expect(stage.screen.contains("The token for http://localhost:5000 selects the layer to open."))
        stage.send(.key(.paste(TokenTests.readOnly)))
        try stage.press("<enter>")
        #expect(stage.asked.contains(.join(server: "http://localhost:5000", token: TokenText(TokenTests.readOnly))))
        #expect(stage.state.document != nil)
    }

    /// Nobody is asked for a token for something that is no address.
    @Test(arguments: ["not a url", "ftp://x", "http://", "localhost:port", "https:///a", "http://a:99999"])
    func whatIsNoAddressIsToldAtOnce(_ text: String) throws {
        let stage = library(columns: 100)
        try stage.press("+\(text)<enter>")
        #expect(stage.foot.contains("is not a"))
        #expect(!stage.screen.contains("The token for"))
    }

    /// As in a browser; the card says what was added.
    @Test(arguments: [("localhost:5000", "http://localhost:5000"), ("example.com/a/", "https://example.com/a")])
    func anAddressWithoutASchemeIsCompleted(_ text: String, _ server: String) throws {
        let stage = library(columns: 100)
        try stage.press("+\(text)<enter>")
        #expect(stage.screen.contains("The token for \(server)"))
    }

    @Test func theDemoIsAKeyAway() throws {
        let stage = Stage(Sample.services(), begin: .library)
        try stage.press("d")
        #expect(stage.asked.last == .startDemo)
        #expect(stage.foot == " Starting a server with sample documents ...")
        try stage.press("d")
        #expect(stage.asked.count { $0 == .startDemo } == 1)
        stage.send(.demoReady(server: "http://localhost:5000", TokenText(TokenTests.readOnly)))
        #expect(stage.lines.prefix(2).contains { $0.contains("hotos17 › review") })
        #expect(!stage.screen.contains("Starting a server"), "it has started")
        let failing = Stage(FakeServices(), begin: .library)
        try failing.press("d")
        failing.send(.openFailed("sample PDFs not found"))
        #expect(failing.foot == " Sample PDFs not found")
        try failing.press("d")
        #expect(failing.asked.last == .startDemo)
    }

    @Test func aPDFIsOpenedByItsName() throws {
        let stage = Stage(FakeServices(), begin: .library)
        try stage.press("o/tmp/paper.pdf<enter>")
        #expect(stage.asked.contains(.openFile("/tmp/paper.pdf")))
        try Stage(FakeServices(), begin: .library).press("o<enter>o<esc>q")
    }

    @Test func theEmptyLibraryNamesThePersonsOwnKeys() throws {
        let own = KeyRebinding(.library, .startDemo, [[.function(2)]])
        let stage = Stage(FakeServices(), begin: .library, keymap: Keymap.standard.changed(by: [own]).keymap)
        #expect(stage.screen.contains("  F2  Try it: a server with sample documents"))
    }

    @Test func theCursorStaysOnItsLayer() throws {
        let stage = library()
        try stage.press("j")
        stage.send(.library(Array(Self.entries.reversed())))
        #expect(stage.state.library.current?.id.documentID == "plan")
        stage.send(.library([]))
        #expect(stage.state.library.current == nil)
    }

    @Test func whatCannotBeOpenedIsSaid() throws {
        let services = FakeServices()
        let stage = Stage(services, begin: .library)
        stage.send(.openFailed("http://localhost:1 cannot be reached"))
        #expect(stage.foot == " http://localhost:1 cannot be reached")
        var state = AppState(begin: .layer(.hotos), size: Size(rows: 8, columns: 60), seed: (1, 2))
        #expect(view(state).text.contains("Opening ..."))
        _ = update(&state, .openFailed("the folder cannot be written"))
        #expect(view(state).text.contains("The folder cannot be written"))
        #expect(update(&state, .key(.character("q"))) == [.quit])
    }

    @Test func leavingSaysWhatIsKept() throws {
        let services = Sample.services()
        services.opened.status.unsent = 3
        let stage = Stage(services)
        #expect(stage.state.farewell == "3 unsent, kept for the next sync")
        try stage.press("q")
        #expect(stage.asked.last == .quit)
        #expect(stage.state.farewell == "3 unsent, kept for the next sync")
    }
}
