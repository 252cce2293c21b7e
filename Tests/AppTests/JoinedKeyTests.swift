import Screen
import Testing

@testable import App

/// Esc and a key that arrive together look like Alt and the key. Unless such a key is bound, they are two keys.
@Suite struct JoinedKeyTests {
    @Test func escAndAColonOpenTheCommandLine() throws {
        let stage = Stage(Sample.services())
        try stage.press("<A-:>help")
        #expect(stage.foot.hasPrefix(":help"))
        try stage.press("<enter>")
        #expect(stage.state.help != nil)
    }

    /// The keys after Esc ran as commands: a note to everyone, or a deletion.
    @Test func escClosesTheEditorAndTheNextKeyActs() throws {
        let stage = Stage(Sample.services())
        try stage.press("eBetter<A-a>text")
        #expect(stage.state.document?.editor?.target != nil)
        #expect(stage.state.document?.editor?.input.text == "text")
        #expect(stage.asked.contains { if case .saveDraft(.record("h1"), _, _) = $0 { true } else { false } })
        try stage.press("<A-:>")
        #expect(stage.state.document?.editor == nil && stage.foot.hasPrefix(":"))
    }

    @Test(arguments: [":filter<A-j>", "?<A-j>", "<C-p>nx<A-j>", "O<A-j>"])
    func escIsPressedFirstEverywhere(keys: String) throws {
        let stage = Stage(Sample.services())
        try stage.press(keys)
        #expect(stage.state.overlay == nil)
        #expect(stage.state.document?.list.cursor == 1)
    }

    @Test func enterAndBackspaceToo() throws {
        let stage = Stage(Sample.services())
        try stage.press(":x<A-enter>")
        #expect(stage.state.prompt == nil)
        #expect(stage.state.document?.reader != nil)
    }

    @Test func boundKeysKeepTheirMeaning() throws {
        let stage = Stage(Sample.services())
        try stage.press("<A-3>")
        #expect(stage.state.document?.focus == .page)
        try stage.press("<A-1>eone<A-enter>two")
        #expect(stage.state.document?.editor?.input.text.hasSuffix("one\ntwo") == true)
    }

    @Test func aKeyOfTheUserIsOne() throws {
        let (keymap, problems) = Keymap.standard.changed(by: [
            KeyRebinding(.list, .nextUnread, [[.alt("x")]]), KeyRebinding(.editor, .accept, [[.alt("s")]]),
        ])
        #expect(problems.isEmpty)
        let stage = Stage(Sample.services(), keymap: keymap)
        try stage.press("<A-x>")
        #expect(stage.asked.contains { if case .findUnread = $0 { true } else { false } })
        try stage.press("e!<A-s>")
        #expect(stage.state.document?.editor == nil)
        #expect(stage.asked.contains { if case .perform = $0 { true } else { false } })
    }
}
