import PageLayout
import Screen
import Testing

@testable import App

/// The document screen at every size.
@Suite struct DocumentScreenTests {
    @Test func eightyByTwentyFour() {
        let stage = Stage(Sample.services())
        #expect(
            stage.screen == """
                 hotos17 › review                                                   page 1 of 3
                      This calls for a rethink of how we approach the instruction set. In
                 H*   this paper we highlight some of the challenges arising from an
                 H    accelerating rate of change and discuss ways in which systems
                 U    software can adapt. The number of transistors doubles.










                ─ Annotations 4 · 1 new ────────────────────────────────────────────────────────
                ▌*H 1 ana Which ones?  “some of the challenges”                               5m
                  H 1 ben “accelerating rate of change”                                       2h
                  U 1 me  “can adapt”                                                         1d
                  N 2 ana Compare with the 2019 paper, section 4                              3d


                                                                           ✓ synced   token 12m
                 Enter read  a note  e edit  d delete  r reply  / filter  Tab page  ? help
                """)
    }

    @Test(arguments: [(40, 140), (24, 110), (20, 45), (16, 60), (8, 30), (12, 80), (60, 220)])
    func otherSizes(rows: Int, columns: Int) throws {
        let stage = Stage(Sample.services(), rows: rows, columns: columns)
        try expectSnapshot(stage.screen, "document-\(columns)x\(rows)")
    }

    @Test func onePaneAtATimeWhereItIsNarrow() throws {
        let stage = Stage(Sample.services(), rows: 20, columns: 45)
        #expect(stage.lines[1].contains("Annotations"))
        try stage.press("<tab>")
        #expect(stage.lines[0].contains("page 1 of 3"))
        #expect(stage.state.document?.page.view == .reading)
    }

    @Test func tooSmallSaysHowMuchIsNeededAndKeepsEverything() throws {
        let stage = Stage(Sample.services())
        try stage.press("jj")
        let before = stage.screen
        stage.send(.resize(Size(rows: 5, columns: 20)))
        #expect(stage.lines == ["Too small: 20x5,", "minimum 30x8", "", "", ""])
        stage.send(.resize(Size(rows: 24, columns: 80)))
        #expect(stage.screen == before)
        stage.send(.resize(Size(rows: 5, columns: 20)))
        try stage.press("q")
        #expect(stage.state.hasQuit)
    }

    @Test func theCursorOfTheTerminalIsOnTheFocusedRowOrCharacter() throws {
        let stage = Stage(Sample.services())
        #expect(stage.canvas.cursor == Position(row: 16, column: 0))
        try stage.press("j")
        #expect(stage.canvas.cursor == Position(row: 17, column: 0))
        try stage.press("<tab>w")
        #expect(stage.underCursor == "rate")
    }

    @Test func aWidePageIsReadUnlessItsLayoutIsAskedFor() throws {
        let services = Sample.services()
        services.pages[0] = Sample.page([String(repeating: "wide words ", count: 14)], width: 1200)
        let stage = Stage(services)
        #expect(stage.state.document?.page.view == .reading)
        try stage.press("<tab>L")
        #expect(stage.state.document?.page.view == .layout)
        try stage.press("zl")
        #expect(stage.lines[0].contains("column 41"))
        try stage.press("zhzh")
        #expect(!stage.lines[0].contains("column"))
    }
}
