import Annotations
import Authorization
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// PDFs of one's own in the library, and without a screen.
@Suite struct FilePlacesTests {
    @Test func theFolderIsOfferedFirst() throws {
        let services = FakeServices()
        services.entries = LibraryTests.entries
        services.files = FileTests.files
        let stage = Stage(services, begin: .library)
        #expect(stage.lines[0].hasPrefix("─ PDFs in this folder"))
        #expect(stage.lines[1].hasPrefix("▌ draft.pdf") && stage.lines[1].contains("2 not in the file"))
        #expect(stage.lines[3].contains("file missing  4 changes kept"))
        #expect(stage.lines[5].hasPrefix("─ Layers on this machine"))
        try stage.press("x")
        #expect(stage.foot == " draft.pdf is a file, and stays: only layers are removed here")
        try stage.press("jjj")
        #expect(stage.state.library.current?.id == .hotos)
        try stage.press("<tab>")
        #expect(stage.state.library.currentFile?.path == "draft.pdf")
        try stage.press("<tab>")
        #expect(stage.state.library.current?.id == .hotos)
        // A new list keeps the cursor on its row.
        stage.send(.libraryFiles([FileTests.files[1]]))
        #expect(stage.state.library.current?.id == .hotos)
        try stage.press("gg<enter>")
        #expect(stage.asked.contains(.openFile("paper.pdf")))
    }

    @Test func aFileThatIsOpenIsShownNotOpenedAgain() throws {
        let services = FakeServices()
        services.files = [FileTests.files[1]]
        services.fileStatus = FileStatus(path: "paper.pdf", condition: .ready)
        let stage = Stage(services, begin: .library)
        try stage.press("<enter>[<enter>")
        #expect(stage.asked.count { $0 == .openFile("paper.pdf") } == 1)
        #expect(stage.state.document?.file?.path == "paper.pdf")
    }

    @Test func withoutLayersTheFolderAndTheWaysInAreShown() {
        let services = FakeServices()
        services.files = FileTests.files
        let stage = Stage(services, begin: .library)
        #expect(stage.lines[1].hasPrefix("▌ draft.pdf"))
        #expect(stage.screen.contains("Try it: a server with sample documents"))
    }

    // MARK: Without a screen

    @Test func linesWriteAndRevertToo() {
        let stage = PlainStage(FileTests.services(), begin: .file("paper.pdf"))
        #expect(stage.said.contains { $0.contains("3 changes not in the file: type w to write") })
        stage.type("w")
        #expect(!stage.isReady && stage.asked.last == .writeFile(FileWrite()))
        stage.send(FileTests.written())
        #expect(stage.said.contains("Wrote 3 changes to paper.pdf") && stage.isReady)
        stage.type("w! --compact my copy.pdf")
        #expect(
            stage.asked.last == .writeFile(FileWrite(copy: "my copy.pdf", isForced: true, isCompact: true)))
        stage.send(.fileRefused(FileTests.refusal))
        #expect(stage.said.contains { $0.hasPrefix("Not written: paper.pdf belongs to root; :w") } && stage.isReady)
        stage.type("revert")
        #expect(stage.prompt == "Discard 3 changes not in paper.pdf? y/N ")
        stage.type("y")
        #expect(stage.asked.last == .revertFile)
        stage.send(.fileReverted(changes: 3))
        #expect(stage.isReady)
        stage.type("wq")
        #expect(!stage.isDone)
        stage.send(FileTests.written())
        #expect(stage.isDone)
    }

    @Test func linesWaitUntilTheFileCanBeEdited() {
        let services = FileTests.services(FileStatus(path: "paper.pdf", condition: .opening))
        services.opened.status = SyncStatus()
        let stage = PlainStage(services, begin: .file("paper.pdf"))
        #expect(!stage.isReady)
        stage.send(.status(.live()))
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready)))
        #expect(stage.isReady && !stage.said.contains { $0.contains("read-only") })
    }

    @Test func linesListTheFolder() {
        let services = FakeServices()
        services.entries = LibraryTests.entries
        services.files = FileTests.files
        let stage = PlainStage(services, begin: .library)
        let said = stage.type("list")
        #expect(said.first == "1 draft.pdf, a PDF in this folder, 2 changes not in the file")
        #expect(said.contains { $0.hasPrefix("4 hotos17, layer review") })
        stage.type("open 2")
        #expect(stage.asked.contains(.openFile("paper.pdf")))
    }
}
