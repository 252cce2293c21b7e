import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What scripts are told of a PDF of one's own, and what they leave in it.
@Suite(.onOwnThreads)
struct OwnFileScriptStories: OwnPaperStories {
    let paper: OwnPaper

    init() throws { paper = try OwnPaper() }

    /// Another document comes to the path while the engine knows everything that the old one had.
    @Test func anotherDocumentGetsNothingOfTheOldOneButWhatWasNotWritten() throws {
        func count() throws -> Int { try texts(other: true).split(separator: "\n").count }
        let old = try texts()
        let handbook = try Data(
            contentsOf: URL(filePath: Repository.root + "/Resources/samples/harbour-handbook.pdf"))
        try handbook.write(to: URL(filePath: path))
        let listed = try run("list", path)
        #expect(listed.status == 0 && !listed.messages.contains("in the text any more"), "\(listed.messages)")
        #expect(try !run("storage", "list", "--format", "ndjson").output.contains(path))
        #expect(Folder.paths(below: home.path + "/.local/share", named: "file.sqlite").isEmpty)
        let before = try count()
        let added = try run("add", path, "--note", "NEW", "--page", "1")
        #expect(added.status == 0, "\(added.messages)")
        #expect(try count() == before + 1)
        #expect(try texts(other: true).contains("NEW"))
        // Something that was not written yet is kept, and nothing else. The old document comes back.
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        try original.write(to: URL(filePath: path))
        let back = try run("list", path)
        #expect(back.messages.contains("note"), "\(back.messages)")
        #expect(try run("storage", "list", "--format", "ndjson").output.contains(path))
        #expect(try run("write", path).messages.contains("wrote 1 change"))
        #expect(try texts(other: true).split(separator: "\n").count == old.split(separator: "\n").count + 1)
        #expect(try texts(other: true).contains("Kept"))
    }

