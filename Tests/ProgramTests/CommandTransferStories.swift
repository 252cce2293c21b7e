import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandTransferStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private static let head = #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":["#

    private func actions(_ run: Program.Outcome) throws -> [String?] {
        try run.objects().map { $0["action"] as? String }
    }

    private func bring(_ file: String, _ more: String..., by person: Person? = nil) throws -> Program.Outcome {
        let person = person ?? ana
        return try person.run(["import", file, "--format", "ndjson"] + more, environment: person.scripting)
    }

    @Test func aLayerGoesThroughAFileIntoAnother() throws {
        _ = try ana.note("Größe 👍🏽")
        let marker =
            #"{"id":"root","content":{"type":"pspdfkit/comment-marker","v":2,"pageIndex":0,"bbox":[9,9,9.50,9],"x-own":1.0}}"#
        let reply =
            #"{"id":"reply","content":{"type":"pspdfkit/comment","v":2,"rootId":"root","pageIndex":0,"#
            + #""text":{"format":"xhtml","value":"<p>Yes</p>"}}}"#
        #expect(try ana.script("add", "--ndjson", input: marker + "\n" + reply + "\n").status == 0)
        let file = ana.home.path + "/review.json"
        #expect(try ana.script("export", "-o", file).status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#""bbox":[9,9,9.50,9],"x-own":1.0"#) && text.contains("Größe 👍🏽"))
        #expect(text.contains("Printed remark") && text.contains("<p>Yes</p>"))
        #expect(try ana.script("export").output == text)

        #expect(try actions(bring(file)) == Array(repeating: "unchanged", count: 4))
        let second = try Person("ben", at: engine, token: try engine.token { ($0.user, $0.layer) = ("ben", "second") })
        #expect(try actions(bring(file, "--dry-run", by: second)).filter { $0 == "create" }.count == 3)
        #expect(try !second.listed().contains("Größe"))
        let first = try bring(file, by: second)
        #expect(first.status == 0, "\(first.output)\(first.messages)")
        #expect(first.messages.contains("3 created, 0 updated, 1 unchanged, 0 skipped"))
        let records = try engine.records(layer: "second")
        let again = try bring(file, by: second)
        #expect(again.status == 0 && again.messages.contains("0 created, 0 updated, 4 unchanged, 0 skipped"))
        #expect(try engine.records(layer: "second") == records, "the second import changes nothing")
    }

    @Test func whatDiffersIsChangedAndNothingIsDeleted() throws {
        let (one, _) = (try ana.note("One"), try ana.note("Two"))
        let text = try ana.script("export").output
        let file = try ana.home.write("changed.json", text.replacing("One", with: "Changed"))
        #expect(try ana.script("add", "--note", "Three", "--page", "1").status == 0)
        let run = try bring(file)
        #expect(run.status == 0)
        #expect(try run.objects().filter { $0["action"] as? String == "update" }.map { $0["id"] as? String } == [one])
        let records = try engine.records()
        #expect(records.contains("Changed") && records.contains("Two") && records.contains("Three"))
        #expect(try actions(bring(file)) == Array(repeating: "unchanged", count: 3))
    }

    @Test func whatHasNoIDIsFoundAgain() throws {
        let note = #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[1,2,3,4],"text":"same"}"#
        let file = try ana.home.write("foreign.json", Self.head + note + "," + note + "]}")
        #expect(try actions(bring(file)) == ["create", "create"])
        #expect(try actions(bring(file)) == ["unchanged", "unchanged"])
    }

    @Test func whatCannotBeImportedIsSkippedWithTheReason() throws {
        let gone = try ana.note("Gone")
        #expect(try ana.script("delete", gone).status == 0)
        let box = #""v":1,"pageIndex":0,"bbox":[1,2,3,4],"type":"pspdfkit/note""#
        let items = [
            #"{"id":"fine",\#(box),"text":"fine"}"#, #"{"id":"fine",\#(box),"text":"twice"}"#, #"{"id":"a b",\#(box)}"#,
            #"{"id":"none","v":1}"#, #"{"id":"\#(gone)",\#(box)}"#,
            #"{"id":"far","v":1,"pageIndex":70,"bbox":[1,2,3,4],"type":"pspdfkit/note"}"#,
        ]
        let comments = [#"{"id":"c","type":"pspdfkit/comment","v":1,"rootId":"nowhere","pageIndex":0,"text":"x"}"#]
        let file = try ana.home.write(
            "mixed.json",
            Self.head + items.joined(separator: ",\n") + #"],"comments":["# + comments.joined(separator: ",") + "]}")
        let run = try bring(file)
        #expect(run.status == 6, "\(run.messages)")
        #expect(
            try run.objects().map { $0["status"] as? String } == [
                "applied", "invalid", "invalid", "invalid", "conflict", "invalid", "invalid",
            ])
        #expect(try run.objects().dropFirst().allSatisfy { ($0["reason"] as? String)?.isEmpty == false })
        #expect(run.messages.contains("1 created, 0 updated, 0 unchanged, 6 skipped"))
        #expect(try ana.script("outbox").messages.contains("no unsent edits"))
        let reader = try Person("sam", at: engine, token: try engine.token("sam", reading: true))
        #expect(try bring(file, by: reader).status == 4)
    }

    @Test func aFileThatCannotBeReadChangesNothing() throws {
        let bad: [(text: String, sentence: String)] = [
            (Self.head + "\n{\"id\":\"a\",\n \"v\":}]}", "bad.json:3:6: unexpected character"),
            (Self.head + #"{"id":7}]}"#, "\"id\" to be a string"), (#"{"annotations":[]}"#, "\"format\" is missing"),
            (Self.head + "{\"a\":\"\u{1}\"}]}", "control character"), (#"{"format":"xfdf"}"#, "instant-json/v1"),
            (Self.head + String(repeating: "[", count: 100), "expected an object"), ("", "1:1"),
        ]
        for (text, sentence) in bad {
            let run = try bring(try ana.home.write("bad.json", text))
            #expect(run.status == 1, "\(text)")
            #expect(run.messages.contains(sentence) && run.messages.contains("nothing imported"), "\(run.messages)")
            #expect(run.output == "")
        }
        #expect(try ana.listed().split(separator: "\n").count == 1)
    }

    @Test func aPlaceThatCannotBeWrittenIsTold() throws {
        let run = try ana.script("export", "-o", "/nowhere/at/all.json")
        #expect(run.status == 1 && run.messages.contains("/nowhere/at/all.json"))
        let full = try Program.run(
            ["-c", #""$0" export > /dev/full"#, Program.path],
            environment: ana.environment.merging(ana.scripting) { $1 }, executable: "/bin/sh")
        #expect(full.status == 1 && full.messages.contains("cannot write"))
    }
}
