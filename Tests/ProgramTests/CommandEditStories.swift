import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandEditStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private static let note = #"{"type":"pspdfkit/note","v":1,"pageIndex":0,"bbox":[1,2,3,4],"text":"TEXT"}"#

    private func line(_ text: String, id: String? = nil, page: Int = 0) -> String {
        let content = Self.note.replacing("TEXT", with: text).replacing(":0,", with: ":\(page),")
        return "{" + (id.map { #""id":"\#($0)","# } ?? "") + #""content":"# + content + "}\n"
    }

    @Test func aNoteIsAddedShownChangedAndDeleted() throws {
        let id = try ana.note("Which ones?", page: 2)
        #expect(try engine.records().contains("Which ones?"))
        let shown = try ana.script("show", id)
        for fact in ["kind        note", "page        2", "author      Ana (ana)", "text        Which ones?"] {
            #expect(shown.output.contains(fact), "\(shown.output)")
        }
        #expect(try ana.script("edit", id, "--text", "These two").status == 0)
        #expect(try engine.records().contains("These two"))
        let gone = try ana.script("delete", id)
        #expect(gone.status == 0 && gone.output == "")
        #expect(try !engine.records().contains("These two"))
        #expect(try ana.script("show", id).status == 1)
    }

    @Test func whoWillNotSeeARecordIsWarnedBeforeItIsAdded() throws {
        let token = try engine.token {
            ($0.user, $0.creatorName) = ("gus", "Gus")
            $0.collaboration = ["comments:view:all"]
        }
        let gus = try Person("gus", at: engine, token: token)
        let run = try gus.script("add", "--note", "Into the void", "--page", "1")
        #expect(run.status == 0)
        #expect(run.messages.contains("not show it to you: viewing it needs annotations:view:self"), "\(run.messages)")
        let lines = try gus.script("add", "--ndjson", input: line("one") + line("two"))
        #expect(lines.messages.components(separatedBy: "warning:").count == 2, "\(lines.messages)")
        #expect(try engine.records().contains("Into the void"))
        #expect(try !ana.script("add", "--note", "Seen", "--page", "1").messages.contains("warning"))
    }

    @Test func wordsAreMarkedByTheirBoxes() throws {
        let run = try ana.script(
            "add", "--highlight", "--page", "1", "--rect", "72,90,200,12", "--rect", "72,104,80,12", "--text", "Agreed",
            "--annotation-color", "#FF0000")
        let id = try #require(run.lines.first)
        let content = try ana.script("show", id, "--format", "ndjson").objects().first?["content"] as? [String: Any]
        #expect(content?["type"] as? String == "pspdfkit/markup/highlight")
        #expect(content?["bbox"] as? [Double] == [72, 90, 200, 26])
        #expect((content?["rects"] as? [[Double]])?.count == 2)
        #expect(content?["note"] as? String == "Agreed" && content?["color"] as? String == "#ff0000")
    }

    @Test func aRecordIsAddedFromAFileAndFromAPipe() throws {
        let file = try ana.home.write("note.json", #"{"id":"my-1","content":"# + Self.note + "}")
        #expect(try ana.script("add", "--content", file).output == "my-1\n")
        #expect(try ana.script("add", input: Self.note).status == 0)
        let again = try ana.script("add", "--content", file)
        #expect(again.status == 6 && again.messages.contains("with this id already"))
        #expect(try engine.records().components(separatedBy: #""id":"my-1""#).count == 2)
    }

    /// A script that writes the whole content changes neither author nor time, and cannot claim to be someone else.
    @Test func whoMadeANoteAndWhenOutlivesANewContent() throws {
        let id = try ana.note("Before", page: 1)
        func facts() throws -> [String] {
            try ana.script("show", id).lines.filter { $0.starts(with: "author ") || $0.starts(with: "made ") }
        }
        let made = try facts()
        #expect(made.count == 2)
        let forged = Self.note.replacing(
            "}", with: #","creatorName":"Bo","createdAt":"1990-01-01T00:00:00Z","createdBy":"bo","rootId":"x"}"#)
        for content in [Self.note, forged] {
            #expect(try ana.script("edit", id, "--content", "-", input: content).status == 0)
            #expect(try ana.script("show", id).output.contains("TEXT"))
            #expect(try facts() == made)
        }
        let stored = try ana.script("show", id, "--format", "ndjson").output
        #expect(!stored.contains("1990") && !stored.contains(#""bo""#) && !stored.contains("rootId"))
        // Nor does an import of such a file change anything.
        let item = forged.replacing("{", with: "{\"id\":\"\(id)\",").replacing(#","rootId":"x""#, with: "")
        let file = #"{"format":"https://pspdfkit.com/instant-json/v1","annotations":[\#(item)]}"#
        let imported = try ana.script("import", "-", input: file)
        #expect(imported.messages.contains("unchanged"), "\(imported.output) \(imported.messages)")
    }

    @Test func aTokenAndWhatItIsForComeThroughOnePipe() throws {
        func piped(_ input: String, _ arguments: String...) throws -> Program.Outcome {
            try ana.run(arguments + ["--token-stdin", "--server", engine.url], input: ana.token + "\n" + input)
        }
        let added = try piped(Self.note, "add")
        let id = try #require(added.lines.first, "\(added.messages)")
        #expect(try piped(line("Line", id: "my-2"), "add", "--ndjson").output.contains("applied"))
        #expect(try piped(Self.note.replacing("TEXT", with: "Whole"), "edit", id, "--content", "-").status == 0)
        #expect(try engine.records().contains("Whole"))
        let exported = try piped("", "export").output
        #expect(try piped(exported, "import", "-").messages.contains("unchanged"))
        let mark = try ana.script("add", "--highlight", "--page", "1", "--rect", "72,90,200,12").lines[0]
        #expect(try piped("Through a pipe", "reply", mark).status == 0)
        #expect(try ana.script("comments", mark).output.contains("Through a pipe"))
    }

    @Test func whatIsNoJSONIsToldWithItsPlace() throws {
        let bad: [(text: String, sentence: String)] = [
            ("{\n  \"a\": 1,\n  oops}", "standard input:3:3: unexpected character"),
            ("", "standard input is empty"), (" \n", "standard input is empty"),
            ("{", "standard input:1:2: unexpected end"),
            ("[1]", "not a record"), (#"{"id":7,"content":{}}"#, #""id" must be"#),
            (#"{"content":{"v":1,"pageIndex":0}}"#, #""type", such as "pspdfkit/note", is missing"#),
            (Self.note.replacing(":0,", with: ":99,"), "pageIndex"),
        ]
        for (text, sentence) in bad {
            let run = try ana.script("add", input: text)
            #expect(run.status == 1, "\(text)")
            #expect(run.messages.contains(sentence), "\(run.messages)")
        }
        let file = try ana.script("add", "--content", ana.home.path + "/nowhere.json")
        #expect(file.status == 1 && file.messages.contains("nowhere.json"))
        #expect(try ana.listed().components(separatedBy: "\n").count == 2)
    }

    @Test func eachLineIsAnsweredInItsOrder() throws {
        let long = String(repeating: "x", count: (2 << 20) + 1)
        let input =
            line("first", id: "one") + "\n" + #"{"bad"# + "\n" + line("no such page", id: "far", page: 7)
            + line("taken", id: "one") + long + "\n" + #"{"id":"a b","content":{}}"# + "\n" + line("last", id: "two")
        let run = try ana.script("add", "--ndjson", input: input)
        let answers = try run.objects()
        #expect(
            answers.map { $0["status"] as? String } == [
                "applied", "invalid", "invalid", "conflict", "invalid", "invalid", "applied",
            ])
        #expect(answers.compactMap { $0["id"] as? String } == ["one", "far", "one", "two"])
        #expect(
            answers.allSatisfy { answer in (answer["status"] as? String == "applied") != (answer["reason"] is String) })
        #expect(run.status == 6, "\(run.messages)")
        #expect(try ana.script("outbox").output == "", "refused records leave nothing behind")
        let records = try engine.records()
        #expect(records.contains("first") && records.contains("last") && !records.contains("taken"))
    }

    @Test func thousandsOfLinesGoInAFewRequests() throws {
        let input = (0..<1200).map { line("note \($0)", id: "n\($0)") }.joined()
        let run = try ana.script("add", "--ndjson", input: input)
        #expect(run.status == 0, "\(run.messages)")
        #expect(try run.objects().map { $0["id"] as? String } == (0..<1200).map { "n\($0)" })
        #expect(try ana.script("list", "--format", "tsv").lines.count == 1202)
    }

    @Test func aReaderMayNotWrite() throws {
        let id = try ana.note("Mine")
        let sam = try Person("sam", at: engine, token: try engine.token("sam", reading: true))
        for arguments in [["add", "--note", "x", "--page", "1"], ["edit", id, "--text", "x"], ["delete", id]] {
            let run = try sam.run(arguments, environment: sam.scripting)
            #expect(run.status == 4, "\(arguments)")
            #expect(run.messages.contains(#"lacks "write""#))
        }
        let lines = try sam.script("add", "--ndjson", input: line("x"))
        #expect(lines.status == 4)
        #expect(try engine.records().contains("Mine"))
    }

    @Test func anAuthorIsAskedForByNameOffATerminal() throws {
        try ana.give(try engine.token { $0.creatorName = nil })
        let none = try ana.script("add", "--note", "x", "--page", "1")
        #expect(none.status == 64 && none.messages.contains("--author"))
        let run = try ana.script("add", "--note", "x", "--page", "1", "--author", "A. Author")
        #expect(run.status == 0)
        #expect(try engine.records().contains("A. Author"))
    }

    @Test func nothingIsDeletedWhenOneOfThemIsNotThere() throws {
        let id = try ana.note("Stays")
        let run = try ana.script("delete", id, "nobody")
        #expect(run.status == 1 && run.messages.contains("nobody"))
        #expect(try engine.records().contains("Stays"))
    }

    @Test func wrongWordsAreUsage() throws {
        let wrong = [
            ["add", "--note", "x"], ["add", "--note", "x", "--highlight", "--page", "1"], ["add", "--at", "1,2"],
            ["add", "--highlight", "--page", "1"], ["add", "--note", "x", "--page", "0"],
            ["add", "--note", "x", "--page", "1", "--at", "1"], ["add", "--ndjson", "--content", "f"],
            ["edit", "x"], ["edit", "x", "--text", "a", "--content", "b"], ["delete"], ["show"],
            ["list", "--kind", "sticker"], ["list", "--limit", "-1"], ["conflicts", "resolve", "x"],
            ["storage", "remove"], ["storage", "remove", "--all", "--document", "x"], ["sync", "--offline"],
            ["watch", "--offline"], ["export", "--format", "docx"], ["import"],
        ]
        for arguments in wrong {
            let run = try ana.run(arguments, environment: ana.scripting)
            #expect(run.status == 64, "\(arguments): \(run.status) \(run.messages)")
            #expect(run.output == "")
        }
    }

    @Test func listsAreFilteredAndCut() throws {
        _ = try ana.note("Alpha", page: 2)
        _ = try ana.script("add", "--underline", "--page", "3", "--rect", "72,90,200,12")
        func ids(_ more: String...) throws -> Int {
            try ana.run(["list", "--format", "ndjson"] + more, environment: ana.scripting).lines.count
        }
        #expect(try ids() == 3)
        #expect(try ids("--kind", "note") == 2)
        #expect(try ids("--kind", "note", "--kind", "underline") == 3)
        #expect(try ids("--page", "2") == 1)
        #expect(try ids("--author", "Grace") == 1)
        #expect(try ids("--text", "alph") == 1)
        let note = CommandScriptStories.note("Cafe\u{301}").merging(["creatorName": "Rene\u{301}"]) { $1 }
        try engine.create(note, id: "rene")
        #expect(try ids("--text", "Caf\u{E9}") == 1)
        #expect(try ids("--author", "Ren\u{E9}") == 1)
        #expect(try ids("--limit", "2") == 2)
        #expect(try ids("--limit", "0") == 0)
        #expect(try ids("--unread") <= 1)
        let table = try ana.script("list", "--color", "always", "--order", "newest")
        #expect(table.output.contains("Alpha") && !table.output.contains("\u{1B}[2m"))
    }
}
