import Annotations
import Authorization
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// Commands that the token forbids are dimmed, explain why when used, and make no request.
@Suite struct RightsTests {
    private func reader() -> Stage {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument, .download]))
        return Stage(services)
    }

    @Test(arguments: ["a", "e", "E", "d", "<tab>a", "<tab>veeH", "<tab>veeU", "<tab>veeX", "<tab>veeZ", "<tab>veea"])
    func withoutWriteEveryEditSaysWhy(keys: String) throws {
        let stage = reader()
        try stage.press(keys)
        #expect(stage.foot == #" Read-only: this token lacks "write""#)
        #expect(!stage.asked.contains { if case .perform = $0 { true } else { false } })
        #expect(stage.state.document?.editor == nil)
    }

    @Test func readOnlyIsInTheStatusLineAndKeysAreDim() {
        let stage = reader()
        #expect(stage.statusLine.hasPrefix(" READ-ONLY   no write permission  "))
        #expect(stage.statusLine.hasSuffix("  ✓ synced   token 12m"))
        let dim = stage.canvas.styleDump.split(separator: "\n").filter { $0.hasPrefix("23:") && $0.contains(" dim ") }
        #expect(dim.map { String($0.split(separator: "\"")[1]) } == ["a note", "e edit", "d delete", "r reply"])
    }

    @Test func aRightForOnesOwnSaysWhatIsMissingForOthers() throws {
        let services = Sample.services()
        var grant = Grant.hotos()
        grant.collaboration = [
            Permission(.annotations, .view, .all), Permission(.annotations, .edit, .own),
            Permission(.annotations, .delete, .own),
        ]
        services.opened.status = .live(grant)
        let stage = Stage(services)
        try stage.press("d")
        #expect(stage.foot == " Needs annotations:delete:group= (records without a group)")
        try stage.press("jje")
        #expect(stage.state.document?.editor != nil)
    }

    @Test func beforeAnyTokenNothingCanBeChanged() throws {
        let services = Sample.services()
        services.opened.status = SyncStatus(connection: .connecting)
        let stage = Stage(services)
        try stage.press("a")
        #expect(stage.foot == " No token accepted yet; editing is disabled")
    }

    @Test func aPDFWithoutAnEngineIsReadOnly() throws {
        let services = Sample.services()
        services.opened.file = FileStatus(path: "paper.pdf", condition: .readOnly("the engine cannot start"))
        services.opened.status = SyncStatus()
        let stage = Stage(services)
        #expect(stage.statusLine.hasPrefix(" READ-ONLY   the engine cannot start"))
        try stage.press("a")
        #expect(stage.foot == " Read-only: the engine cannot start")
        #expect(!stage.asked.contains { if case .perform = $0 { true } else { false } })
    }

    @Test func openedReadOnly() throws {
        let services = Sample.services()
        services.opened.isReadOnly = true
        let stage = Stage(services)
        try stage.press("a")
        #expect(stage.foot == " Read-only: opened with --read-only")
        #expect(stage.statusLine.contains("READ-ONLY"))
    }

    @Test func aTokenWithoutWriteWhileTypingKeepsTheTextAsADraft() throws {
        let stage = Stage(Sample.services())
        try stage.press("aHello")
        stage.send(.status(.live(.hotos([.readDocument]))))
        #expect(stage.state.document?.editor?.input.text == "Hello")
        try stage.press("<enter>")
        #expect(stage.foot == #" Kept as a draft, not sent: read-only: this token lacks "write""#)
        #expect(stage.asked.last == .saveDraft(.note(page: 0), "Hello"))
    }

    @Test func theRightIsCheckedBeforeTheAuthorIsAskedFor() throws {
        let services = Sample.services()
        services.opened.author = nil
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = Stage(services)
        try stage.press("a")
        #expect(stage.state.prompt == nil)
        #expect(stage.foot == #" Read-only: this token lacks "write""#)
    }
}
