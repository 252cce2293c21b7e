import Annotations
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// The page as a picture fills the place of the page.
@Suite struct PictureTests {
    private func stage(rows: Int = 24, columns: Int = 80) throws -> Stage {
        let stage = Stage(Sample.services(), rows: rows, columns: columns)
        try stage.press("<tab>j")
        return stage
    }

    /// The last request for a picture.
    private func painted(_ stage: Stage) throws -> (page: Int, area: Area, view: PictureView) {
        let paintings = stage.asked.compactMap { effect -> (Int, Area, PictureView)? in
            if case .paintPage(let page, let area, let view) = effect { (page, area, view) } else { nil }
        }
        return try #require(paintings.last)
    }

    /// A picture of one colour, as cells.
    private func cells(_ rows: Int, _ columns: Int) throws -> PictureCells {
        let bytes = [UInt8](repeating: 0x33, count: 3 * rows * columns * 2)
        let pixels = try #require(Pixels(width: columns, height: rows * 2, bytes: bytes))
        return PictureCells(pixels, room: Size(rows: rows, columns: columns), look: .quarters)
    }

    @Test func thePageMakesRoomAndThePictureIsShownWhenItIsPainted() throws {
        let stage = try stage()
        let before = stage.canvas
        try stage.press("i")
        #expect(stage.asked.last == .paintPage(0, Area(row: 1, column: 0, rows: 14, columns: 80), PictureView()))
        #expect(stage.statusLine.contains("Page 1 as a picture"))
        #expect(stage.lines.last?.hasPrefix(" Esc text  J next page  K previous  + larger  - smaller") == true)
        #expect(stage.lines[1...14].allSatisfy { $0.isEmpty })
        #expect(stage.lines[15] == before.line(15))
        stage.send(.pictureReady(PictureView()))
        #expect(stage.asked.last == .showPicture)
        try stage.press("<esc>")
        #expect(stage.asked.last == .hidePicture)
        #expect(stage.canvas == before)
    }

    @Test func cellsAreDrawnInTheMiddleOfThePage() throws {
        let stage = try stage()
        let before = stage.canvas
        try stage.press("i")
        stage.send(.pictureCells(try cells(14, 20), PictureView()))
        #expect(stage.canvas[1, 29].style == .normal)
        #expect(stage.canvas[1, 30].style.background == .rgb(0x33, 0x33, 0x33))
        #expect(stage.canvas[14, 49].style.background == .rgb(0x33, 0x33, 0x33))
        #expect(stage.canvas[14, 50].style == .normal)
        // Pixels that come later take their place.
        stage.send(.pictureReady(PictureView()))
        #expect(stage.canvas[1, 30].style == .normal)
        try stage.press("x")
        #expect(stage.canvas == before)
    }

    @Test(arguments: ["i", "q", "<esc>", "a", "g", "<click:3,3>", "<C-c>"])
    func anyOtherKeyBringsTheTextBackAndDoesNothingElse(key: String) throws {
        let stage = try stage()
        let before = stage.canvas
        try stage.press("i" + key)
        #expect(stage.canvas == before)
        #expect(!stage.state.hasQuit)
    }

    @Test func aPictureIsEnlargedAndMoved() throws {
        let stage = try stage()
        try stage.press("ij")
        // The whole page is visible: nothing moves.
        #expect(try painted(stage).view == PictureView())
        try stage.press("+")
        #expect(try painted(stage).view.zoom == 1.5 && stage.statusLine.contains("Page 1 as a picture, 150 %"))
        try stage.press("2+l")
        var view = try painted(stage).view
        #expect(view.zoom == 3 && view.x > 0.5 && view.y == 0.5)
        try stage.press("99k")
        view = try painted(stage).view
        #expect(view.y == 0)
        // What the page allows is what counts.
        view.y = 0.25
        stage.send(.pictureCells(try cells(14, 20), view))
        try stage.press("j")
        #expect(try painted(stage).view.y > 0.3)
        try stage.press("9-")
        #expect(try painted(stage).view.zoom == 1)
        let asked = stage.asked.count
        try stage.press("-")
        #expect(stage.asked.count == asked && stage.state.picture != nil)
        try stage.press("9+")
        #expect(try painted(stage).view.zoom == 8)
    }

