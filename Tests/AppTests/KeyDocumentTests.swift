import FoundationEssentials
import Screen
import Testing

@testable import App

/// `docs/keys.md` is generated from the keymap and matches the program.
@Suite struct KeyDocumentTests {
    @Test func theKeysInTheDocumentationAreTheKeys() throws {
        var text = """
            # Keys

            This page is generated from the keymap by `KeyDocumentTests` (`RECORD_SNAPSHOTS=1 swift test --filter \
            KeyDocumentTests`). In the program, `?` lists the keys available at that moment.

            """
        for context in KeyContext.allCases {
            let bindings = Keymap.standard.bindings(in: [context])
            text += "\n## \(context.title)\n\n| keys | command | what it does |\n|---|---|---|\n"
            for binding in bindings {
                let keys = binding.keyNames.replacing("|", with: "\\|")
                text += "| `\(keys)` | `\(binding.command.rawValue)` | \(binding.help) |\n"
            }
        }
        text += "\n## Commands after `:`\n\n| command | what it does |\n|---|---|\n"
        for command in TypedCommand.allCases { text += "| `:\(command.rawValue)` | \(command.help) |\n" }
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/keys.md")
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" { try Data(text.utf8).write(to: file) }
        #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == text)
    }
}
