import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Several layers and files in tabs.
@Suite struct TabTests {
    private static let plan = LayerReference(server: "http://docs.example", documentID: "plan", userID: "mia")

    private static func services() -> FakeServices {
        let services = Sample.services()
        services.entries = [
            LibraryEntry(id: .hotos, title: "hotos17", state: "clean", isDownloaded: true),
            LibraryEntry(id: plan, title: "The plan", state: "clean", isDownloaded: true),
        ]
        return services
    }

    /// Two layers opened from the library, with the second shown.
    private func two(rows: Int = 24, columns: Int = 80) throws -> Stage {
        let stage = Stage(Self.services(), begin: .library, rows: rows, columns: columns)
        return try stage.press("<enter>[j<enter>")
    }

    private func bar(_ stage: Stage) -> String { stage.lines[0] }

    // MARK: Opening and choosing

    @Test func oneLayerNeedsNoBar() throws {
        let stage = Stage(Self.services())
        #expect(bar(stage).hasSuffix("page 1 of 3"))
        try stage.press("]")
        #expect(stage.foot.contains("No other tabs; :open to open"))
    }

    @Test func theLibraryIsTheFirstTabAndRoundItGoes() throws {
        let stage = try two()
        #expect(bar(stage) == "  Library   hotos17 / review 1 new  [The plan / default layer]")
        #expect(stage.lines.prefix(2).contains { $0.hasPrefix(" The plan › default layer") })
        try stage.press("]")
        #expect(bar(stage) == " [Library]  hotos17 / review 1 new   The plan / default layer 1 new")
        #expect(stage.screen.contains("Layers on this machine"))
        try stage.press("gt")
        #expect(bar(stage).contains("[hotos17 / review]"))
        try stage.press("gT[")
        #expect(bar(stage).contains("[The plan / default layer]"))
        try stage.press("2]")
        #expect(bar(stage).contains("[hotos17 / review]"))
    }

    @Test func aLayerThatIsOpenIsShownNotOpenedAgain() throws {
        let stage = try two()
        try stage.press("]gg<enter>")
        #expect(bar(stage).contains("[hotos17 / review]"))
        #expect(stage.asked.count { $0 == .openLayer(.hotos) } == 1)
        #expect(stage.state.openCount == 2)
    }

    @Test func filesOfTheDiskStandBesideLayers() throws {
        let stage = Stage(Self.services())
        try stage.press(":open ~/notes.pdf<enter>")
        #expect(bar(stage) == "  hotos17 / review 1 new  [notes.pdf]")
        #expect(stage.statusLine.hasPrefix(" READ-ONLY   the engine cannot start"))
        try stage.press("a")
        #expect(stage.foot == " Read-only: the engine cannot start")
        try stage.press("q")
        #expect(stage.lines.prefix(2).contains { $0.hasPrefix(" hotos17 › review") })
        #expect(!stage.state.hasQuit)
    }

    @Test func theLibraryOpensFilesToo() throws {
        let stage = Stage(Self.services(), begin: .library)
        try stage.press("onotes.pdf<enter>")
        #expect(stage.asked.contains(.openFile("notes.pdf")))
        #expect(stage.statusLine.contains("READ-ONLY"))
        try stage.press("q")
        #expect(stage.screen.contains("Layers on this machine"))
    }

    @Test func aServerIsOpenedByTheTokenThatNamesALayerThere() throws {
        let stage = Stage(Self.services())
        try stage.press(":open https://docs.example<enter>")
        #expect(stage.screen.contains("The token for https://docs.example selects the layer to open."))
        #expect(stage.screen.contains("Nothing is stored until the server accepts it."))
        try stage.press("<esc>:open<enter>")
        #expect(stage.foot.contains("Usage: open FILE.pdf or open SERVER"))
    }

    @Test func theLibraryCanBeCalledFromALayerThatWasOpenedByName() throws {
        let stage = Stage(Self.services())
        try stage.press(":library<enter>")
        #expect(stage.screen.contains("Layers on this machine"))
        try stage.press("]")
        #expect(stage.lines.prefix(2).contains { $0.hasPrefix(" hotos17 › review") })
    }

    @Test func whatCannotBeOpenedLeavesWhatIs() throws {
        let stage = Stage(Self.services())
        stage.send(.openFailed("notes.pdf: no such file"))
        #expect(stage.foot.contains("notes.pdf: no such file"))
        #expect(stage.lines.prefix(2).contains { $0.hasPrefix(" hotos17 › review") })
    }

    /// Opening may take a while, and the user may be typing elsewhere when it ends.
    @Test func whatOpensLateTakesNoKeysAway() throws {
        let stage = Stage(Self.services())
        try stage.press("ahalf a no")
        stage.send(.opened(OpenedLayer(reference: Self.plan, title: "The plan", status: .live(), hasPDF: false)))
        #expect(stage.foot.contains("The plan is open; ] to show it"))
        try stage.press("te<enter>")
        #expect(stage.screen.contains("half a note"))
        #expect(stage.asked.contains(.startDownload))
        #expect(stage.asked.last { if case .select = $0 { true } else { false } } == .select(.hotos))
    }

    // MARK: In the background

