import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandWatchStories {
    let engine: EngineProcess
    let ana: Person
    let ben: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        ben = try Person("ben", at: engine)
    }

    private func watch(_ more: [String] = []) throws -> RunningCommand {
        let command = try RunningCommand(["watch"] + more, environment: ana.environment.merging(ana.scripting) { $1 })
        try command.see(#""event":"ready""#)
        return command
    }

    @Test func everyChangeIsALine() throws {
        let watch = try watch()
        let id = try ben.note("From ben")
        try watch.see("From ben")
        #expect(try ben.script("edit", id, "--text", "Better").status == 0)
        try watch.see("Better")
        #expect(try ben.script("delete", id).status == 0)
        try watch.see(#""event":"deleted""#)
        watch.interrupt()
        #expect(try watch.waitForExit() == 130)
        let lines = try Program.Outcome(status: 0, output: watch.output, messages: "").objects()
        #expect(lines.map { $0["event"] as? String } == ["ready", "created", "updated", "deleted"])
        #expect(lines.first?["records"] as? Int == 1)
        #expect(lines.dropFirst().allSatisfy { $0["id"] as? String == id })
        #expect(lines[1]["author"] as? String == "ben")
        let revisions = lines.compactMap { $0["revision"] as? Int }
        #expect(revisions.count == 4 && revisions == revisions.sorted() && Set(revisions).count == 4)
        #expect(watch.messages == "")
    }

    /// Swift's `==` takes both ids for the same text.
    @Test func recordsWhoseIDsLookAlikeAreTwo() throws {
        let watch = try watch()
        for (id, text) in [("caf\u{E9}", "composed"), ("cafe\u{301}", "decomposed")] {
            let note: [String: Any] = [
                "type": "pspdfkit/note", "v": 1, "pageIndex": 0, "bbox": [1, 2, 3, 4], "text": text,
            ]
            try engine.create(note, id: id)
            try watch.see("\"\(text)\"")
        }
        watch.interrupt()
        #expect(try watch.waitForExit() == 130)
        let lines = try Program.Outcome(status: 0, output: watch.output, messages: "").objects()
        #expect(lines.map { $0["event"] as? String } == ["ready", "created", "created"])
    }

    @Test func aBrokenConnectionIsMadeAgainAndNothingIsMissed() throws {
        let watch = try watch()
        engine.kill()
        try watch.hear("retrying")
        try engine.start()
        _ = try ben.note("After the break")
        try watch.see("After the break")
        try watch.hear("reconnected")
        #expect(watch.output.components(separatedBy: "After the break").count == 2)
    }

    @Test func whatWasMissedComesFirst() throws {
        let (one, two) = (try ben.note("One"), try ben.note("Two"))
        let first = try watch()
        first.interrupt()
        #expect(try first.waitForExit() == 130)
        let ready = try Program.Outcome(status: 0, output: first.output, messages: "").objects().first
        let revision = try #require(ready?["revision"] as? Int)
        #expect(try ben.script("edit", one, "--text", "Eins").status == 0)
        #expect(try ben.script("delete", two).status == 0)
        let three = try ben.note("Three")
        let second = try watch(["--since", "\(revision)"])
        let four = try ben.note("Four")
        try second.see("Four")
        second.interrupt()
        #expect(try second.waitForExit() == 130)
        let lines = try Program.Outcome(status: 0, output: second.output, messages: "").objects()
        #expect(lines.map { $0["event"] as? String } == ["updated", "deleted", "updated", "ready", "created"])
        #expect(lines.map { $0["id"] as? String } == [one, two, three, nil, four])
        let ahead = try ana.script("watch", "--since", "999999")
        #expect(ahead.status == 1 && ahead.output == "" && ahead.messages.contains("no longer knows"))
    }

    @Test func theTokensSourceIsAskedAgain() throws {
        let watch = try watch()
        let old = ana.token
        try ana.give(try engine.token("ana"))
        try engine.revoke(old)
        _ = try ben.note("With a new token")
        try watch.see("With a new token")
        #expect(!watch.messages.contains(old) && !watch.output.contains(ana.token))
    }

    /// Either command may take over the sync that the other started.
    @Test func besideAWatchOfTheSameDataEverythingElseWorks() throws {
        let watch = try watch()
        let id = try ana.note("Through the watch")
        try watch.see("Through the watch")
        #expect(try engine.records().contains("Through the watch"))
        #expect(try ana.script("delete", id).status == 0)
        try watch.see(#""event":"deleted""#)
    }

    @Test func aReaderThatGoesAwayEndsIt() throws {
        let run = try Program.run(
            ["-c", #""$0" watch | head -n 1"#, Program.path],
            environment: ana.environment.merging(ana.scripting) { $1 }, executable: "/bin/sh")
        #expect(run.status == 0 && run.lines.count == 1 && run.messages == "")
    }

    @Test func aServerThatIsNotThereIsAnExitCode() throws {
        engine.kill()
        #expect(try ana.script("watch").status == 5)
    }
}
