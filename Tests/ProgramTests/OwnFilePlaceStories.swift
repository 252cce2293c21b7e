import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What commands on a PDF of one's own leave beside it, and what they replace.
@Suite(.onOwnThreads)
struct OwnFilePlaceStories {
    let home: Folder
    let path: String

    init() throws {
        home = try Folder()
        _ = try home.makeFolder("desk")
        path = try home.write(
            "desk/paper.pdf",
            Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf")))
        try FileManager.default.createDirectory(
            atPath: home.path + "/run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    private func run(_ words: String...) throws -> Program.Outcome {
        try Program.run(
            words, environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
    }

    private var desk: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: home.path + "/desk")) ?? []).sorted()
    }

    /// The words of pages are kept in memory: the folder is the person's.
    @Test func anExportLeavesNothingBesideThePDF() throws {
        let mine = try home.write("desk/paper.words", "mine")
        for format in ["csv", "markdown", "xfdf", "instant-json"] {
            #expect(try run("export", path, "--format", format).status == 0)
        }
        #expect(desk == ["paper.pdf", "paper.words"])
        #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
    }

    @Test func aLogIsWrittenForAPDFToo() throws {
        #expect(try run("list", path, "--log", home.path + "/log").status == 0)
        let log = try String(contentsOfFile: home.path + "/log", encoding: .utf8)
        #expect(log.contains("GET"), "\(log)")
        let refused = try run("list", path, "--log", home.path + "/desk")
        #expect(refused.status == 64 && refused.output == "", "\(refused.messages)")
    }

    @Test func anExportReplacesFilesOnlyAndFollowsLinks() throws {
        let target = try home.write("desk/old.csv", "old")
        try FileManager.default.createSymbolicLink(atPath: home.path + "/desk/link.csv", withDestinationPath: target)
        #expect(try run("export", path, "--format", "csv", "-o", home.path + "/desk/link.csv").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/desk/link.csv") == target)
        #expect(try String(contentsOfFile: target, encoding: .utf8).hasPrefix("id,under,page"))
        #expect(mkfifo(home.path + "/desk/pipe", 0o600) == 0)
        for name in ["/desk/pipe", "/desk"] {
            let run = try run("export", path, "--format", "csv", "-o", home.path + name)
            #expect(run.status == 1 && run.messages.contains("is not a regular file; nothing was written"))
        }
    }

    /// By its name, another spelling of it, a symbolic link and another name of the file.
    @Test(arguments: ["paper.pdf", "../desk/./paper.pdf", "link.pdf", "hard.pdf"])
    func noOutputReplacesThePDF(_ name: String) throws {
        let original = try Data(contentsOf: URL(filePath: path))
        #expect(symlink("paper.pdf", home.path + "/desk/link.pdf") == 0)
        #expect(link(path, home.path + "/desk/hard.pdf") == 0)
        let target = home.path + "/desk/" + name
        let names = desk
        for format in ["csv", "markdown", "xfdf", "instant-json", "pdf"] {
            let refused = try run("export", path, "--format", format, "-o", target)
            #expect(refused.status == 64 && refused.messages.contains("is the PDF itself"), "\(refused.messages)")
            let other = try run("export", "--pdf", target, "--format", format, "-o", path)
            #expect(other.status == 64, "\(other.messages)")
        }
        for command in [
            ["import", path, "--plan", target, "--server", "http://127.0.0.1:1"],
            ["save-file", "1", "--pdf", path, "-o", target],
        ] {
            let refused = try Program.run(
                command, environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"])
            #expect(refused.status == 64 && refused.messages.contains("name another file"), "\(refused.messages)")
        }
        #expect(try run("list", path, "--log", target).status == 64)
        #expect(try Data(contentsOf: URL(filePath: path)) == original && desk == names)
    }

    /// Nothing takes the place of a missing file either.
    @Test func noOutputTakesThePlaceOfAMissingPDF() throws {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        unlink(path)
        let refused = try run("export", path, "--format", "csv", "-o", home.path + "/desk/../desk/paper.pdf")
        #expect(refused.status == 64 && access(path, F_OK) != 0, "\(refused.messages)")
    }

    @Test func anEngineThatHangsIsNamed() throws {
        #expect(try run("list", path).status == 0)
        let engines = OwnEngine.pids(home.path + "/run")
        #expect(!engines.isEmpty)
        for pid in engines { kill(pid, SIGSTOP) }
        defer { for pid in engines { kill(pid, SIGKILL) } }
        let run = try run("list", path)
        #expect(run.status == 5 && run.output == "" && run.messages.contains("does not answer"), "\(run.messages)")
    }

    // MARK: An open viewer

    private func viewer() throws -> VirtualTerminal {
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"],
            directory: home.path + "/desk")
        try terminal.see("page 1 of 3")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Mine<enter>")
        try terminal.see("1 not in the file")
        return terminal
    }

    /// A copy with one more note, in which another program has changed the number of every object.
    @Test func aFileThatWasWrittenAnewIsWrittenFromTheViewer() throws {
        let copy = try home.write("copy.pdf", Data(contentsOf: URL(filePath: path)))
        #expect(try run("add", copy, "--note", "Theirs", "--page", "1").status == 0)
        let anew = home.path + "/anew.pdf"
        let qpdf = try Program.run([copy, anew], environment: [:], executable: "/usr/bin/qpdf")
        #expect(qpdf.status == 0, "\(qpdf.messages)")
        let terminal = try viewer()
        try home.write("desk/paper.pdf", Data(contentsOf: URL(filePath: anew)))
        try terminal.see("Theirs")
        try terminal.press(":w<enter>")
        try terminal.see("Wrote 1 change to paper.pdf")
        let texts = try run("list", path, "--json", "text").output
        #expect(texts.contains("Mine") && texts.contains("Theirs"))
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
    }

    /// A program that saves takes the file away for a moment: before the engine has opened it, or after.
    @Test func aFileThatIsBackCanBeEdited() throws {
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"],
            directory: home.path + "/desk")
        try terminal.see("page 1 of 3")
        rename(path, home.path + "/away.pdf")
        try terminal.wait(until: "the file is missed", seconds: Patience.long) {
            $0.text.contains("no such file") || $0.text.contains("missing")
        }
        rename(home.path + "/away.pdf", path)
        try terminal.wait(until: "the file is found", seconds: Patience.long) {
            !$0.text.contains("no such file") && !$0.text.contains("is missing")
        }
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Mine<enter>")
        try terminal.see("1 not in the file")
        try terminal.press("ZQ")
    }

    @Test func anEngineThatWasKilledIsStartedAgain() throws {
        let terminal = try viewer()
        OwnEngine.kill(home.path + "/run")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("After<enter>")
        try terminal.see("2 not in the file")
        try terminal.press(":w<enter>")
        try terminal.see("Wrote 2 changes to paper.pdf")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        #expect(try run("list", path, "--json", "text").output.contains("After"))
    }
}
