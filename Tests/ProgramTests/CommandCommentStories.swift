import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandCommentStories {
    let engine: EngineProcess
    let ana: Person
    let ben: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        ben = try Person("ben", at: engine)
    }

    private func mark() throws -> String {
        let run = try ana.script("add", "--highlight", "--page", "1", "--rect", "72,90,200,12")
        return try #require(run.lines.first, "\(run.messages)")
    }

    @Test func aThreadGrowsInTheOrderOfItsWriting() throws {
        let root = try mark()
        let first = try ana.script("reply", root, "--text", "First")
        #expect(first.status == 0, "\(first.messages)")
        #expect(try ben.script("reply", root, input: "Second,\nfrom a pipe\n").status == 0)
        #expect(try ana.script("reply", #require(first.lines.first), "--text", "Third").status == 0, "threads are flat")
        let comments = try ben.script("comments", root, "--format", "tsv")
        let texts = comments.lines.dropFirst().compactMap { $0.split(separator: "\t").last.map(String.init) }
        #expect(texts == ["First", "Second, from a pipe", "Third"])
        let records = try ben.script("comments", first.lines[0], "--format", "ndjson").objects()
        #expect(records.map { $0["createdBy"] as? String } == ["ana", "ben", "ana"])
        #expect(try ana.script("show", root).output.contains("comments    3"))
        #expect(try ana.script("edit", first.lines[0], "--text", "At first").status == 0)
        #expect(try ben.script("comments", root).output.contains("At first"))
        #expect(try ana.script("delete", root).status == 0)
        #expect(try ben.script("comments", root).status == 1)
    }

    @Test func aCommentKeepsItsFormattingWhenItsWordsChange() throws {
        let root = try mark()
        let rich =
            #"{"v":2,"type":"pspdfkit/comment","pageIndex":0,"rootId":"\#(root)","text":"#
            + #"{"format":"xhtml","value":"<p>see <b>this</b></p>"}}"#
        let added = try ana.script("add", "--content", "-", input: rich)
        let id = try #require(added.lines.first, "\(added.messages)")
        #expect(try ana.script("edit", id, "--text", "see that").status == 0)
        #expect(try ana.script("comments", root, "--format", "ndjson").output.contains("<p>see <b>that</b></p>"))
        let across = try ana.script("edit", id, "--text", "gone")
        #expect(across.status == 1 && across.messages.contains("formatting"), "\(across.messages)")
        #expect(try ana.script("comments", root, "--format", "ndjson").output.contains("<p>see <b>that</b></p>"))
    }

    @Test func whereNoThreadBeginsTheReasonIsTold() throws {
        let note = try ana.note("A note")
        let link = #"{"v":1,"type":"pspdfkit/link","pageIndex":0,"bbox":[1,1,9,9],"action":{"type":"uri","uri":"x:y"}}"#
        let added = try ana.script("add", "--content", "-", input: link)
        let run = try ana.script("reply", #require(added.lines.first, "\(added.messages)"), "--text", "x")
        #expect(run.status == 1 && run.messages.contains("a link cannot be replied to"), "\(run.messages)")
        #expect(try ana.script("reply", "nobody", "--text", "x").status == 1)
        #expect(try ana.script("reply", note).status == 64)
        let sam = try Person("sam", at: engine, token: try engine.token("sam", reading: true))
        #expect(try sam.script("reply", try mark(), "--text", "x").status == 4)
    }

    @Test func aReplyUnderWhatIsGoneKeepsItsText() throws {
        let root = try mark()
        _ = try ben.script("sync")
        #expect(try ben.script("reply", root, "--text", "Too late", "--offline").status == 0)
        #expect(try ana.script("delete", root).status == 0)
        #expect(try ben.script("sync").status == 6)
        #expect(try ben.run(["conflicts", "--format", "ndjson"]).output.contains("Too late"))
    }
}