    @Test func pagesAreTurnedInThePicture() throws {
        let stage = try stage()
        let area = stage.state.layout.page
        try stage.press("i")
        stage.send(.pictureReady(PictureView()))
        try stage.press("J")
        #expect(try painted(stage).page == 1)
        #expect(!stage.asked.contains(.hidePicture))
        #expect(stage.statusLine.contains("Page 2 as a picture"))
        try stage.press("K")
        #expect(try painted(stage).page == 0)
        #expect(try painted(stage).area == area)
        try stage.press("2J")
        #expect(stage.state.picture?.page == 2)
        try stage.press("KK")
        // Nothing lies before the first page: the picture stays.
        let asked = stage.asked.count
        try stage.press("K")
        #expect(stage.state.picture?.page == 0 && stage.asked.count == asked)
        try stage.press("<esc>")
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
        #expect(stage.state.document?.focus == .list)
        try stage.press("i")
        #expect(try painted(stage).area == stage.state.layout.page && !stage.state.layout.page.isEmpty)
        try stage.press("<esc>")
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
        try stage.press("k")
        stage.send(.pictureFailed("late"))
        stage.send(.pictureReady(PictureView()))
        #expect(stage.asked.last != .showPicture)
        #expect(!stage.foot.contains("late"))
    }

    @Test func whatComesMeanwhileDoesNotTouchIt() throws {
        let stage = try stage()
        try stage.press("i")
        stage.send(.pictureReady(PictureView()))
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

    // MARK: A page without text

    private func scanned() -> Stage {
        let services = Sample.services()
        services.pages[0] = Sample.page([])
        return Stage(services)
    }

    @Test func aPageWithoutTextIsAPictureByItself() throws {
        let stage = scanned()
        let (page, area, view) = try painted(stage)
        #expect(page == 0 && area == stage.state.layout.page && view == PictureView())
        // It takes no key from the list.
        stage.send(.pictureCells(try cells(14, 20), view))
        let cursor = stage.state.document?.list.cursorID
        try stage.press("j")
        #expect(stage.state.document?.list.cursorID != cursor && stage.state.picture != nil)
        // On the page it has keys of its own; others are as usual.
        try stage.press("<tab>+")
        #expect(stage.state.picture?.view.zoom == 1.5)
        try stage.press("l")
        #expect(try painted(stage).view.x > 0.5)
        try stage.press("J")
        #expect(stage.state.picture == nil && stage.state.document?.page.index == 1)
        try stage.press("K")
        #expect(stage.state.picture?.page == 0)
    }

    @Test func aPageWithoutTextIsToldAboutOnRequest() throws {
        let stage = scanned()
        try stage.press("<tab><esc>")
        #expect(stage.state.picture == nil && stage.screen.contains("no text"))
        try stage.press("jjk")
        #expect(stage.state.picture == nil)
        try stage.press("i")
        #expect(stage.state.picture?.isAutomatic == true)
    }

    @Test func aPictureThatFailsIsNotTriedAgain() throws {
        let stage = scanned()
        stage.send(.pictureFailed("no picture"))
        let asked = stage.asked.count { if case .paintPage = $0 { true } else { false } }
        try stage.press("jkjk")
        #expect(stage.asked.count { if case .paintPage = $0 { true } else { false } } == asked)
        #expect(stage.screen.contains("no text") && !stage.screen.contains("o picture"))
    }

    @Test func itComesBackAfterAnOverlay() throws {
        let stage = scanned()
        try stage.press("?")
        #expect(stage.state.picture == nil)
        try stage.press("<esc>")
        #expect(stage.state.picture != nil)
        try stage.press(":")
        #expect(stage.state.picture != nil)
    }
}
