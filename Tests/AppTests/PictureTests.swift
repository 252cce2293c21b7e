import Annotations
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// The page as a picture fills the place of the page until the next key.
@Suite struct PictureTests {
    private func stage(rows: Int = 24, columns: Int = 80) throws -> Stage {
        let stage = Stage(Sample.services(), rows: rows, columns: columns)
        try stage.press("<tab>j")
        return stage
    }

    @Test func thePageMakesRoomAndThePictureIsShownWhenItIsPainted() throws {
        let stage = try stage()
        let before = stage.canvas
        try stage.press("i")
        #expect(stage.asked.last == .paintPage(0, Area(row: 1, column: 0, rows: 14, columns: 80)))
        #expect(stage.foot == " Page 1 as a picture; J and K turn it, any other key returns")
        #expect(stage.lines[1...14].allSatisfy { $0.isEmpty })
        #expect(stage.lines[15] == before.line(15))
        stage.send(.pictureReady)
        #expect(stage.asked.last == .showPicture)
        try stage.press("j")
        #expect(stage.asked.last == .hidePicture)
        #expect(stage.canvas == before)
    }

    @Test(arguments: ["i", "q", "<esc>", "a", "g", "<click:3,3>", "<C-c>"])
    func anyKeyBringsTheTextBackAndDoesNothingElse(key: String) throws {
        let stage = try stage()
        let before = stage.canvas
        try stage.press("i" + key)
        #expect(stage.canvas == before)
        #expect(!stage.state.hasQuit)
    }

    @Test func pagesAreTurnedInThePicture() throws {
        let stage = try stage()
        let area = stage.state.layout.page
        try stage.press("i")
        stage.send(.pictureReady)
        try stage.press("J")
        #expect(stage.asked.contains(.paintPage(1, area)))
        #expect(!stage.asked.contains(.hidePicture))
        #expect(stage.foot == " Page 2 as a picture; J and K turn it, any other key returns")
        try stage.press("K")
        #expect(stage.asked.last { if case .paintPage = $0 { true } else { false } } == .paintPage(0, area))
        try stage.press("2J")
        #expect(stage.state.picture?.page == 2)
        try stage.press("KK")
        // Nothing lies before the first page: the picture stays.
        let asked = stage.asked.count
        try stage.press("K")
        #expect(stage.state.picture?.page == 0 && stage.asked.count == asked)
        try stage.press("j")
        #expect(stage.asked.last == .hidePicture && stage.state.document?.page.index == 0)
    }

    @Test func theTextOfTheTurnedPageIsThereAgain() throws {
        let stage = try stage()
        try stage.press("iJ<esc>")
        let turned = stage.canvas
        #expect(stage.state.document?.page.index == 1 && stage.state.picture == nil)
        #expect(turned.text.contains("page 2 of"))
    }

    @Test func whereThereIsRoomForOnePaneOnlyItIsOfThePage() throws {
        let stage = Stage(Sample.services(), rows: 20, columns: 40)
        try stage.press(":picture<enter>")
        #expect(stage.foot.hasPrefix(" picture is not available here"))
        try stage.press("<tab>:picture<enter>")
        #expect(stage.asked.contains(.paintPage(0, stage.state.layout.page)) && !stage.state.layout.page.isEmpty)
        try stage.press("j")
        #expect(stage.asked.last == .hidePicture && stage.state.document?.focus == .page)
    }

    @Test func whereTheTerminalCannotItSaysSo() throws {
        let stage = try stage()
        let page = stage.lines[1...14]
        try stage.press("i")
        stage.send(.pictureFailed("this terminal shows no pictures"))
        #expect(stage.foot == " This terminal shows no pictures")
        #expect(stage.lines[1...14] == page)
        // A late response is ignored.
        try stage.press("j")
        stage.send(.pictureFailed("late"))
        stage.send(.pictureReady)
        #expect(stage.asked.last != .showPicture)
        #expect(!stage.foot.contains("late"))
    }

    @Test func whatComesMeanwhileDoesNotTouchIt() throws {
        let stage = try stage()
        try stage.press("i")
        stage.send(.pictureReady)
        let page = stage.lines[1...14]
        stage.send(.recordsChanged(["h1"], author: "ana", byOthers: ["h1"]))
        #expect(stage.lines[1...14] == page)
        #expect(stage.lines[15].contains("new by ana"))
        #expect(stage.asked.last != .hidePicture)
        #expect(stage.canvas.cursor == nil)
    }

    @Test func itGoesWhenItsPlaceIsNeeded() throws {
        let needs: [Message] = [
            .resize(Size(rows: 30, columns: 90)), .resize(Size(rows: 5, columns: 20)),
            .status(SyncStatus(connection: .needsToken(.expired), grant: .hotos())),
        ]
        for need in needs {
            let stage = try stage()
            try stage.press("i")
            stage.send(need)
            #expect(stage.asked.contains(.hidePicture), "\(need)")
            #expect(stage.state.picture == nil)
        }
    }

    @Test func aLayerBehindDoesNotDisturbIt() throws {
        let stage = try stage()
        try stage.press(":open notes.pdf<enter><tab>i")
        #expect(stage.state.picture != nil)
        stage.send(.at(.hotos, .recordsChanged([], author: nil)))
        stage.send(.at(.hotos, .pictureFailed("of another page")))
        #expect(stage.state.picture != nil)
    }

    @Test func withoutThePDFThereIsNone() throws {
        let services = Sample.services()
        services.opened.hasPDF = false
        let stage = Stage(services)
        try stage.press("<tab>i")
        #expect(stage.foot == " The PDF is not downloaded yet")
        #expect(stage.state.picture == nil)
    }
}
