import Annotations
import Authorization
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// A PDF of one's own is shown before it can be edited: what is pressed meanwhile is kept.
@Suite struct FileOpeningTests {
    private func opening() -> Stage {
        let services = FileTests.services(FileStatus(path: "paper.pdf", condition: .opening))
        services.opened.status = SyncStatus()
        return Stage(services, begin: .file("paper.pdf"))
    }

    private func becomesReady(_ stage: Stage) {
        stage.send(.status(.live()))
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .ready)))
        stage.send(.recordsChanged([], author: nil))
    }

    @Test func cursorAndTypedKeysStayWhenItCanBeEdited() throws {
        let stage = opening()
        try stage.press("jj")
        let before = stage.canvas.cursor
        try stage.press("5")
        becomesReady(stage)
        #expect(stage.state.keys.count == 5)
        try stage.press("<esc>:page")
        becomesReady(stage)
        #expect(stage.state.document?.list.cursorID == "u1")
        #expect(stage.state.prompt?.input.text == "page")
        try stage.press("<esc>")
        #expect(stage.canvas.cursor == before && before != nil)
    }

    @Test func anEditWaitsWithWhatIsTypedAfterIt() throws {
        let stage = opening()
        try stage.press("aHello, je")
        #expect(stage.foot == " Opening paper.pdf for editing ... Esc to cancel")
        #expect(stage.state.document?.editor == nil && stage.state.document?.list.cursorID == "h1")
        becomesReady(stage)
        #expect(stage.state.document?.editor?.input.text == "Hello, je")
        #expect(!stage.foot.contains("Opening"))
        try stage.press("<enter>")
        #expect(stage.asked.contains { if case .perform = $0 { true } else { false } })
    }

    @Test func escDropsWhatWaits() throws {
        let stage = opening()
        try stage.press("aHello<esc>")
        #expect(stage.foot == " Cancelled")
        becomesReady(stage)
        #expect(stage.state.document?.editor == nil && stage.state.document?.heldKeys == nil)
    }

    @Test func keysForAQuestionThatComesLaterAreNotCommands() throws {
        let stage = opening()
        try stage.press("dG")
        becomesReady(stage)
        #expect(stage.state.document?.list.cursorID == "h1")
        #expect(
            stage.foot.hasPrefix("Delete") || stage.asked.contains { if case .perform = $0 { true } else { false } })
    }

    @Test func ifItCannotBeEditedThatIsSaid() throws {
        let stage = opening()
        try stage.press("aHello")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .readOnly("the engine cannot start"))))
        #expect(stage.foot == " paper.pdf can only be read: the engine cannot start")
        #expect(stage.state.document?.editor == nil && stage.state.document?.heldKeys == nil)
        try stage.press("a")
        #expect(stage.foot == " Read-only: the engine cannot start")
    }

    @Test func whileItOpensEverythingElseWorks() throws {
        let stage = opening()
        #expect(stage.statusLine.contains("opening for editing"))
        // Keys that will work in a moment are not dim.
        let dim = stage.canvas.styleDump.split(separator: "\n").filter { $0.hasPrefix("23:") && $0.contains(" dim ") }
        #expect(dim.isEmpty)
        try stage.press("j<tab>w")
        #expect(stage.state.document?.focus == .page)
        try stage.press(":w<enter>")
        #expect(stage.foot == " Still opening for editing" && FileTests.writes(stage).isEmpty)
        try stage.press("q")
        #expect(stage.state.hasQuit)
    }

    @Test func anotherTabDropsWhatWaits() throws {
        let stage = opening()
        try stage.press("aHello")
        stage.send(.opened(OpenedLayer(reference: .hotos, status: .live(), hasPDF: false)))
        #expect(stage.state.document?.reference == .hotos)
        try stage.press("j")
        #expect(stage.state.document?.heldKeys == nil)
    }
}
