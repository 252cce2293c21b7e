import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandOfflineStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        _ = try ana.script("sync")
    }

    /// Without server and token, a command uses the only local layer.
    private func bare(_ arguments: String...) throws -> Program.Outcome { try ana.run(arguments) }

    @Test func whatIsEditedOfflineWaitsAndIsSentByTheNextSync() throws {
        engine.kill()
        #expect(try ana.script("list").status == 5)
        #expect(try bare("list", "--offline", "--format", "tsv").lines.count == 2)
        let added = try bare("add", "--note", "Written offline", "--page", "1", "--offline")
        #expect(added.status == 0 && added.messages.contains("sent by the next sync"), "\(added.messages)")
        let outbox = try bare("outbox", "--format", "ndjson").objects()
        #expect(outbox.count == 1)
        #expect(outbox.first?["edit"] as? String == "create" && outbox.first?["state"] as? String == "waiting")
        #expect(outbox.first?["id"] as? String == added.lines.first)
        try engine.start()
        let synced = try ana.script("sync", "--format", "json").objects().first
        #expect(synced?["waiting"] as? Int == 0 && synced?["annotations"] as? Int == 2)
        #expect(try engine.records().contains("Written offline"))
        #expect(try bare("outbox").messages.contains("no unsent edits"))
    }

    /// A layer name given with a token is binding: a contradiction is an error.
    @Test func namesThatContradictTheTokenAreAnErrorOfflineToo() throws {
        let id = try ana.note("Stays")
        let commands = [
            ["delete", id, "--offline"], ["edit", id, "--text", "Changed", "--offline"], ["outbox"],
            ["list", "--offline"], ["add", "--note", "x", "--page", "1", "--offline"],
        ]
        for command in commands {
            for name in [["--document", "another"], ["--layer", "zzz"], ["--user", "nobody"]] {
                let run = try ana.run(command + name, environment: ana.scripting)
                #expect(run.status == 3, "\(command) \(name): \(run.messages)")
                #expect(run.messages.contains("the token is for a different document, layer or user"))
            }
            let other = try ana.run(
                command + ["--server", "http://127.0.0.1:1"],
                environment: ["POSTILLA_TOKEN_FILE": ana.tokenFile])
            #expect(other.status == 1 && other.messages.contains("no such layer"), "\(command): \(other.messages)")
        }
        #expect(try bare("outbox").messages.contains("no unsent edits"))
        #expect(try ana.listed().contains("Stays"))
    }

    /// The token given to a command decides its rights, whichever token the server accepted last.
    @Test func offlineEditsHaveTheRightsOfTheirOwnToken() throws {
        let reading = try ana.home.write("reading.jwt", try engine.token("ana", reading: true))
        func add(_ text: String, _ token: String) throws -> Program.Outcome {
            try ana.run(
                ["add", "--note", text, "--page", "1", "--offline"], environment: ["POSTILLA_TOKEN_FILE": token])
        }
        let refused = try add("By a reader", reading)
        #expect(refused.status == 4 && refused.messages.contains("read-only"), "\(refused.messages)")
        let script = ["POSTILLA_SERVER": engine.url, "POSTILLA_TOKEN_FILE": reading]
        #expect(try ana.run(["list"], environment: script).status == 0)
        let added = try add("By a writer", ana.tokenFile)
        #expect(added.status == 0, "\(added.messages)")
        #expect(try ana.script("sync").status == 0)
        #expect(try engine.records().contains("By a writer"))
        #expect(try !engine.records().contains("By a reader"))
    }

    /// Without a token, only the names select a layer.
    @Test func whatIsNotOnThisMachineIsSaid() throws {
        let id = try ana.note("Stays")
        for command in [["list", "--offline"], ["outbox"], ["delete", id, "--offline"]] {
            for name in [["--document", "nothere"], ["--layer", "nothere"], ["--user", "nothere"]] {
                let run = try ana.run(command + name)
                #expect(run.status == 1 && run.messages.contains("no such layer"), "\(run.messages)")
            }
        }
        #expect(try bare("outbox").messages.contains("no unsent edits"))
    }

    @Test func anEditThatLostIsListedAndSettled() throws {
        let ben = try Person("ben", at: engine)
        for (side, wins) in [("--mine", "of ana"), ("--theirs", "of ben")] {
            let id = try ana.note("The base")
            #expect(try ana.script("edit", id, "--text", "The text of ana", "--offline").status == 0)
            #expect(try ben.script("edit", id, "--text", "The text of ben").status == 0)
            let sync = try ana.script("sync")
            #expect(sync.status == 6 && sync.messages.contains("postilla conflicts"))
            let conflict = try #require(try bare("conflicts", "--format", "ndjson").objects().first)
            #expect(conflict["id"] as? String == id && conflict["refused"] as? Bool == false)
            #expect((conflict["mine"] as? [String: Any])?["text"] as? String == "The text of ana")
            let sides = ["base", "theirs"].map { (conflict[$0] as? [String: Any])?["content"] as? [String: Any] }
            #expect(sides.map { $0?["text"] as? String } == ["The base", "The text of ben"])
            #expect(try ana.script("conflicts", "resolve", id, side).status == 0)
            #expect(try engine.records().contains("The text \(wins)"))
            #expect(try bare("conflicts").messages.contains("no conflicts"))
            #expect(try ana.script("conflicts", "resolve", id, side).status == 1)
            #expect(try ana.script("delete", id).status == 0)
        }
    }

    /// Swift's `==` takes both ids for the same text: adding one must not drop the edit of the other.
    @Test func anEditThatLostStaysWhenARecordWithALookalikeIDIsAdded() throws {
        let ben = try Person("ben", at: engine)
        func add(_ id: String) throws -> Program.Outcome {
            let content = #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[1,2,3,4],"text":"The base"}"#
            return try ana.script("add", input: #"{"id":"\#(id)","content":\#(content)}"#)
        }
        let id = "caf\u{E9}"
        #expect(try add(id).status == 0)
        #expect(try ana.script("edit", id, "--text", "The text of ana", "--offline").status == 0)
        #expect(try ben.script("edit", id, "--text", "The text of ben").status == 0)
        #expect(try ana.script("sync").status == 6)
        #expect(try add("cafe\u{301}").status == 0)
        let conflict = try #require(try bare("conflicts", "--format", "ndjson").objects().first)
        #expect((conflict["id"] as? String).map { Array($0.utf8) } == Array(id.utf8))
        #expect(try ana.script("conflicts", "resolve", id, "--mine").status == 0)
        #expect(try engine.records().contains("The text of ana"))
    }

    @Test func anEditThatSomeoneElseWasFasterThanIsAConflict() throws {
        let ben = try Person("ben", at: engine)
        let id = try ana.note("The base")
        _ = try ben.script("sync")
        #expect(try ana.script("delete", id).status == 0)
        let late = try ben.script("edit", id, "--text", "Too late", "--offline")
        #expect(late.status == 0)
        #expect(try ben.script("sync").status == 6)
        let merged = try ana.home.write(
            "merged.json", #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[1,2,3,4],"text":"Merged"}"#)
        let settled = try ben.script("conflicts", "resolve", id, "--content", merged)
        #expect(settled.status == 0 && settled.lines.count == 1, "the deleted record has a new id")
        #expect(try engine.records().contains("Merged"))
    }

    @Test func storageIsListedCheckedAndRemovedWithConsent() throws {
        let listed = try bare("storage", "--format", "ndjson").objects()
        #expect(listed.count == 1)
        #expect(listed.first?["document"] as? String == "paper" && listed.first?["unsent"] as? Int == 0)
        #expect(try bare("storage", "check").status == 0)
        #expect(try bare("add", "--note", "Only here", "--page", "1", "--offline").status == 0)
        for arguments in [["--all"], ["--document", "paper"], ["--layer", "review", "--user", "ana"]] {
            let run = try ana.run(["storage", "remove"] + arguments)
            #expect(run.status == 1 && run.messages.contains("Only here"), "\(run.messages)")
            #expect(run.messages.contains("--discard-unsent"))
        }
        #expect(try ana.run(["storage", "remove", "--document", "other"]).status == 1)
        #expect(try bare("outbox", "--format", "ndjson").lines.count == 1)
        #expect(try ana.run(["storage", "remove", "--document", "paper", "--discard-unsent"]).status == 0)
        #expect(try bare("storage").messages.contains("no layers"))
        #expect(try bare("outbox").messages.contains("no unsent edits"))
        #expect(try ana.run(["outbox", "--document", "paper"]).status == 1)
    }

    @Test func aLayerThatIsOpenElsewhereIsNotRemoved() throws {
        let watch = try RunningCommand(["watch"], environment: ana.environment.merging(ana.scripting) { $1 })
        try watch.see("ready")
        let run = try bare("storage", "remove", "--all", "--discard-unsent")
        #expect(run.status == 1 && run.messages.contains("open in another process"))
        #expect(try ana.script("list", "--offline").status == 0)
    }

    @Test func damageIsFound() throws {
        let terminal = try ana.open()
        #expect(try terminal.quit() == [])
        let pdfs = ana.home.path + "/.local/share/postilla/pdfs"
        let pdf = try #require(try FileManager.default.contentsOfDirectory(atPath: pdfs).first { $0.hasSuffix(".pdf") })
        #expect(try bare("storage", "check").status == 0)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(pdfs)/\(pdf)"))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data("damage".utf8))
        try handle.close()
        let check = try bare("storage", "check", "--format", "ndjson")
        #expect(check.status == 1 && check.messages.contains("1 of 2 files damaged"), "\(check.messages)")
        #expect(try check.objects().contains { ($0["problem"] as? String)?.contains("damaged") == true })
        #expect(try ana.run(["storage", "remove", "--all"]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: pdfs) == [])
    }

    @Test func severalLayersHaveToBeToldApart() throws {
        try ana.give(try engine.token { $0.layer = "second layer" })
        _ = try ana.script("sync")
        let which = try bare("outbox")
        #expect(which.status == 64)
        #expect(which.messages.contains("--layer 'second layer'") && which.messages.contains("--layer review"))
        #expect(try bare("outbox", "--layer", "review").status == 0)
        #expect(try ana.script("outbox").status == 0)
        #expect(try ana.script("list", "--layer", "review").status == 3, "the token is for the second layer")
    }
}
