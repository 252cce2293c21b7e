import Foundation
import TestSupport
import TestThreads
import Testing

/// The completion scripts in the shells themselves, on a terminal, as a person uses them: a few letters, then Tab.
@Suite(.onOwnThreads)
struct CompletionStories {
    /// What is typed before Tab, and what the line then contains.
    private static let cases: [(typed: String, completed: String)] = [
        ("postilla exp", "postilla export"),
        ("postilla token iss", "postilla token issue"),
        ("postilla help wat", "postilla help watch"),
        ("postilla open --token-fi", "postilla open --token-file"),
        ("postilla list --kind squ", "postilla list --kind squiggly"),
        ("postilla export --format mark", "postilla export --format markdown"),
        ("postilla serve --log-level crit", "postilla serve --log-level critical"),
        ("postilla upload quiet", "postilla upload quiet-paper.pdf"),
        // Not only files named *.jwt.
        ("postilla open --token-file ana", "postilla open --token-file ana.token"),
        ("postilla serve --data serv", "postilla serve --data server-data/"),
        ("postilla import rev", "postilla import review.xfdf"),
    ]

    private static func has(_ shell: String) -> Bool { path(shell) != nil }

    private static func path(_ shell: String) -> String? {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + shell }.first(where: FileManager.default.isExecutableFile)
    }

    @Test(.enabled(if: has("bash"), "bash is not installed")) func bash() throws {
        try complete(in: "bash") { home, script in
            ["--noprofile", "--rcfile", try home.write("bashrc", ". \(script)\nPS1='ready> '\n"), "-i"]
        }
    }

    @Test(.enabled(if: has("zsh"), "zsh is not installed")) func zsh() throws {
        try complete(in: "zsh") { home, script in
            let functions = try home.makeFolder("functions")
            try FileManager.default.copyItem(atPath: script, toPath: functions + "/_postilla")
            try home.write(
                ".zshrc", "fpath=(\(functions) $fpath)\nautoload -U compinit && compinit -u -D\nPS1='ready> '\n")
            return ["-i"]
        }
    }

    @Test(.enabled(if: has("fish"), "fish is not installed")) func fish() throws {
        try complete(in: "fish") { home, script in
            // Without suggestions, which would show the completed line before Tab.
            let settings = """
                set -g fish_greeting
                set -g fish_autosuggestion_enabled 0
                function fish_prompt; printf 'ready> '; end
                source \(script)
                """
            return ["--private", "--init-command", "source \(try home.write("settings.fish", settings))"]
        }
    }

    /// - Parameter arguments: Returns those of the shell, from its home and the path of the completion script.
    private func complete(in shell: String, _ arguments: (Folder, String) throws -> [String]) throws {
        let home = try Folder()
        let script = try Program.run(["--generate-completion-script", shell], environment: [:])
        #expect(script.status == 0)
        let arguments = try arguments(home, try home.write("completion.\(shell)", script.output))
        for name in ["quiet-paper.pdf", "ana.token", "review.xfdf"] { try home.write(name, "") }
        _ = try home.makeFolder("server-data")
        _ = try home.makeFolder("bin")
        try FileManager.default.createSymbolicLink(
            atPath: home.path + "/bin/postilla", withDestinationPath: Program.path)
        let terminal = try VirtualTerminal(
            running: [try #require(Self.path(shell))] + arguments,
            environment: [
                "HOME": home.path, "ZDOTDIR": home.path, "PATH": home.path + "/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            ], directory: home.path)
        try terminal.see("ready>")
        for (typed, completed) in Self.cases {
            terminal.send(text: typed + "\t")
            try terminal.wait(until: "\(shell) completes \(typed) to \(completed)", seconds: Patience.long) {
                $0.text.contains("ready> " + completed)
            }
            // Deletes the line: Ctrl-U.
            terminal.send([0x15])
            try terminal.wait(until: "\(shell) deletes the line", seconds: Patience.long) {
                !$0.text.contains("ready> postilla")
            }
        }
        terminal.send(text: "exit\r")
        _ = try terminal.waitForExit(seconds: Patience.long)
    }
}