    @Test func whatHappensBehindIsCountedAndMovesNothing() throws {
        let stage = try two()
        let before = stage.lines.dropFirst()
        stage.services.unread = ["h1", "h2", "n1"]
        stage.send(.at(.hotos, .recordsChanged(["h2", "n1"], author: "ana")))
        #expect(bar(stage).contains("hotos17 / review 3 new"))
        #expect(stage.lines.dropFirst() == before)
        #expect(stage.state.document?.reference == Self.plan)
    }

    @Test func whatBefallsOneLayerDoesNotReachAnother() throws {
        let stage = try two()
        stage.send(.at(.hotos, .status(SyncStatus(connection: .lost("gone"), grant: .hotos(), unsent: 2))))
        #expect(bar(stage).contains("hotos17 / review 1 new, 2 unsent, NO ACCESS"))
        #expect(stage.statusLine.contains("synced"))
        try stage.press("[")
        #expect(stage.screen.contains("You no longer have access to hotos17 / review (gone)."))
    }

    @Test func aTokenThatIsNeededBehindIsAskedForThere() throws {
        let stage = try two()
        stage.send(.at(.hotos, .status(SyncStatus(connection: .needsToken(.expired), grant: .hotos()))))
        #expect(!stage.screen.contains("Token needed"))
        #expect(bar(stage).contains("TOKEN?"))
        try stage.press("[")
        #expect(stage.screen.contains("Token needed"))
        stage.send(.key(.paste(TokenTests.readOnly)))
        #expect(stage.screen.contains("characters (hidden)"))
        try stage.press("<esc>]")
        #expect(!stage.screen.contains("Token needed"))
    }

    @Test func aTabIsAsItWasLeft() throws {
        let stage = try two()
        try stage.press("[")
        try stage.press("<tab>jj")
        let before = stage.canvas
        try stage.press("][")
        #expect(stage.canvas == before)
    }

    @Test func requestsGoToTheLayerTheyAreAbout() throws {
        let stage = try two()
        stage.send(.at(.hotos, .recordsChanged([], author: nil)))
        let later = stage.asked.lastIndex(of: .select(.hotos)).map { stage.asked[$0...] } ?? []
        #expect(later.contains { if case .loadRows = $0 { true } else { false } })
        #expect(later.last == .select(Self.plan))
    }

    @Test func whatComesForALayerThatIsClosedIsDropped() throws {
        let stage = try two()
        try stage.press("q")
        let before = stage.canvas
        stage.send(.at(Self.plan, .status(SyncStatus(connection: .needsToken(.expired)))))
        #expect(stage.canvas == before)
    }

    // MARK: Closing

    @Test func closingSaysWhatIsUnsentAndShowsTheNeighbour() throws {
        let stage = try two()
        stage.send(.status(SyncStatus(connection: .live, grant: .hotos(), unsent: 3)))
        try stage.press("<C-c>")
        #expect(stage.foot.contains("Press q to close this tab, :quit to quit"))
        try stage.press("q")
        #expect(stage.foot.contains("3 unsent, kept for the next sync"))
        #expect(stage.lines.prefix(2).contains { $0.hasPrefix(" hotos17 › review") })
        #expect(stage.asked.contains(.closeLayer))
        try stage.press("q")
        #expect(stage.screen.contains("Layers on this machine"))
    }

    @Test func quittingSaysItOfEveryLayer() throws {
        let stage = try two()
        stage.send(.status(SyncStatus(connection: .live, grant: .hotos(), unsent: 3)))
        stage.send(.at(.hotos, .status(SyncStatus(connection: .live, grant: .hotos(), unsent: 1))))
        try stage.press(":quit<enter>")
        #expect(stage.state.hasQuit)
        #expect(
            stage.state.farewell
                == "hotos17: 1 unsent, kept for the next sync; The plan: 3 unsent, kept for the next sync")
    }

    @Test func aLayerThatIsRemovedLosesItsTab() throws {
        let stage = try two()
        try stage.press("]ggxy")
        #expect(stage.asked.last == .removeLayer(.hotos, unsent: 0))
        #expect(bar(stage) == " [Library]  The plan / default layer 1 new")
    }

    // MARK: Narrow screens

    @Test func whereTabsDoNotFitTheOnesAroundAreSeen() throws {
        let stage = try two(rows: 20, columns: 40)
        try stage.press("[")
        #expect(bar(stage) == "  Library  [hotos17 / review]          >")
        try stage.press(":open a.pdf<enter>")
        #expect(bar(stage) == "< [a.pdf]  The plan / de... 1 new")
    }

    @Test func layersOfOneDocumentAreToldApart() throws {
        let services = Self.services()
        services.entries[1].id.layer = "teachers"
        services.entries[1].title = "A long name of a document"
        let stage = Stage(services, begin: .library, rows: 20, columns: 40)
        try stage.press("<enter>[j<enter>")
        #expect(bar(stage).contains("[A lon... / te...]"))
    }

    @Test func aLowScreenHasTheNumberInTheStatusLine() throws {
        let stage = try two(rows: 10, columns: 100)
        #expect(!bar(stage).contains("["))
        #expect(stage.statusLine.contains("tab 2/2"))
    }

    @Test func aClickOnATabShowsIt() throws {
        let stage = try two()
        stage.send(.key(.click(row: 0, column: 14)))
        #expect(stage.lines.prefix(2).contains { $0.hasPrefix(" hotos17 › review") })
        stage.send(.key(.click(row: 0, column: 3)))
        #expect(stage.screen.contains("Layers on this machine"))
    }
}
