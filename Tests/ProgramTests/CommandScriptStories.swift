import Foundation
import TestSupport
import TestThreads
import Testing

/// What scripts expect of commands: ids from pipes and beginnings of ids, chosen members, silence, time limits.
@Suite(.onOwnThreads)
struct CommandScriptStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    // MARK: Ids

    @Test func anIDMayBeShortened() throws {
        let id = try ana.note("One")
        try engine.create(Self.note("Two"), id: "twin-aaaa")
        try engine.create(Self.note("Three"), id: "twin-aabb")
        for word in [String(id.prefix(25)), String(id.prefix(25)) + "…", String(id.prefix(25)) + "..."] {
            #expect(try ana.script("show", word).output.contains("text        One"))
        }
        let several = try ana.script("show", "twin-aa")
        #expect(several.status == 64)
        #expect(several.messages.contains("twin-aa is the beginning of 2 ids: twin-aaaa, twin-aabb"))
        #expect(try ana.script("edit", "twin-aab", "--text", "Changed").status == 0)
        #expect(try ana.script("delete", "twin-aaa").status == 0)
        let left = try engine.records()
        #expect(left.contains("Changed") && !left.contains("\"Two\""))
        // Only one is left, so that more of them fit.
        #expect(try ana.script("show", "twin-a").status == 0)
        #expect(try ana.script("show", "twi").status == 1, "three letters are too short")
    }

    /// The whole id counts, even if it begins others; decimal ids are never completed.
    @Test func anIDIsNotTakenForTheBeginningOfAnother() throws {
        try engine.create(Self.note("Short"), id: "abcd")
        try engine.create(Self.note("Long"), id: "abcdef")
        try engine.create(Self.note("Number"), id: "123456")
        #expect(try ana.script("show", "abcd").output.contains("Short"))
        #expect(try ana.script("delete", "12345").status == 1)
        #expect(try engine.records().contains("Number"))
    }

    @Test func idsComeFromAPipe() throws {
        let ids = try ["One", "Two", "Three"].map { try ana.note($0) }
        let shown = try ana.script("show", "-", "--json", "id", input: ids[0] + "\n\n" + ids[2] + "\n")
        #expect(shown.status == 0 && shown.output.contains(ids[2]) && !shown.output.contains(ids[1]))
        let records = try ana.script("list", "--text", "Two", "--format", "ndjson").output
        #expect(try ana.script("edit", "-", "--text", "2", input: records).status == 0)
        #expect(try engine.records().contains("\"2\""))
        #expect(try ana.script("delete", "-", input: records + ids[0] + "\n").status == 0)
        let left = try engine.records()
        #expect(left.contains("Three") && !left.contains("One") && !left.contains("\"2\""))
        let none = try ana.script("delete", "-", input: "")
        #expect(none.status == 0 && none.messages == "no ids: nothing deleted\n")
        let wrong = try ana.script("delete", "-", input: ids[2] + "\n{\"text\":1}\n")
        #expect(wrong.status == 1 && wrong.messages.contains("standard input:2: the record has no \"id\""))
        #expect(try engine.records().contains("Three"))
        #expect(try ana.script("delete").status == 64)
        #expect(try ana.script("delete", "-", ids[2]).status == 64)
    }

    @Test func manyRecordsAreEditedThroughAPipe() throws {
        let (one, two) = (try ana.note("One"), try ana.note("Two"))
        let content = Self.text(Self.note("Whole"))
        let lines = [
            #"{"id":"\#(one)","text":"Eins"}"#, "", #"{"id":"\#(two)","content":\#(content)}"#,
            #"{"id":"nope","text":"x"}"#,
            #"{"id":"\#(one)"}"#, "{", #"{"id":"\#(one)","text":"Eins"}"#,
        ]
        let run = try ana.script("edit", "--ndjson", input: lines.joined(separator: "\n") + "\n")
        #expect(run.status == 6, "\(run.messages)")
        let answers = try run.objects()
        #expect(
            answers.map { $0["status"] as? String } == [
                "applied", "applied", "conflict", "invalid", "invalid", "applied",
            ])
        #expect(answers.map { $0["id"] as? String }.prefix(3) == [one, two, "nope"])
        let left = try engine.records()
        #expect(left.contains("Eins") && left.contains("Whole"))
        #expect(try ana.script("edit", "--ndjson", one).status == 64)
        #expect(try ana.script("edit", one, two, "--content", "-").status == 64)
    }

    @Test func idsAreSeparatedByNULs() throws {
        let ids = try ["One", "Two"].map { try ana.note($0) }
        let run = try ana.script("list", "--order", "newest", "--print0")
        #expect(Set(run.output.split(separator: "\0").map(String.init)) == Set(ids + ["10"]))
        #expect(run.output.hasSuffix("\0") && !run.output.contains("\n"))
    }

    // MARK: Output

    @Test func membersAreChosen() throws {
        let id = try ana.note("One", page: 2)
        let array = try ana.script("list", "--json", "id,page,text,content.type,content.none,group").output
        let values = try JSONSerialization.jsonObject(with: Data(array.utf8)) as? [[String: Any]]
        let first = try #require(values?.first { $0["id"] as? String == id })
        #expect(first["page"] as? Int == 2 && first["text"] as? String == "One")
        #expect(first["content.type"] as? String == "pspdfkit/note")
        #expect(first["content.none"] is NSNull && first["group"] is NSNull && first.count == 6)
        let line = try ana.script("show", id, "--json", "author", "--format", "ndjson")
        #expect(line.output == "{\"author\":\"Ana\"}\n")
        let wrong = try ana.script("list", "--json", "id,colour")
        #expect(wrong.status == 64 && wrong.output == "")
        #expect(wrong.messages.contains("no member colour; there are id, page, kind,"))
        #expect(try ana.script("list", "--json", "id", "--format", "tsv").status == 64)
        let layers = try ana.script("storage", "list", "--json", "document,title,unsent")
        #expect(layers.output.contains(#"{"document":"paper","title":"#))
    }

    @Test func noticesAreSilenced() throws {
        let id = try ana.note("One")
        #expect(try ana.script("edit", id, "--text", "One").messages == "no changes\n")
        #expect(try ana.script("edit", id, "--text", "One", "--quiet").messages == "")
        #expect(try ana.script("edit", id, "--text", "One", "-q").messages == "")
        let failed = try ana.script("show", "nope", "-q")
        #expect(failed.status == 1 && failed.messages.contains("no annotation nope"))
    }

    @Test func theProgramSpeaksWithOneVoice() throws {
        let run = try ana.script("list", "--nope")
        #expect(run.status == 64 && run.messages.hasPrefix("postilla: Unknown option '--nope'"))
        let empty = try ana.script("add", "--note", " ", "--page", "1")
        #expect(empty.status == 64 && empty.messages.contains("--note needs a text."))
    }

    @Test func aSilentServerIsGivenUpInTime() throws {
        let silent = try SilentServer()
        let run = try ana.run(
            ["list", "--server", silent.url, "--timeout", "1s"], environment: ["POSTILLA_TOKEN_FILE": ana.tokenFile])
        #expect(run.status == 5 && run.messages.contains("did not answer within 1 s"), "\(run.messages)")
        #expect(try ana.script("list", "--timeout", "0s").status == 64)
    }

    /// `postilla list | head -1`, as a shell sees it.
    @Test func aClosedPipeEndsACommandByItsSignal() throws {
        for number in 0..<40 { try engine.create(Self.note(String(repeating: "x", count: 4000)), id: "n\(number)") }
        let run = try Program.run(
            ["-c", "set -o pipefail; \(Program.path) list --format ndjson | head -c 10 >/dev/null; echo $?"],
            environment: ana.environment.merging(ana.scripting) { $1 }, executable: "/bin/bash")
        #expect(run.output == "141\n" && run.messages == "", "\(run.messages)")
    }

    @Test func aClosedDescriptorIsAnError() throws {
        for (closed, status) in [(">&-", 1), ("<&-", 0), ("2>&-", 0)] {
            let run = try Program.run(
                ["-c", "\(Program.path) list \(closed)"],
                environment: ana.environment.merging(ana.scripting) { $1 }, executable: "/bin/sh")
            #expect(run.status == status, "\(closed) \(run.messages)")
            if status == 1 {
                #expect(run.messages == "postilla: cannot write to standard output: Bad file descriptor\n")
            }
        }
    }

    // MARK: Exit codes

    @Test func exitCodesSayWhatHappened() throws {
        #expect(try ana.script("list", "--server", "http://example.com").status == 64)
        let token = try engine.token { $0.document = "nowhere" }
        let unknown = try ana.run(
            ["list", "--server", engine.url, "--token-stdin"], input: token + "\n")
        #expect(unknown.status == 1, "\(unknown.messages)")
        let missing = try ana.script("diff", "nope.json", "nope.json")
        #expect(missing.status == 2 && missing.messages.contains("cannot read nope.json"))
        let command = try ana.run(
            ["list", "--token-command", "exit 3"], environment: ["POSTILLA_SERVER": engine.url])
        #expect(command.status == 3 && command.messages.contains("failed with exit code 3"))
    }

    static func note(_ text: String) -> [String: Any] {
        ["type": "pspdfkit/note", "v": 1, "pageIndex": 0, "bbox": [1, 2, 3, 4], "text": text]
    }

    private static func text(_ object: [String: Any]) -> String {
        String(decoding: (try? JSONSerialization.data(withJSONObject: object)) ?? Data(), as: UTF8.self)
    }
}
