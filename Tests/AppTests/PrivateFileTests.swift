import Testing

@testable import App

/// Leaving a file of which nothing is kept on disk.
@Suite struct PrivateFileTests {
    @Test func whatIsOnlyInMemoryIsAskedAbout() throws {
        let stage = FileTests.stage(FileStatus(path: "paper.pdf", condition: .ready, unwritten: 2, isPrivate: true))
        #expect(stage.statusLine.contains("private: kept in memory only"))
        try stage.press("q")
        #expect(stage.foot == "Lose 2 changes not in paper.pdf? y/N")
        try stage.press("n")
        #expect(!stage.state.hasQuit && stage.foot == " Cancelled")
        try stage.press(":quit<enter>y")
        #expect(stage.state.hasQuit && stage.state.farewell == nil)
    }

    /// The help does not promise that something stays.
    @Test(arguments: [true, false]) func thePlainHelpSaysWhatQuittingKeeps(isPrivate: Bool) {
        let status = FileStatus(path: "paper.pdf", condition: .ready, isPrivate: isPrivate)
        let said = PlainStage(FileTests.services(status), begin: .file("paper.pdf")).type("help")
        let quit = said.first { $0.hasPrefix("quit:") }
        #expect(
            quit
                == (isPrivate
                    ? "quit: quit; asks first if changes of a private PDF would be lost"
                    : "quit: quit; unsent edits stay on this machine"))
    }

    /// Another window of the same private session has everything.
    @Test func whatAnotherWindowHasIsNotAskedAbout() throws {
        let stage = FileTests.stage(
            FileStatus(path: "paper.pdf", condition: .ready, unwritten: 2, isPrivate: true, isShared: true))
        try stage.press("q")
        #expect(stage.state.hasQuit && stage.state.farewell == nil)
    }

    /// Two tabs of one window may show the same file, under two names.
    @Test func anotherTabKeepsAPrivateFileOnlyWhileItIsOpen() throws {
        let status = FileStatus(path: "paper.pdf", condition: .ready, unwritten: 2, isPrivate: true, id: "01HV60")
        let stage = FileTests.stage(status)
        stage.services.fileStatus = status
        try stage.press(":open link.pdf<enter>")
        #expect(stage.state.openCount == 2)
        try stage.press(":quit<enter>")
        #expect(stage.foot.hasPrefix("Lose 2 changes not in paper.pdf?"))
        try stage.press("nq")
        #expect(stage.state.openCount == 1)
        try stage.press("q")
        #expect(stage.foot.hasPrefix("Lose 2 changes not in paper.pdf?"))
        #expect(!stage.state.hasQuit)
    }

    @Test func aPrivateSessionSaysWhatItLoses() throws {
        let stage = FileTests.stage(FileStatus(path: "paper.pdf", condition: .opening))
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready, isPrivate: true)))
        #expect(
            stage.foot.contains("Private: what is not written is lost when this window is left, closed or killed"))
    }
}
