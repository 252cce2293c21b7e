import Foundation
import TestSupport
import TestThreads
import Testing

/// Replies to any annotation, and review states, by command.
@Suite(.onOwnThreads)
struct CommandStateStories {
    let engine: EngineProcess
    let ana: Person
    let ben: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        ben = try Person("ben", at: engine)
    }

    @Test func aStateIsSetListedAndTakenBack() throws {
        let note = try ana.note("Please check")
        let other = try ana.note("Another")
        #expect(try ben.script("reply", note, "--text", "I will").status == 0)
        let set = try ben.script("state", note, "accepted")
        #expect(set.status == 0 && set.lines.count == 1, "\(set.messages)")
        let resolved = try ana.script("list", "--resolved", "--format", "tsv")
        #expect(resolved.lines.first?.hasSuffix("\ttext\treview") == true)
        #expect(resolved.lines.dropFirst().map { $0.split(separator: "\t").last } == ["accepted"])
        #expect(try ana.script("list").output.contains("Please check [accepted]"))
        #expect(try ana.script("list", "--state", "accepted", "--format", "ndjson").lines.count == 1)
        let open = try ana.script("list", "--open", "--kind", "note", "--format", "ndjson").objects()
        #expect(open.contains { $0["id"] as? String == other } && !open.contains { $0["id"] as? String == note })
        let shown = try ana.script("show", note).output
        #expect(shown.contains("review      accepted by Ben") && shown.contains("comments    1"), "\(shown)")
        // The newest state counts, regardless of who set it.
        #expect(try ana.script("state", set.lines[0], "none").status == 0)
        #expect(try ana.script("list", "--resolved", "--format", "tsv").lines.count == 1)
        #expect(try ana.script("state", note, "fine").status == 64)
        #expect(try ana.script("list", "--resolved", "--open").status == 64)
        // No one changes what another person decided.
        let theft = try ana.script("edit", set.lines[0], "--text", "Rejected")
        #expect(theft.status == 4 && theft.messages.contains("only the person who set a state"), "\(theft.messages)")
    }

    @Test func exportsCarryThreadsAndStates() throws {
        let note = try ana.note("Please check")
        #expect(try ben.script("reply", note, "--text", "I will").status == 0)
        #expect(try ben.script("state", note, "completed").status == 0)
        let markdown = try ana.script("export", "--format", "markdown").output
        #expect(markdown.contains("- **note** (completed) by Ana"), "\(markdown)")
        #expect(markdown.contains("  - **comment** by Ben") && markdown.contains("  - **state: completed** by Ben"))
        let csv = try ana.script("export", "--format", "csv").output.components(separatedBy: "\r\n")
        #expect(csv.first?.hasSuffix("words,text,state") == true)
        #expect(csv.contains { $0.hasPrefix(note) && $0.hasSuffix("Please check,completed") }, "\(csv)")
        #expect(csv.contains { $0.contains(",\(note),") && $0.hasSuffix("Completed,completed") })
        #expect(csv.contains { $0.contains(",\(note),") && $0.hasSuffix("I will,") })
    }

    /// Each format, into another layer and back.
    @Test(arguments: ["instant-json", "xfdf"]) func repliesAndStatesTravel(format: String) throws {
        let note = try ana.note("Please check")
        #expect(try ana.script("reply", note, "--text", "I will").status == 0)
        #expect(try ana.script("state", note, "completed").status == 0)
        let file = ana.home.path + "/layer." + format
        #expect(try ana.script("export", "--format", format, "-o", file).status == 0)
        let again = try ana.script("import", file)
        #expect(again.status == 0, "\(again.messages)")
        #expect(try ana.script("comments", note, "--format", "ndjson").lines.count == 2, "\(again.messages)")
        let copy = try engine.token {
            $0.layer = "copy"
            $0.user = "carla"
        }
        let carla = try Person("carla", at: engine, token: copy)
        let copied = try carla.script("import", file)
        #expect(copied.status == 0, "\(copied.messages)")
        #expect(try carla.script("list", "--state", "completed", "--format", "tsv").lines.count == 2)
        #expect(try carla.script("comments", note, "--format", "ndjson").lines.count == 2)
    }
}
