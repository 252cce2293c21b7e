import Children
import Foundation
import TestSupport
import TestThreads
import Testing

/// What is copied out of the program and pasted elsewhere.
@Suite(.onOwnThreads)
struct CopyStories {
    private static let isTmuxHere = ["/usr/bin/tmux", "/usr/local/bin/tmux"].contains {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A note of another person that ends a bracketed paste and goes on with a command.
    private static func planted(_ command: String) -> String { "See \u{1B}[201~\n\(command)\nbelow" }

    @Test(.enabled(if: isTmuxHere, "tmux is not installed"))
    func aPastedNoteRunsNothingInAShell() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        let ana = try Person(at: engine)
        let mark = ana.home.path + "/was-run"
        // The list shows one note only: the planted one.
        try engine.create([
            "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 90, 32, 32],
            "text": Self.planted("touch \(mark)"), "creatorName": "mallory",
            "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z",
        ])
        // A server of tmux of its own, with two windows: the viewer, and a shell.
        let tmux = ["tmux", "-S", ana.home.path + "/tmux", "-f", "/dev/null"]
        let open = "'\(Program.path)' open '\(engine.url)' --token-file '\(ana.tokenFile)'"
        let terminal = try VirtualTerminal(
            running: ["/usr/bin/env"] + tmux + ["new-session", "-n", "viewer", open],
            environment: ana.environment.merging(["SHELL": "/bin/bash"]) { $1 }, directory: ana.home.path, rows: 24,
            columns: 100)
        defer {
            _ = try? Program.run(
                Array(tmux.dropFirst()) + ["kill-server"], environment: [:], executable: "/usr/bin/tmux")
        }
        try terminal.see("synced")
        try terminal.see("mallory")
        try terminal.press("/See<enter>")
        try terminal.see("1 of 2")
        try terminal.press("y")
        try terminal.see("Copied")
        try terminal.see("without 1 control character")
        func run(_ arguments: String...) throws -> String {
            try Program.run(
                Array(tmux.dropFirst()) + arguments, environment: [:], executable: "/usr/bin/tmux"
            ).output
        }
        #expect(try run("show-buffer") == Self.planted("touch \(mark)").replacing("\u{1B}", with: ""))
        _ = try run("new-window", "-n", "shell", "PS1='ready> ' bash --norc --noprofile -i")
        try terminal.see("ready>")
        _ = try run("paste-buffer", "-p")
        try terminal.see("below")
        // The pasted lines are one command line, which is not run: the shell asks once. A new line drops it.
        #expect(terminal.text.split(separator: "ready>", omittingEmptySubsequences: false).count == 2)
        terminal.send([0x03])
        try terminal.wait(until: "the shell asks again", seconds: Patience.long) {
            $0.text.split(separator: "ready>", omittingEmptySubsequences: false).count == 3
        }
        terminal.send(text: "echo do''ne\r")
        try terminal.see("done")
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}
