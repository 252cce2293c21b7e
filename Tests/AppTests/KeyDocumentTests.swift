import FoundationEssentials
import Screen
import Testing

@testable import App

/// `docs/keys.md` is written by the keymap: it says what the program does.
@Suite struct KeyDocumentTests {
    @Test func theKeysInTheDocumentationAreTheKeys() throws {
        var text = """
            # Keys

            This page is made from the keymap by `KeyDocumentTests` (`RECORD_SNAPSHOTS=1 swift test --filter \
            KeyDocumentTests`). The program shows the same under `?`, for what is valid at that moment.

            """
        for context in KeyContext.allCases {
            let bindings = Keymap.standard.bindings(in: [context])
            text += "\n## \(context.title)\n\n| keys | command | what it does |\n|---|---|---|\n"
            for binding in bindings {
                let keys = binding.keyNames.replacing("|", with: "\\|")
                text += "| `\(keys)` | `\(binding.command.rawValue)` | \(binding.help) |\n"
            }
        }
        text += "\n## Typed after `:`\n\n| command | what it does |\n|---|---|\n"
        for command in TypedCommand.allCases { text += "| `:\(command.rawValue)` | \(command.help) |\n" }
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/keys.md")
        if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" { try Data(text.utf8).write(to: file) }
        #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == text)
    }
}
