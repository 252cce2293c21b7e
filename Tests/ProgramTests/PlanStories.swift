import Foundation
import TestSupport
import TestThreads
import Testing

/// `--dry-run` prints a plan; `apply` carries it out only if nothing changed since.
@Suite(.onOwnThreads)
struct PlanStories {
    let engine: EngineProcess
    let ana: Person
    let ben: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        ben = try Person("ben", at: engine)
    }

    private func plan(_ arguments: String..., input: String = "") throws -> String {
        let run = try ana.run(arguments + ["--dry-run"], input: input, environment: ana.scripting)
        guard run.status == 0 else { throw StoryError("\(arguments): \(run.status) \(run.messages)") }
        return run.output
    }

    @Test func everyKindOfChangeIsPlannedAndApplied() throws {
        let (note, other) = (try ana.note("One"), try ana.note("Two"))
        let before = try engine.records()
        let file = try ana.home.write("table.csv", "a,b\n")
        let plans = [
            try plan("add", "--note", "New", "--page", "2"), try plan("add", "--file", file, "--page", "1"),
            try plan("edit", note, "--text", "Eins"), try plan("reply", note, "--text", "Answer"),
            try plan("state", note, "accepted"), try plan("delete", other),
        ]
        #expect(try engine.records() == before, "a dry run changes nothing")
        // The reply and the state name the root as it was before the edit: the edit comes last.
        for index in [0, 1, 3, 4, 2, 5] {
            let run = try ana.script("apply", "-", input: plans[index])
            #expect(run.status == 0, "\(plans[index]) \(run.messages)")
            #expect(try run.objects().allSatisfy { $0["status"] as? String == "applied" })
        }
        let after = try engine.records()
        for text in ["New", "table.csv", "Eins"] { #expect(after.contains(text)) }
        #expect(!after.contains("\"Two\""))
        let comments = try ana.script("comments", note, "--json", "text,review").output
        #expect(comments.contains("Answer"))
        #expect(try ana.script("list", "--resolved", "--json", "id").output.contains(note))
        let attached = try #require(
            try ana.script("list", "--kind", "attached-file", "--json", "id", "--format", "ndjson")
                .objects().first?["id"] as? String)
        #expect(try ana.script("save-file", attached, "--output", ana.home.path + "/saved.csv").status == 0)
        #expect(try String(contentsOfFile: ana.home.path + "/saved.csv", encoding: .utf8) == "a,b\n")
    }

    @Test func nothingIsAppliedIfOneRecordHasChanged() throws {
        let ids = try ["One", "Two", "Three"].map { try ana.note($0) }
        let plan = try plan("delete", ids[0], ids[1], ids[2])
        #expect(try ben.script("edit", ids[1], "--text", "Zwei").status == 0)
        let run = try ana.script("apply", "-", input: plan)
        #expect(run.status == 6 && run.output == "")
        #expect(run.messages == "postilla: \(ids[1]): changed\nNothing changed; make a new plan\n")
        #expect(try ids.allSatisfy(engine.records().contains))
    }

    @Test func aPlanKnowsWhatWasDeletedAddedOrAnswered() throws {
        let (gone, root) = (try ana.note("Gone"), try ana.note("Root"))
        let edit = try plan("edit", gone, "--text", "Changed")
        let delete = try plan("delete", root)
        let create = try plan("add", "--content", try ana.home.write("note.json", Self.record("taken")))
        #expect(try ben.script("delete", gone).status == 0)
        #expect(try ben.script("reply", root, "--text", "Wait").status == 0)
        try engine.create(CommandScriptStories.note("First"), id: "taken")
        for (plan, why) in [
            (edit, "\(gone): deleted"), (delete, "\(root): its thread has changed"), (create, "taken: exists already"),
        ] {
            let run = try ana.script("apply", "-", input: plan)
            #expect(run.status == 6 && run.messages.contains(why), "\(run.messages)")
        }
        #expect(try engine.records().contains("Root"))
    }

    @Test func aPlanIsForOneLayer() throws {
        let id = try ana.note("One")
        let plan = try plan("delete", id)
        try engine.upload(.paper(), document: "other")
        let token = try engine.token { $0.document = "other" }
        let elsewhere = try Person("eve", at: engine, token: token)
        #expect(try elsewhere.script("apply", "-", input: plan).status == 64)
        let generation = try #require(plan.firstMatch(of: #/"generation":"([^"]+)"/#)).1
        let again = try ana.script("apply", "-", input: plan.replacing(generation, with: "0123456789abcdef"))
        #expect(again.status == 6 && again.messages.contains("recreated or restored"), "\(again.messages)")
    }

    @Test func whatIsNotAllowedIsNotPlanned() throws {
        let id = try ana.note("One")
        let token = try engine.token("sam", reading: true)
        let sam = try Person("sam", at: engine, token: token)
        for arguments in [["delete", id], ["edit", id, "--text", "x"], ["reply", id, "--text", "x"]] {
            let run = try sam.run(arguments + ["--dry-run"], environment: sam.scripting)
            #expect(run.status == 4 && run.output == "", "\(arguments) \(run.output)")
        }
        #expect(try ana.script("add", "--ndjson", "--dry-run").status == 64)
    }

    @Test func anImportIsPlanned() throws {
        let id = try ana.note("One")
        _ = try ana.note("Two")
        let export = try ana.script("export", "--format", "instant-json").output
        #expect(try ana.script("edit", id, "--text", "Eins").status == 0)
        let file = try ana.home.write("review.json", export)
        let path = ana.home.path + "/plan"
        let planned = try ana.script("import", file, "--plan", path)
        #expect(
            planned.status == 0 && planned.messages.contains("dry run: 0 created, 1 updated,"), "\(planned.messages)")
        let run = try ana.script("apply", path)
        #expect(run.status == 0 && run.lines.count == 1, "\(run.messages)")
        #expect(try engine.records().contains("One"))
        let nothing = try ana.script("import", file, "--dry-run")
        #expect(nothing.messages.contains("0 created, 0 updated,"), "\(nothing.messages)")
    }

    /// A dry run knows of deleted ids, as the import itself.
    @Test func aDryRunPromisesNoDeletedRecord() throws {
        let id = try ana.note("One")
        let file = try ana.home.write("review.json", try ana.script("export", "--format", "instant-json").output)
        #expect(try ana.script("delete", id).status == 0)
        let dry = try ana.script("import", file, "--dry-run", "--format", "ndjson")
        let real = try ana.script("import", file, "--format", "ndjson")
        #expect(dry.status == 6 && real.status == 6, "\(dry.messages)")
        let words = try [dry, real].map { try $0.objects().map { "\($0["action"] ?? "") \($0["status"] ?? "")" } }
        #expect(words[0].first?.hasSuffix("conflict") == true && words[1].first?.hasSuffix("conflict") == true)
    }

    @Test func aPlanThatIsNoneIsRefused() throws {
        _ = try ana.note("One")
        for (text, why) in [
            ("", ": this is not a plan"), ("{}\n", "is not a plan"), ("x\n", "standard input"),
            (#"{"plan":2,"document":"paper","layer":"review","generation":"x","revision":1}"#, "has version 2"),
            (
                #"{"plan":1,"document":"paper","layer":"review","generation":"x","revision":1}"#
                    + "\n{\"op\":\"drop\"}", ":2: "
            ),
        ] {
            let run = try ana.script("apply", "-", input: text)
            #expect(run.status == 1 && run.messages.contains(why), "\(text): \(run.messages)")
        }
        let help = try ana.run(["apply", "--help"]).output
        #expect(help.contains("--token-file") && help.contains("--offline"))
        #expect(!help.contains("--pdf") && !help.contains("--no-write"))
        let pdf = try ana.home.write("own.pdf", SmallPDF.paper().bytes)
        let own = try ana.run(["add", pdf, "--note", "x", "--page", "1", "--dry-run"])
        #expect(own.status == 64 && own.messages.contains("not for a PDF"), "\(own.messages)")
    }

    private static func record(_ id: String) -> String {
        #"{"id":"\#(id)","content":{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[1,2,3,4],"text":"Mine"}}"#
    }
}
