import Foundation
import TestSupport
import TestThreads
import Testing

/// Manual pages and shell completion, generated from the commands' own help.
@Suite(.onOwnThreads)
struct ManualTests {
    @Test func everyCommandHasAPage() throws {
        let folder = try Folder()
        let help = try Program.run(["--experimental-dump-help"], environment: [:]).output
        let run = try Program.run(
            [
                "-c", "python3 \"$0\" \"$1\" 1.0 < \"$2\"", Repository.root + "/Resources/man.py", folder.path + "/man",
                try folder.write("help.json", help),
            ],
            environment: [:], executable: "/bin/sh")
        #expect(run.status == 0, "\(run.messages)")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/man")
        #expect(
            Set(pages).isSuperset(of: [
                "postilla.1", "postilla-list.1", "postilla-storage-check.1", "postilla-config.1",
            ]))
        for page in pages {
            let text = try String(contentsOfFile: folder.path + "/man/" + page, encoding: .utf8)
            #expect(text.hasPrefix(".TH \"POSTILLA") && text.contains(".SH EXIT STATUS"))
            // A line that starts with a dot is a roff request: only intended ones may occur.
            for line in text.split(separator: "\n") where line.hasPrefix(".") {
                #expect(
                    [".TH", ".SH", ".TP", ".PP", ".nf", ".fi"].contains(String(line.prefix(3))), "\(page): \(line)")
            }
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func shellsCompleteCommandsAndTokenFiles(shell: String) throws {
        let script = try Program.run(["--generate-completion-script", shell], environment: [:])
        #expect(script.status == 0)
        for word in ["watch", "token-file", "jwt", "plain"] { #expect(script.output.contains(word), "\(word)") }
    }
}
