import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// PDFs of one's own, with the real program, its engine and other programs.
@Suite(.onOwnThreads)
struct OwnFileStories {
    let home: Folder
    let original: Data
    let path: String

    init() throws {
        home = try Folder()
        original = try Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/reading-machines.pdf"))
        path = try home.write("paper.pdf", original)
        for name in ["run", "other-run"] {
            try FileManager.default.createDirectory(
                atPath: "\(home.path)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
    }

    private func run(_ words: String..., other: Bool = false, input: String = "") throws -> Program.Outcome {
        // Another data folder is a stranger, like another program.
        try Program.run(
            words,
            environment: [
                "HOME": other ? home.path + "/other" : home.path, "TZ": "UTC",
                "XDG_RUNTIME_DIR": home.path + (other ? "/other-run" : "/run"),
            ], input: input)
    }

    private func texts(other: Bool = false) throws -> String {
        let outcome = try run("list", path, "--format", "ndjson", other: other)
        #expect(outcome.status == 0, "\(outcome.messages)")
        return outcome.output
    }

    private var bytes: Data { (try? Data(contentsOf: URL(filePath: path))) ?? Data() }

    private func killEngine() {
        for lock in Folder.paths(below: home.path + "/run", named: "engine.lock") {
            for pid in pids(holding: lock) { kill(pid, SIGKILL) }
        }
    }

    private func pids(holding file: String) -> [pid_t] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.filter { pid in
            let folder = "/proc/\(pid)/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == file
            }
        }
    }

    @Test func aNoteIsAddedListedChangedAndDeletedInTheFile() throws {
        let id = try run("add", path, "--note", "Which program?", "--page", "1").output.trimmingCharacters(
            in: .newlines)
        #expect(bytes.count > original.count && bytes.starts(with: original))
        #expect(try texts().contains("Which program?"))
        // The engine may have forgotten the file: the id is that of the record all the same.
        #expect(try run("edit", id, "--pdf", path, "--text", "Which programs?").status == 0)
        #expect(try run("reply", id, "--pdf", path, "--text", "All of them").status == 0)
        #expect(try run("comments", id, "--pdf", path).output.contains("All of them"))
        // Another program sees it.
        #expect(try texts(other: true).contains("Which programs?"))
        #expect(try run("delete", id, "--pdf", path).status == 0)
        #expect(try !texts().contains("Which programs?"))
        #expect(bytes.starts(with: original))
    }

