import Annotations
import InstantCore
import PDFPages
import Testing

@testable import App

/// The PDF download, and pages without text.
@Suite struct DownloadTests {
    private func downloading() -> Stage {
        let services = Sample.services()
        services.opened.hasPDF = false
        return Stage(services)
    }

    @Test func theBarAndTheListBeforeThePDFIsThere() throws {
        let stage = downloading()
        #expect(stage.asked.contains(.startDownload))
        #expect(stage.lines[3].contains("Waiting for data; Esc to stop"))
        stage.send(.download(TransferStatus(done: 130_000, total: 300_000, bytesPerSecond: 10_000)))
        #expect(
            stage.lines[1...6] == [
                "      Downloading hotos17", "",
                "      [#########################.................................]",
                "      43%  130 kB of 300 kB  10 kB/s  17s left", "",
                "      Esc to stop; the next download resumes here.",
            ])
        #expect(stage.lines[16].contains("Which ones?"))
        try stage.press("anow<enter>")
        #expect(stage.state.document?.list.total == 5)
    }

    @Test func stoppingAndGoingOn() throws {
        let stage = downloading()
        stage.send(.download(TransferStatus(done: 130_000, total: 300_000)))
        try stage.press("<esc>")
        #expect(stage.asked.last == .cancelDownload)
        stage.send(.downloadFailed(nil))
        #expect(stage.lines[1].contains("not downloaded yet (130 kB of 300 kB). Press D to download it."))
        try stage.press("D")
        #expect(stage.asked.last == .startDownload)
        stage.send(stage.services.pdfReady)
        #expect(stage.lines[2].contains("some of the challenges"))
    }

    @Test func aFailureIsSaidAndCanBeTriedAgain() throws {
        let stage = downloading()
        stage.send(.downloadFailed("The PDF is damaged and cannot be read."))
        #expect(stage.lines[1].contains("The PDF is damaged and cannot be read."))
        #expect(stage.lines[16].contains("Which ones?"))
        try stage.press("D")
        #expect(stage.asked.last == .startDownload)
    }

    @Test func withTheAccessTheDownloadIsLost() {
        let stage = downloading()
        stage.send(.status(SyncStatus(connection: .lost("the layer was removed"))))
        #expect(!stage.screen.contains("Esc to stop"))
        #expect(stage.lines[1].contains("The layer was removed"))
    }

    @Test func aPageWithoutTextListsItsMarksByPosition() throws {
        let services = Sample.services()
        services.records.append(Sample.note("n9", page: 2, top: 40, text: "over here", by: "ana", minutes: 1))
        services.records.append(Sample.note("n8", page: 2, top: 700, text: "down there", by: "ana", minutes: 1))
        let stage = Stage(services)
        try stage.press("<tab>JJ")
        #expect(
            stage.lines[1...4] == [
                "      Page 3 has no text. Marks by position:", "", " N   top right: note over here",
                " N   bottom right: note down there",
            ])
        try stage.press("jgp")
        #expect(stage.state.document?.list.current?.id == "n8")
    }

    @Test func aPageThatCannotBeReadSaysWhy() throws {
        let services = Sample.services()
        services.pages.removeLast()
        services.pages.append(PageText(width: 612, height: 792, words: []))
        let stage = Stage(services)
        stage.send(.pageFailed(0, "The PDF is encrypted. Save it without a password first."))
        #expect(stage.lines[1].contains("The PDF is encrypted"))
        #expect(stage.lines[16].contains("Which ones?"))
    }

    @Test func aReplacedPDFIsReadAgain() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>j")
        stage.services.pages = [Sample.page(["Another text", "in its place"])]
        stage.send(stage.services.pdfReady)
        #expect(stage.lines[0].contains("page 1 of 1"))
        #expect(stage.lines[1].contains("Another text"))
    }

    @Test func hostileNumbersAreShownAsTheyCan() {
        let stage = downloading()
        for progress in [
            TransferStatus(done: .max, total: 1, bytesPerSecond: .infinity),
            TransferStatus(done: -5, total: -7, bytesPerSecond: .nan),
            TransferStatus(done: .min, total: .max, bytesPerSecond: 1e-300),
        ] {
            stage.send(.download(progress))
            #expect(stage.lines[1].contains("Downloading"))
        }
    }
}

/// Pages are loaded before the reader turns to them.
@Suite struct PrefetchTests {
    @Test func theNeighboursOfAPageAreReadAhead() throws {
        let services = Sample.services()
        services.records = []
        services.pages = (0..<6).map { Sample.page(["Page number \($0)."]) }
        let stage = Stage(services)
        let loaded = { stage.asked.compactMap { if case .loadPage(let page) = $0 { page } else { nil } } }
        #expect(loaded() == [0, 1])
        try stage.press("3J")
        #expect(loaded() == [0, 1, 3, 4, 2])
        try stage.press("J")
        #expect(stage.lines[1].contains("Page number 4."))
    }

    @Test func onlySoManyPagesAreKeptAndTheShownOneIsAmongThem() throws {
        let services = Sample.services()
        services.pages = (0..<60).map { Sample.page(["Page number \($0)."]) }
        let stage = Stage(services)
        for page in 1..<60 {
            try stage.press("J")
            #expect(stage.lines[1].contains("Page number \(page)."))
        }
        #expect(stage.state.document?.texts[0] == nil)
    }
}
