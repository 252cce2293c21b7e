import Foundation
import TestSupport
import TestThreads
import Testing

/// A text that is being written is never lost: neither with its annotation, nor with the disk, nor with the program.
@Suite(.onOwnThreads)
struct DraftStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private var state: String { ana.home.path + "/.local/state/postilla" }

    private func remark(_ text: String, id: String) throws {
        try engine.create(
            [
                "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 90, 32, 32], "text": text,
                "creatorName": "bo", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z",
            ], id: id)
    }

    @Test func aReplyWhoseAnnotationIsDeletedIsInTheOutboxAlsoAfterARestart() throws {
        try remark("What about this?", id: "remark")
        let terminal = try ana.open()
        try terminal.press("/What about<enter>")
        try terminal.see("Annotations 1 of 2")
        try terminal.press("r")
        try terminal.see("Reply to the note by bo")
        terminal.send(text: "A long and careful answer")
        try terminal.see("careful answer")
        try engine.remove("remark")
        try terminal.see("What you are writing about is gone")
        try terminal.press("<esc>")
        try terminal.see("Draft kept in the outbox")
        #expect(try terminal.quit() == [])

        let again = try ana.open()
        try again.see("The annotation of a draft is gone")
        try again.press("O")
        try again.see("draft of a reply")
        try again.see("A long and caref")
        try again.press("s")
        try again.see("Draft saved in")
        let saved = try FileManager.default.contentsOfDirectory(atPath: state).first { $0.hasPrefix("draft-") }
        #expect(ana.home.text(".local/state/postilla/\(saved ?? "")") == "A long and careful answer\n")
        try again.press("d")
        try again.see("Drop this text for good?")
        try again.press("y")
        try again.see("Everything is sent.")
        try again.press("q")
        #expect(try again.quit() == [])
    }

    /// A folder that cannot be written, for root neither.
    @Test func aDraftThatCannotBeKeptIsNotCalledKept() throws {
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        try ana.home.write(".local/state/postilla/drafts", "not a folder")
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(text: "Precious")
        try terminal.see("Precious")
        try terminal.press("<esc>")
        try terminal.see("Draft not kept: cannot")
        try terminal.press("q")
        try terminal.see("Lose a draft not kept")
        try terminal.press("n")
        try terminal.see("Cancelled")
        try terminal.press("a")
        try terminal.see("Precious")
        try terminal.press("<enter>")
        try terminal.see("Added note")
        try terminal.see("Precious", at: engine)
        #expect(try terminal.quit() == [])
    }

    @Test func aTextThatAKilledProgramLeftInTheEditorIsNamedAtTheNextStart() throws {
        let script = """
            #!/bin/sh
            echo "Half an hour of work" > "$1"
            echo $$ > "\(ana.home.path)/editor.pid"
            exec tail -f /dev/null
            """
        try ana.home.write("editor.sh", script)
        let environment = ["VISUAL": "/bin/sh '\(ana.home.path)/editor.sh'"]
        let terminal = try ana.start(environment: environment)
        try terminal.see("synced")
        try terminal.see("Printed remark")
        try terminal.press("E")
        try terminal.wait(until: "the editor runs", seconds: Patience.long) { _ in
            ana.home.text("editor.pid").hasSuffix("\n")
        }
        terminal.signal(SIGKILL)
        _ = try? terminal.waitForExit(seconds: Patience.long)
        if let editor = pid_t(ana.home.text("editor.pid").trimmingCharacters(in: .whitespacesAndNewlines)) {
            kill(editor, SIGKILL)
        }

        let again = try ana.start(columns: 200)
        try again.see("A text from your editor is kept in")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: state).first { $0.hasPrefix("note-") })
        try again.see(name)
        #expect(ana.home.text(".local/state/postilla/\(name)") == "Half an hour of work\n")
        try again.see("synced")
        #expect(try again.quit() == [])
    }

    @Test func aTextThatCannotBeTakenStaysInItsFile() throws {
        try ana.home.write("editor.sh", "printf 'caf\\351\\n' > \"$1\"\n")
        let terminal = try ana.start(
            environment: ["VISUAL": "/bin/sh '\(ana.home.path)/editor.sh'"], rows: 24, columns: 200)
        try terminal.see("synced")
        try terminal.see("Printed remark")
        try terminal.press("E")
        try terminal.see("is not UTF-8, so it was not taken; it is kept in \(state)/note-\(terminal.processID).txt")
        #expect(try terminal.quit() == [])
    }

    /// As a slow line or `tmux send-keys` delivers them.
    @Test func escAndACommandInOneReadOpenTheCommandLine() throws {
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(text: "half")
        try terminal.see("half")
        terminal.send(text: "\u{1B}:help")
        try terminal.see(":help")
        try terminal.see(no: "New note")
        try terminal.press("<esc>")
        // Nothing ran as a command: no overlay is open, and nothing was sent.
        try terminal.see("synced")
        #expect(!(try engine.records()).contains("elp"))
        #expect(try terminal.quit() == [])
    }
}