    @Test func keptChangesAreWrittenLaterAndSurviveTheEngine() throws {
        let added = try run("add", path, "--note", "Kept", "--page", "1", "--no-write")
        #expect(added.messages.contains("1 change kept, not in the file; run postilla write"), "\(added.messages)")
        #expect(bytes == original)
        killEngine()
        #expect(try texts().contains("Kept"))
        // What was in memory is gone, as after a restart of the machine.
        killEngine()
        try FileManager.default.removeItem(atPath: home.path + "/run/postilla")
        #expect(try texts().contains("Kept"))
        let list = try run("storage", "list", "--format", "ndjson")
        #expect(list.output.contains(path), "\(list.output)")
        let written = try run("write", path)
        #expect(written.status == 0 && written.messages.contains("wrote 1 change"), "\(written.messages)")
        #expect(try texts(other: true).contains("Kept"))
        #expect(
            try run("storage", "list").messages.contains("no layers") || !run("storage", "list").output.contains(path))
    }

    @Test func nothingIsStoredOnDiskWithoutAnEdit() throws {
        #expect(try texts().contains("content"))
        #expect(Folder.paths(below: home.path + "/.local/share", named: "state.json").isEmpty)
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        #expect(Folder.paths(below: home.path + "/.local/share", named: "state.json").count == 1)
        #expect(try run("write", path).status == 0)
        #expect(Folder.paths(below: home.path + "/.local/share", named: "state.json").isEmpty)
    }

    @Test func changesOfAnotherProgramAreMergedAndDisputedOnesWaitForAChoice() throws {
        let id = try run("add", path, "--note", "one two three", "--page", "1").output.trimmingCharacters(in: .newlines)
        #expect(try run("edit", id, "--pdf", path, "--text", "mine", "--no-write").status == 0)
        #expect(try run("add", path, "--note", "Also mine", "--page", "2", "--no-write").status == 0)
        #expect(try run("edit", id, "--pdf", path, "--text", "theirs", other: true).status == 0)
        #expect(try run("add", path, "--note", "Also theirs", "--page", "2", other: true).status == 0)
        let written = try run("write", path)
        #expect(written.status == 6 && written.messages.contains("1 annotation not written"), "\(written.messages)")
        let conflicts = try run("conflicts", "--pdf", path, "--format", "ndjson")
        #expect(conflicts.output.contains("theirs") && conflicts.output.contains("mine"), "\(conflicts.output)")
        // The file has theirs until a choice is made, and everything else of both.
        let seen = try texts(other: true)
        for text in ["theirs", "Also mine", "Also theirs"] { #expect(seen.contains("\"\(text)\""), "\(seen)") }
        #expect(!seen.contains("\"mine\""))
        #expect(try run("conflicts", "resolve", id, "--mine", "--pdf", path).status == 0)
        #expect(try texts(other: true).contains("\"mine\""))
    }

    @Test(arguments: Repository.samples.map(\.path).filter { $0.hasSuffix(".pdf") })
    func aRealFileIsContinued(_ sample: String) throws {
        let real = try Data(contentsOf: URL(filePath: sample))
        let path = try home.write("real.pdf", real)
        let added = try run("add", path, "--note", "Added here", "--page", "1")
        #expect(added.status == 0, "\(added.messages)")
        #expect(try Data(contentsOf: URL(filePath: path)).starts(with: real))
        let seen = try run("list", path, "--format", "ndjson", other: true).output
        #expect(seen.components(separatedBy: "Added here").count == 2)
    }

    /// Changes that are only in memory are lost with it, and nothing of them was on a disk.
    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"))) func aPrivateViewerKeepsNothingOnDisk()
        throws
    {
        let memory = "/dev/shm/postilla-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: memory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf", "--private"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": memory], directory: home.path)
        try terminal.see("page 1 of 3")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Whispered<enter>")
        try terminal.see("1 not in the file")
        #expect(Folder.paths(below: home.path, named: "state.json").isEmpty)
        try terminal.press("q")
        try terminal.see("Lose 1 change")
        try terminal.press("y")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        let all = FileManager.default.enumerator(atPath: home.path)?.compactMap { $0 as? String } ?? []
        for name in all {
            let found = (try? Data(contentsOf: URL(filePath: "\(home.path)/\(name)")))?.range(
                of: Data("Whispered".utf8))
            #expect(found == nil, "\(name)")
        }
    }

    @Test func aMissingFileIsNotMadeAgainUnasked() throws {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        unlink(path)
        let refused = try run("write", path)
        #expect(refused.status == 1 && refused.messages.contains("missing"), "\(refused.messages)")
        #expect(access(path, F_OK) != 0)
        let copy = home.path + "/copy.pdf"
        #expect(try run("write", path, "--to", copy).status == 0)
        #expect(try run("list", copy, "--format", "ndjson").output.contains("Kept"))
        #expect(try run("storage", "list").output.contains("file missing"))
        #expect(try run("write", path, "--force").status == 0)
        #expect(try texts(other: true).contains("Kept"))
    }

    @Test func aMovedFileTakesItsChangesAlongAndACopyHasNone() throws {
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        let copy = home.path + "/copy.pdf"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try !run("list", copy, "--format", "ndjson").output.contains("Kept"))
        let moved = home.path + "/moved.pdf"
        rename(path, moved)
        #expect(try run("list", moved, "--format", "ndjson").output.contains("Kept"))
    }

    @Test func aCompactFileHoldsNothingThatWasDeleted() throws {
        let id = try run("add", path, "--note", "Seventeen secrets", "--page", "1").output
            .trimmingCharacters(in: .newlines)
        let deleted = try run("delete", id, "--pdf", path)
        #expect(deleted.messages.contains("still contains what was deleted"), "\(deleted.messages)")
        #expect(bytes.range(of: Data("Seventeen secrets".utf8)) != nil)
        #expect(try run("write", path, "--compact").status == 0)
        #expect(bytes.range(of: Data("Seventeen secrets".utf8)) == nil)
        #expect(try texts().contains("content"))
    }

    @Test func severalAtOnceLoseNothing() throws {
        // Two programs with one engine, and a stranger, at the same time.
        let outcomes = try ["a", "b", "c"].map { name -> Program.Outcome in
            try run("add", path, "--note", "by \(name)", "--page", "1", other: name == "c")
        }
        #expect(outcomes.allSatisfy { $0.status == 0 })
        let seen = try texts()
        for name in ["a", "b", "c"] { #expect(seen.contains("\"by \(name)\"")) }
    }

    @Test func aViewerEditsWritesAndSaysWhatItKeeps() throws {
        let terminal = try VirtualTerminal(
            running: [Program.path, "open", "paper.pdf"],
            environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"],
            directory: home.path)
        try terminal.see("page 1 of 3")
        try terminal.press("a")
        try terminal.see("note")
        try terminal.press("Written<enter>")
        try terminal.see("1 not in the file")
        #expect(bytes == original)
        try terminal.press(":w<enter>")
        try terminal.see("Wrote 1 change to paper.pdf")
        #expect(bytes.starts(with: original) && bytes.count > original.count)
        // Another program changes the file while it is open.
        #expect(try run("add", path, "--note", "Theirs", "--page", "1", other: true).status == 0)
        try terminal.see("Theirs")
        try terminal.press("a")
        try terminal.press("Kept<enter>")
        try terminal.see("1 not in the file")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        #expect(try texts().contains("Kept"))
        #expect(try !texts(other: true).contains("Kept"))
    }
}
