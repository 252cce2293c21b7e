import Screen
import Testing

@testable import App

/// A person's own keys.
@Suite struct KeyChangeTests {
    private func change(_ context: KeyContext, _ command: Command, _ keys: String...) throws -> KeyChange {
        KeyChange(context, command, try keys.map { try Key.sequence($0) })
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
        let (keymap, problems) = Keymap.standard.changed(by: [try change(.list, .sync, "R")])
        #expect(problems.isEmpty)
        #expect(keymap.match([.character("R")], in: [.list]) == .command(.sync))
        #expect(keymap.match([.character("R")], in: [.library]) == .none)
        #expect(keymap.match([.character("S")], in: [.document]) == .command(.sync))
    }

    @Test func twoCommandsTradeTheirKeys() throws {
        let (_, problems) = Keymap.standard.changed(by: [
            try change(.list, .delete, "m"), try change(.list, .nextUnread, "d"),
        ])
        #expect(problems.isEmpty)
    }

    @Test(arguments: [
        (KeyContext.list, Command.delete, "e", "e is edit here; give edit another key, or none: edit = []"),
        (.moving, .down, "g", "g and gg, which is first here, begin alike"),
        (.list, .delete, "7", "7 begins with a digit, which counts"),
        (.library, .highlight, "H", "highlight does nothing in keys.library; it belongs to keys.page, keys.selection"),
        (.editor, .accept, "s", "s would not be written any more"),
        (.everywhere, .escape, "", "without a key for escape there would be no way out"),
    ])
    func whatCannotBeIsSaid(context: KeyContext, command: Command, keys: String, reason: String) throws {
        let sequences = keys.isEmpty ? [] : [try Key.sequence(keys)]
        let (_, problems) = Keymap.standard.changed(by: [KeyChange(context, command, sequences)])
        #expect(problems.count == 1 && problems[0].reason.hasPrefix(reason), "\(problems)")
    }

    @Test func everyCommandCanBeGivenAnotherKeyEverywhereItHasOne() throws {
        for binding in Keymap.standard.bindings {
            let own = KeyChange(binding.context, binding.command, [[.function(9)]])
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
