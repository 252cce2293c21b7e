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

    /// It would receive no more changes.
    @Test func aLayerWhoseStorageIsRemovedIsNotWatchedInSilence() throws {
        let watch = try watch()
        let places = Folder.paths(below: ana.home.path, named: "layer.sqlite")
        let place = try #require(places.first).split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.removeItem(atPath: "/" + place)
        #expect(try watch.waitForExit() == 1)
        #expect(watch.messages.contains("the local storage was removed"), "\(watch.messages)")
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

    // MARK: Generations

    /// Puts the server back to where it is now, after some changes.
    private func restore(after changes: () throws -> Void) throws {
        engine.stop()
        let backup = engine.database + ".backup"
        try FileManager.default.copyItem(atPath: engine.database, toPath: backup)
        try engine.start()
        try changes()
        engine.stop()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: engine.database + end) }
        try FileManager.default.moveItem(atPath: backup, toPath: engine.database)
        try engine.start()
    }

    private func lines(_ watch: RunningCommand) throws -> [[String: Any]] {
        watch.interrupt()
        #expect(try watch.waitForExit() == 130)
        return try Program.Outcome(status: 0, output: watch.output, messages: "").objects()
    }

    @Test func aRestoredServerBeginsAnotherGeneration() throws {
        let (one, same) = (try ben.note("One"), try ben.note("Same"))
        let watch = try watch()
        var two = ""
        try restore {
            #expect(try ben.script("edit", one, "--text", "Eins").status == 0)
            two = try ben.note("Two")
            try watch.see("Two")
        }
        try watch.see(#"{"event":"rolled-back","generation""#)
        // It gets the revision that the lost note had.
        let three = try ben.note("Three")
        try watch.see("Three")
        let lines = try lines(watch)
        let generations = lines.map { $0["generation"] as? String }
        #expect(generations.allSatisfy { $0 != nil })
        let events = lines.map { $0["event"] as? String }
        #expect(events == ["ready", "updated", "created", "updated", "rolled-back", "rolled-back", "created"])
        #expect(lines.map { $0["id"] as? String } == [nil, one, two, one, two, nil, three])
        #expect(!lines.contains { $0["id"] as? String == same })
        // A script that stops before the last line of the restore begins again before it.
        #expect(Set(generations.prefix(5)).count == 1 && Set(generations.dropFirst(5)).count == 1)
        #expect(generations[0] != generations[5])
        #expect(Set(lines[2...4].map { $0["revision"] as? Int }).count == 1)
        #expect(lines[5]["records"] as? Int == 3)
    }

    /// Nothing that a token sees has changed, but the next revisions mean something else.
    @Test func aRestoredServerWithTheSameRecordsIsNamedToo() throws {
        _ = try ben.note("One")
        let watch = try watch()
        try restore {}
        try watch.see(#"{"event":"rolled-back","generation":"#)
        #expect(try lines(watch).map { $0["event"] as? String } == ["ready", "rolled-back"])
    }

    @Test func aRevisionCountsInItsGenerationOnly() throws {
        func ready(_ arguments: String...) throws -> [String: Any] {
            try #require(lines(watch(arguments)).last { $0["event"] as? String == "ready" })
        }
        func refused(_ since: String) throws -> String {
            let run = try ana.script("watch", "--since", since)
            #expect(run.status == 1 && run.output == "", "\(since): \(run.output)")
            return run.messages
        }
        _ = try ben.note("One")
        let before = try ready()
        let (earlier, known) = (try #require(before["generation"] as? String), try #require(before["revision"] as? Int))
        #expect(try ready("--since", "\(known)")["generation"] as? String == earlier)
        var lost = 0
        try restore {
            for n in 1...3 { _ = try ben.note("Lost \(n)") }
            lost = try #require(try ready()["revision"] as? Int)
        }
        for n in 1...4 { _ = try ben.note("New \(n)") }
        #expect(try refused("\(known)").contains("--since GENERATION.\(known)"))
        #expect(try refused("\(earlier).\(lost)").contains("only up to revision \(known)"))
        #expect(try refused("0123456789abcdef.1").contains("nothing of generation 0123456789abcdef"))
        let all = try lines(watch(["--since", "\(earlier).\(known)"]))
        #expect(all.map { $0["event"] as? String } == ["updated", "updated", "updated", "updated", "ready"])
        let (present, last) = (try #require(all[4]["generation"] as? String), try #require(all[1]["revision"] as? Int))
        #expect(try lines(watch(["--since", "\(present).\(last)"])).count == 3)
        for wrong in ["x", "-1", "\(present).", ".3", "\(present).x"] {
            let run = try ana.script("watch", "--since=\(wrong)")
            #expect(run.status == 64 && run.messages.contains("GENERATION.REVISION"), "\(wrong): \(run.messages)")
        }
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
