import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What is made in a private session goes with it, and nothing of it is on a disk.
@Suite(.onOwnThreads, .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "needs a folder in memory"))
struct PrivateSessionStories {
    private let paper: OwnPaper
    private let memory: Memory

    /// A runtime folder in memory, with which its engines go.
    private final class Memory: Sendable {
        let path = "/dev/shm/postilla-\(UUID().uuidString.prefix(8))"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit {
            OwnEngine.kill(path)
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    init() throws {
        paper = try OwnPaper()
        memory = try Memory()
    }

    private var home: Folder { paper.home }
    private var path: String { paper.path }

    private var environment: [String: String] {
        // Whatever is written there is seen by its failure.
        ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": memory.path, "TMPDIR": home.path + "/none"]
    }

    private func run(_ words: String..., environment more: [String: String] = [:]) throws -> Program.Outcome {
        try Program.run(words, environment: environment.merging(more) { $1 })
    }

    private func open(_ words: String..., environment more: [String: String] = [:]) throws -> VirtualTerminal {
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"] + words, environment: environment.merging(more) { $1 },
            directory: home.path)
        try terminal.see("page 1 of 3")
        return terminal
    }

    private func add(_ text: String, to terminal: VirtualTerminal) throws {
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("\(text)<enter>")
        try terminal.see("1 not in the file")
    }

    /// Leaves the session in one of the ways in which a window ends.
    private func end(_ terminal: VirtualTerminal, by way: String) throws {
        switch way {
        case "q":
            try terminal.press("q")
            try terminal.see("Lose 1 change not in paper.pdf? y/N")
            try terminal.press("y")
        case "hangup": terminal.hangUp()
        default: terminal.signal(SIGKILL)
        }
        _ = try terminal.waitForExit(seconds: Patience.long)
    }

    @Test(arguments: ["q", "hangup", "kill"])
    func whatIsAgreedToBeLostIsInNoFile(_ way: String) throws {
        let terminal = try open("--private")
        try terminal.see("Private: what is not written is lost")
        try add("Whispered", to: terminal)
        try end(terminal, by: way)
        let added = try run("add", path, "--note", "PUBLIC", "--page", "1")
        #expect(added.status == 0, "\(added.messages)")
        let list = try run("list", path, "--format", "ndjson").output
        #expect(list.contains("PUBLIC") && !list.contains("Whispered"), "\(list)")
        #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("Whispered".utf8)) == nil)
        #expect(Folder.files(below: home.path, holding: "Whispered").isEmpty)
        // The next private session finds nothing either.
        let again = try open("--private")
        try again.see("PUBLIC")
        #expect(!again.text.contains("Whispered"))
        try again.press("q")
        #expect(try again.waitForExit(seconds: Patience.long) == 0)
    }

    /// The engine is killed under the window: the session goes on, and ends as agreed.
    @Test func aSessionOutlivesItsEngine() throws {
        let terminal = try open("--private")
        try add("Whispered", to: terminal)
        OwnEngine.kill(memory.path)
        let refused = try run("list", path)
        #expect(refused.status == 1 && refused.messages.contains("open in a private session"), "\(refused.messages)")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Whispered again<enter>")
        try terminal.see("2 not in the file")
        terminal.signal(SIGKILL)
        _ = try terminal.waitForExit(seconds: Patience.long)
        #expect(try !run("list", path, "--format", "ndjson").output.contains("Whispered"))
    }

    /// The engine that it started outlives it, and still has a folder for temporary files.
    @Test func theEngineDoesNotNeedTheFolderOfASession() throws {
        let terminal = try open("--private", environment: ["TMPDIR": ""])
        try terminal.see("private: kept in memory only")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        // Another program saves an earlier version, of which the engine makes a copy to compare with.
        let other = ["HOME": home.path + "/other", "XDG_RUNTIME_DIR": home.path + "/other-run", "TMPDIR": ""]
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        for text in ["First", "Second"] {
            try paper.original.write(to: URL(filePath: path))
            #expect(try run("add", path, "--note", text, "--page", "1", environment: other).status == 0)
            #expect(try run("list", path).status == 0)
        }
        let list = try run("list", path, "--format", "ndjson")
        #expect(list.status == 0, "\(list.messages)")
        for text in ["Kept", "First", "Second"] { #expect(list.output.contains("\"\(text)\"")) }
    }

    @Test func aFileIsOpenInOneWay() throws {
        let secret = try open("--private")
        try add("Whispered", to: secret)
        for words in [
            ["list", path], ["add", path, "--note", "PUBLIC", "--page", "1"], ["write", path], ["open", path],
        ] {
            let refused = try Program.run(words, environment: environment)
            #expect(refused.status == 1 && refused.output == "", "\(words): \(refused.output)")
            #expect(
                refused.messages == "postilla: \(path): it is open in a private session; close that window first\n",
                "\(words): \(refused.messages)")
        }
        // What is written is not lost.
        try secret.press(":w<enter>")
        try secret.see("Wrote 1 change to paper.pdf")
        try secret.press("q")
        #expect(try secret.waitForExit(seconds: Patience.long) == 0)
        #expect(try run("list", path, "--format", "ndjson").output.contains("Whispered"))

        let plain = try open()
        try add("Kept", to: plain)
        let other = try run("open", path, "--private")
        #expect(other.status == 1, "\(other.messages)")
        #expect(
            other.messages.hasSuffix("it is open in a window that is not private; close that window first\n"),
            "\(other.messages)")
        try plain.press("q")
        #expect(try plain.waitForExit(seconds: Patience.long) == 0)
        let kept = try run("open", path, "--private")
        #expect(kept.status == 1 && kept.messages.contains("1 change to it is kept on disk"), "\(kept.messages)")
        #expect(try run("list", path, "--format", "ndjson").output.contains("Kept"))
    }