    /// Such as a log on a full disk, or a reader that has ended: the note was kept, not written and not mentioned, so that a
    /// second try made it twice.
    @Test(arguments: ["> /dev/full", "| true"]) func whatCannotBeAnsweredIsWrittenAllTheSame(_ output: String) throws {
        let lines = (1...3).map {
            #"{"content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[9,9,18,18],"text":"line \#($0)"}}"#
        }
        func unread(_ words: [String], input: String = "") throws -> Program.Outcome {
            try Program.run(
                ["-c", #""$0" "$@" "# + output, Program.path] + words + ["--pdf", path],
                environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"], input: input,
                executable: "/bin/sh")
        }
        let root = try run("add", path, "--note", "beginning", "--page", "1").output.trimmingCharacters(in: .newlines)
        let isFull = output.contains("full")
        for words in [
            ["add", "--note", "alone", "--page", "1"], ["reply", root, "--text", "reply"], ["state", root, "accepted"],
        ] {
            let run = try unread(words)
            #expect(!isFull || run.status == 1 && run.messages.contains("is stored, but cannot be written"), "\(run)")
        }
        let run = try unread(["add", "--ndjson"], input: lines.joined(separator: "\n"))
        #expect(!isFull || run.status == 1 && run.messages.contains("cannot write to standard output"), "\(run)")
        #expect(try !self.run("storage", "list", "--format", "ndjson").output.contains(path))
        let there = try texts(other: true)
        // Lines that had not arrived are no longer read.
        for text in ["alone", "line 1"] { #expect(there.contains(text), "\(text) is missing: \(there)") }
        let comments = try self.run("comments", root, "--pdf", path, "--format", "ndjson", other: true).output
        #expect(comments.contains("reply") && comments.contains("accepted"), "\(comments)")
        _ = try unread(["delete", root])
        #expect(try !texts(other: true).contains("beginning"))
    }

    /// One of them would be overlooked without a word.
    @Test func twoPDFsOfOneCommandAreRefused() throws {
        let other = home.path + "/other.pdf"
        try original.write(to: URL(filePath: other))
        let refused = [
            try run("add", other, "--note", "x", "--page", "1", "--pdf", path), try run("list", other, "--pdf", path),
        ]
        for one in refused {
            #expect(one.status == 64 && one.messages.contains("two PDFs are named"), "\(one.messages)")
        }
        #expect(try Data(contentsOf: URL(filePath: path)) == original)
    }

    @Test func theStateOfARecordSaysWhetherTheFileHasIt() throws {
        let first = try run("add", path, "--note", "first", "--page", "1").output.trimmingCharacters(in: .newlines)
        func state(_ id: String, _ command: String = "list") throws -> String? {
            let words = command == "list" ? ["list", "--pdf", path] : [command, id, "--pdf", path]
            let output = try Program.run(
                words + ["--format", "tsv"],
                environment: ["HOME": home.path, "TZ": "UTC", "XDG_RUNTIME_DIR": home.path + "/run"]
            ).output
            let line = output.split(separator: "\n").first { $0.hasPrefix(id) }
            return line?.split(separator: "\t", omittingEmptySubsequences: false).dropFirst(5).first.map(String.init)
        }
        #expect(try state(first) == "delivered")
        let second = try run("add", path, "--note", "second", "--page", "1", "--no-write").output
            .trimmingCharacters(in: .newlines)
        #expect(try state(first) == "delivered" && state(second) == "unsent")
        #expect(try state(second, "show") == "unsent")
        let reply = try run("reply", first, "--pdf", path, "--text", "yes", "--no-write").output
            .trimmingCharacters(in: .newlines)
        let comments = try run("comments", first, "--pdf", path, "--format", "tsv").output
        #expect(comments.contains(reply) && comments.contains("unsent"), "\(comments)")
        #expect(try run("edit", first, "--pdf", path, "--text", "mine", "--no-write").status == 0)
        #expect(try run("edit", first, "--pdf", path, "--text", "theirs", other: true).status == 0)
        #expect(try state(first) == "conflict" && state(second) == "unsent")
        #expect(try run("conflicts", "resolve", first, "--mine", "--pdf", path).status == 0)
        #expect(try state(first) == "delivered" && state(second) == "delivered")
    }

    /// A script decides one conflict after another: only its own one counts for the exit code.
    @Test func aDecisionSucceedsAlsoIfAnotherConflictIsLeft() throws {
        var ids: [String] = []
        for name in ["first", "second"] {
            let added = try run("add", path, "--note", name, "--page", "1")
            ids.append(added.output.trimmingCharacters(in: .newlines))
        }
        for id in ids { #expect(try run("edit", id, "--pdf", path, "--text", "mine", "--no-write").status == 0) }
        for id in ids { #expect(try run("edit", id, "--pdf", path, "--text", "theirs", other: true).status == 0) }
        let one = try run("conflicts", "resolve", ids[0], "--mine", "--pdf", path)
        #expect(one.status == 0 && one.messages.contains("1 annotation not written"), "\(one.messages)")
        let last = try run("conflicts", "resolve", ids[1], "--theirs", "--pdf", path)
        #expect(last.status == 0 && last.messages.isEmpty, "\(last.messages)")
    }

    @Test func whatIsNoFileIsNamedAsWhatItIs() throws {
        let (pipe, folder) = (home.path + "/pipe", home.path + "/folder")
        try #require(mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for (words, reason) in [
            (["add", path, "--file", pipe, "--page", "1"], "\(pipe) is not a regular file"),
            (["add", path, "--file", folder, "--page", "1"], "\(folder) is not a regular file"),
            (["add", path, "--file", home.path + "/none", "--page", "1"], "No such file or directory"),
            (["merge", pipe, path, "-o", home.path + "/out.pdf"], "\(pipe) is not a regular file"),
            (["write", path, "--to", folder], "not written: it is a folder"),
            (["write", path, "--to", folder, "--force"], "not written: it is a folder"),
            (["write", path, "--to", home.path + "/none/copy.pdf"], "not written: its folder does not exist"),
        ] {
            let answer = try run(words)
            #expect(answer.status == 1 && answer.messages.contains(reason), "\(answer.messages)")
        }
    }

    /// A shell's `<(…)` is a pipe, whose bytes come only once.
    @Test func aFileIsImportedFromAPipe() throws {
        let (pipe, xfdf) = (home.path + "/pipe", home.path + "/notes.xfdf")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(try run("add", path, "--note", "From afar", "--page", "1", other: true).status == 0)
        let made = try run("export", path, "--format", "xfdf", other: true)
        try original.write(to: URL(filePath: path))
        try Data(made.output.utf8).write(to: URL(filePath: xfdf))
        let writer = Process()
        writer.executableURL = URL(filePath: "/bin/sh")
        writer.arguments = ["-c", "cat '\(xfdf)' > '\(pipe)'"]
        try writer.run()
        let imported = try run("import", pipe, "--pdf", path)
        writer.waitUntilExit()
        #expect(imported.status == 0, "\(imported.messages)")
        #expect(try texts(other: true).contains("From afar"))
    }

    /// What is kept of a file that is gone is not published with a fresh copy of the same bytes.
    @Test func aFreshCopyGetsNothingThatIsKeptOfAMissingFile() throws {
        #expect(try run("add", path, "--note", "not for others", "--page", "1", "--no-write").status == 0)
        let (elsewhere, copy) = (home.path + "/elsewhere.pdf", home.path + "/copy.pdf")
        try #require(rename(path, elsewhere) == 0)
        try original.write(to: URL(filePath: copy))
        let added = try run("add", copy, "--note", "for others", "--page", "1")
        #expect(added.status == 0 && added.messages.contains("has changes that are not in it"), "\(added.messages)")
        let list = try run("list", copy, "--format", "ndjson", other: true).output
        #expect(list.contains("for others") && !list.contains("not for others"), "\(list)")
        // As the message says.
        #expect(try run("write", path, "--to", copy, "--force").status == 0)
        #expect(try run("list", copy, "--format", "ndjson", other: true).output.contains("not for others"))
        // The file itself has it all the same.
        #expect(try run("list", elsewhere).messages.contains("its changes come along"))
    }

    @Test func anAttachedFileComesBackFromThePDF() throws {
        let file = try home.write("words.txt", "words")
        let id = try run("add", path, "--file", file, "--page", "1").output.trimmingCharacters(in: .newlines)
        for copy in [path, home.path + "/copy.pdf"] {
            if copy != path { try FileManager.default.copyItem(atPath: path, toPath: copy) }
            let target = copy + ".saved"
            let saved = try run("save-file", id, "--pdf", copy, "--output", target)
            #expect(saved.status == 0, "\(saved.messages)")
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "words")
            let xfdf = try run("export", copy, "--format", "xfdf")
            #expect(xfdf.status == 0 && !xfdf.messages.contains("left out"), "\(xfdf.messages)")
        }
    }

    @Test func theOutboxOfANewMachineIsEmpty() throws {
        let answer = try run("outbox")
        #expect(answer.status == 0 && answer.messages == "no unsent edits\n", "\(answer.messages)")
        #expect(try run("add", path, "--note", "Kept", "--page", "1", "--no-write").status == 0)
        let kept = try run("outbox")
        #expect(kept.status == 0 && kept.messages.contains("1 change kept"), "\(kept.messages)")
    }

    @Test func aBadLineKeepsNoneOfTheGoodOnesOutOfTheFile() throws {
        func note(_ text: String) -> String {
            #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[10,10,32,32],"text":"\#(text)"}"#
        }
        let added = try run("add", path, "--ndjson", input: note("one") + "\nbad\n" + note("two") + "\n")
        #expect(added.status == 1 && added.messages.contains("1 of 3 records not added"), "\(added.messages)")
        var seen = try texts(other: true)
        #expect(seen.contains("\"one\"") && seen.contains("\"two\""))
        let id = try #require(added.output.split(separator: "\"").dropFirst(3).first.map(String.init))
        let edited = try run(
            "edit", "--ndjson", "--pdf", path,
            input: "{\"id\":\"\(id)\",\"text\":\"changed\"}\n{\"id\":\"none\",\"text\":\"x\"}\n")
        #expect(edited.status != 0 && edited.messages.contains("1 of 2 records not changed"), "\(edited.messages)")
        seen = try texts(other: true)
        #expect(seen.contains("\"changed\"") && !seen.contains("\"one\""))
        // All ids are checked before the first is deleted.
        let deleted = try run("delete", "-", "--pdf", path, input: "\(id)\nnone\n")
        #expect(deleted.status == 1 && deleted.messages.contains("nothing deleted"), "\(deleted.messages)")
        #expect(try texts().contains("\"changed\"") && texts(other: true).contains("\"changed\""))
        let kept = try run("add", path, "--ndjson", "--no-write", input: note("three") + "\nbad\n")
        #expect(kept.status == 1 && kept.messages.contains("1 change kept, not in the file"), "\(kept.messages)")
        #expect(try !texts(other: true).contains("\"three\""))
    }

    @Test func aFileThatCannotBeOpenedFailsInPlainMode() throws {
        let text = try home.write("notes.pdf", "no PDF at all")
        let outcome = try run("open", "--plain", text)
        #expect(outcome.status == 1, "\(outcome.output)\(outcome.messages)")
        #expect(outcome.output.hasPrefix("Cannot open this file: \(text)"), "\(outcome.output)")
    }
}
