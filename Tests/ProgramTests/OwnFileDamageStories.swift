import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Changes that are kept for a PDF and cannot be read are named by every command that would show them.
@Suite(.onOwnThreads)
struct OwnFileDamageStories: OwnPaperStories {
    let paper: OwnPaper

    init() throws { paper = try OwnPaper() }

    private func killEngine() { OwnEngine.kill(home.path + "/run") }

    private var states: [String] { Folder.paths(below: home.path + "/.local/share", named: "file.sqlite") }

    private func keep() throws -> String {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        // Everything is in the database itself then, and not in its log.
        OwnEngine.kill(home.path + "/run", with: SIGTERM)
        return try #require(states.first)
    }

    @Test(arguments: ["cut", "empty", "changed", "unreadable"])
    func damagedChangesAreNamed(_ damage: String) throws {
        let state = try keep()
        let bytes = try Data(contentsOf: URL(filePath: state))
        var broken = bytes
        switch damage {
        case "cut": broken = bytes.dropLast(9000)
        case "empty": broken = Data()
        case "changed": broken[try #require(bytes.range(of: Data("Kept".utf8))).lowerBound] ^= 0x20
        default: break
        }
        if damage == "unreadable" {
            // Also for root.
            unlink(state)
            #expect(mkdir(state, 0o700) == 0)
        } else {
            try broken.write(to: URL(filePath: state))
        }
        for words in [
            ["storage", "check"], ["list", path], ["write", path], ["outbox", path], ["sync", path],
            ["storage", "check"],
        ] {
            let run = try Program.run(
                words, environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
            #expect(run.status == 1 && run.messages.contains("file.sqlite"), "\(words): \(run.output)\(run.messages)")
        }
        #expect(try run("storage", "list").output.contains("damaged"))
        let moved = home.path + "/moved"
        rename(path, moved)
        let missing = try run("list", path)
        #expect(missing.status == 1 && missing.messages.contains("file.sqlite"), "\(missing.messages)")
        // Where the PDF is unknown, no command can find what is kept of it.
        let way = damage != "changed" ? "by removing /" : "storage remove --file"
        #expect(missing.messages.contains(way), "\(missing.messages)")
        rename(moved, path)
        // A new edit is made, with a warning, and takes nothing away.
        let added = try run("add", path, "--note", "New", "--page", "1", "--no-write")
        #expect(added.status == 0 && added.messages.contains("cannot be read"), "\(added.messages)")
        #expect(try run("write", path).messages.contains("wrote 1 change"))
        let end = ContinuousClock.now + .seconds(Patience.long)
        while states.count > 1, ContinuousClock.now < end { poll(nil, 0, 10) }
        killEngine()
        #expect(try run("list", path).status == 1)
        #expect(states.count == 1)
        let left = try #require(states.first)
        switch damage {
        // The engine has opened it.
        case "changed": #expect(try Data(contentsOf: URL(filePath: left)).range(of: Data("kept".utf8)) != nil)
        case "unreadable": break
        default: #expect(try Data(contentsOf: URL(filePath: left)) == broken)
        }
        guard damage == "changed" else { return }
        // Another PDF is not concerned.
        let other = try home.write("other.pdf", original)
        #expect(try run("list", other).status == 0)
        let refused = try run("storage", "remove", "--file", path)
        #expect(refused.status == 1 && refused.messages.contains("nothing removed"), "\(refused.messages)")
        #expect(try run("storage", "remove", "--file", path, "--discard-unsent").status == 0)
        #expect(try run("list", path).status == 0)
    }

    @Test func aDamagedCopyOfAPDFIsNamed() throws {
        let state = try keep()
        let folder = (state as NSString).deletingLastPathComponent
        let copy = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("base") })
        try Data(original.dropLast(9)).write(to: URL(filePath: "\(folder)/\(copy)"))
        let check = try run("storage", "check")
        #expect(check.status == 1 && check.messages.contains(copy), "\(check.messages)")
        unlink(path)
        let written = try run("write", path, "--force")
        #expect(written.status == 1 && written.messages.contains("damaged"), "\(written.messages)")
        #expect(access(path, F_OK) != 0)
        // With the file, the changes are there.
        try original.write(to: URL(filePath: path))
        #expect(try texts().contains("Kept"))
    }

    // MARK: What commands say of kept changes

    @Test func syncAndOutboxCountWhatIsKept() throws {
        #expect(try run("sync", path).output.contains("0 waiting"))
        #expect(try run("outbox", path).messages.contains("no unsent edits"))
        let id = try run("add", path, "--note", "Kept", "--page", "1", "--no-write").output
            .trimmingCharacters(in: .newlines)
        let sync = try run("sync", path)
        #expect(sync.status == 0 && sync.output.contains("1 waiting"), "\(sync.output)")
        #expect(sync.messages.contains("1 change kept, not in the file"), "\(sync.messages)")
        let outbox = try run("outbox", path, "--format", "ndjson").output
        #expect(
            outbox.hasPrefix(#"{"id":"\#(id)","edit":"create","state":"kept","reason":"not in the file""#), "\(outbox)")
        #expect(try run("outbox", path).output.contains("Kept"))
        #expect(try run("write", path).status == 0)
        #expect(try run("sync", path).output.contains("0 waiting"))
        #expect(try run("outbox", path, "--format", "ndjson").output == "")
    }

    /// The lines are answered as they come; the file is written at the end, which a signal forestalls.
    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func whatAnInterruptedCommandCalledAppliedIsKept(_ signal: Int32) throws {
        let pipe = home.path + "/lines"
        #expect(mkfifo(pipe, 0o600) == 0)
        let command = try RunningCommand(
            ["-c", "exec \"$0\" add paper.pdf --ndjson < lines", Program.path],
            environment: [
                "HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run", "PWD": home.path,
            ], executable: "/bin/sh", directory: home.path)
        let writer = open(pipe, O_WRONLY)
        defer { close(writer) }
        let lines = ["one", "two"].map {
            #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[10,10,32,32],"text":"\#($0)"}"# + "\n"
        }.joined()
        #expect(write(writer, lines, lines.utf8.count) == lines.utf8.count)
        try command.see("applied\"}\n{")
        // The second line, too.
        try command.see("\"}\n{\"id\"")
        command.signal(signal)
        let status = try command.waitForExit()
        #expect(status == 128 + signal)
        if signal != SIGKILL {
            #expect(command.messages.contains("paper.pdf: 2 changes kept, not in the file"), "\(command.messages)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == original)
        // Also after a loss of everything in memory.
        killEngine()
        try FileManager.default.removeItem(atPath: home.path + "/run/postilla")
        let sync = try run("sync", path)
        #expect(sync.output.contains("2 waiting"), "\(sync.status) \(sync.output)\(sync.messages)")
        #expect(try run("write", path).messages.contains("wrote 2 changes"))
        #expect(try texts(other: true).contains("\"two\""))
    }
}
