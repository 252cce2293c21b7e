import Screen
import Testing

@testable import App

/// The user's own key bindings.
@Suite struct KeyRebindingTests {
    private func change(_ context: KeyContext, _ command: Command, _ keys: String...) throws -> KeyRebinding {
        KeyRebinding(context, command, try keys.map { try Key.sequence($0) })
    }

    @Test func aCommandGetsOtherKeysAndLosesItsOwn() throws {
        let (keymap, problems) = Keymap.standard.changed(by: [try change(.list, .delete, "dd", "<del>")])
        #expect(problems.isEmpty)
        #expect(keymap.match([.character("d")], in: [.list]) == .unfinished)
        #expect(keymap.match(try Key.sequence("dd"), in: [.list]) == .command(.delete))
        #expect(keymap.match([.delete], in: [.list]) == .command(.delete))
        #expect(keymap.bindings.count == Keymap.standard.bindings.count)
    }

    @Test func aCommandOfAWiderPlaceGetsAKeyInANarrowerOne() throws {
        let (keymap, problems) = Keymap.standard.changed(by: [try change(.list, .sync, "W")])
        #expect(problems.isEmpty)
        #expect(keymap.match([.character("W")], in: [.list]) == .command(.sync))
        #expect(keymap.match([.character("W")], in: [.library]) == .none)
        #expect(keymap.match([.character("S")], in: [.document]) == .command(.sync))
    }

    @Test func twoCommandsTradeTheirKeys() throws {
        let (_, problems) = Keymap.standard.changed(by: [
            try change(.list, .delete, "m"), try change(.list, .nextUnread, "d"),
        ])
        #expect(problems.isEmpty)
    }

    @Test(arguments: [
        (KeyContext.list, Command.delete, "e", "e is already edit; give edit another key, or none (edit = [])"),
        (.moving, .down, "g", "g clashes with gg (first)"),
        (.list, .delete, "7", "7 begins with a digit, which is a count"),
        (.library, .highlight, "H", "highlight has no effect in keys.library; it belongs in keys.page, keys.selection"),
        (.editor, .accept, "s", "s is text in this context"),
        (.everywhere, .escape, "", "escape needs at least one key"),
    ])
    func whatCannotBeIsSaid(context: KeyContext, command: Command, keys: String, reason: String) throws {
        let sequences = keys.isEmpty ? [] : [try Key.sequence(keys)]
        let (_, problems) = Keymap.standard.changed(by: [KeyRebinding(context, command, sequences)])
        #expect(problems.count == 1 && problems[0].reason.hasPrefix(reason), "\(problems)")
    }

    @Test func everyCommandCanBeGivenAnotherKeyEverywhereItHasOne() throws {
        for binding in Keymap.standard.bindings {
            let own = KeyRebinding(binding.context, binding.command, [[.function(9)]])
            let (keymap, problems) = Keymap.standard.changed(by: [own])
            #expect(problems.isEmpty, "\(problems)")
            #expect(keymap.match([.function(9)], in: [binding.context]) == .command(binding.command))
        }
    }

    @Test func footerAndHelpTellTheNewKey() throws {
        let (keymap, _) = Keymap.standard.changed(by: [try change(.list, .note, "A")])
        let stage = Stage(Sample.services(), keymap: keymap)
        #expect(stage.foot.contains("A note"))
        try stage.press("A")
        #expect(stage.state.document?.editor != nil)
    }
}