    private static let isTemporaryFolderOnDisk =
        (try? Program.run(["-f", "-c", "%T", "/tmp"], environment: [:], executable: "/usr/bin/stat").output)?
        .contains("tmpfs") == false

    @Test(.enabled(if: isTemporaryFolderOnDisk, "needs a home on a disk")) func theFolderThatIsMissingIsNamed() throws {
        func refusal(_ folder: String) throws -> String {
            let run = try run("open", path, "--private", environment: ["XDG_RUNTIME_DIR": folder])
            #expect(run.status == 1, "\(run.messages)")
            return run.messages
        }
        #expect(try refusal("").contains("XDG_RUNTIME_DIR is not set in this shell"))
        #expect(try refusal("run").contains("(run) is not an absolute path"))
        #expect(try refusal("/none").contains("(/none) does not exist"))
        #expect(chmod(memory.path, 0o755) == 0)
        #expect(try refusal(memory.path).contains("must be a folder of your own that only you can enter"))
        #expect(chmod(memory.path, 0o700) == 0)
        let server = try run("open", "http://127.0.0.1:1", "--private")
        #expect(server.status == 64 && server.messages.contains("opens PDFs only"), "\(server.messages)")
    }

    /// The user's editor, pictures of pages, the command line, drafts, bookmarks and the place in the file.
    @Test func nothingOfASessionIsOnADisk() throws {
        let editor = try home.write(
            "editor", "#!/bin/sh\necho \"$1 $TMPDIR\" > \(memory.path)/seen\necho Whispered > \"$1\"\n")
        #expect(chmod(editor, 0o700) == 0)
        let log = try run("open", path, "--private", "--log", home.path + "/log")
        #expect(log.status == 64 && log.messages.contains("on a disk"), "\(log.messages)")
        #expect(access(home.path + "/log", F_OK) != 0)

        let terminal = try open("--private", environment: ["EDITOR": editor, "VISUAL": ""])
        try add("First", to: terminal)
        try terminal.press("E")
        try terminal.see("Whispered")
        let seen = try String(contentsOfFile: memory.path + "/seen", encoding: .utf8).split(
            whereSeparator: \.isWhitespace)
        #expect(seen.count == 2 && seen.allSatisfy { $0.hasPrefix(memory.path + "/") }, "\(seen)")
        try terminal.press(":messages<enter>")
        try terminal.see("your editor may write files of its own")
        try terminal.press("<esc>:search Whispered words<enter>")
        // A draft.
        try terminal.press("<esc>aWhispered draft<esc>")
        try terminal.press("Ma")
        try terminal.press("i")
        try terminal.wait(until: "the page is a picture", seconds: Patience.long) { $0.text.contains("▀") }
        terminal.signal(SIGTERM)
        _ = try terminal.waitForExit(seconds: Patience.long)
        #expect(Folder.files(below: home.path, holding: "Whispered") == ["editor"])
        let state = home.path + "/.local/state/postilla"
        let names = FileManager.default.enumerator(atPath: state)?.compactMap { $0 as? String } ?? []
        // The engine's log, and the empty lock that keeps engines of earlier versions out.
        #expect(names.allSatisfy { $0 == "engine.log" || Folder.isEmpty("\(state)/\($0)") }, "\(names)")
        // The folder of the session is gone with it.
        let left = Folder.paths(below: memory.path, named: "private")
        #expect(try left.flatMap { try FileManager.default.contentsOfDirectory(atPath: $0) } == [])
    }
}
