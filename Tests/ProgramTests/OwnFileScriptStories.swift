import Foundation
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
