import TestSupport
import TestThreads
import Testing

/// The program without a screen, in a pipe and on a terminal.
@Suite(.onOwnThreads)
struct PlainStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private var arguments: [String] { ["open", engine.url, "--token-file", ana.tokenFile, "--plain"] }

    @Test func aPipeReadsMarksAndWrites() throws {
        // Whether the first line already shows the page count depends on timing: reading waits for the pages.
        let first = try ana.run(arguments, input: "read\nquit\n", environment: ["TERM": "dumb"])
        #expect(first.status == 0, "\(first.messages)")
        #expect(first.output.contains("This is the first page of a quiet little paper"), "\(first.output)")
        let lines = [
            "read", "highlight \"quiet little paper\"", "note margin", "Wide indeed.", ".", "list", "sync", "quit",
        ]
        let run = try ana.run(arguments, input: lines.joined(separator: "\n") + "\n", environment: ["TERM": "dumb"])
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.output.contains("paper.pdf, layer review, 3 pages, 1 annotation\n"), "\(run.output)")
        #expect(run.output.contains("This is the first page of a quiet little paper"))
        #expect(run.output.contains("note 1 by Grace: Printed remark"))
        #expect(run.output.contains("by me: \"quiet little paper\""))
        #expect(run.output.contains("by me: Wide indeed."))
        #expect(!run.output.contains("\u{1B}"))
        #expect(!run.output.contains("marks>"), "only interactive input gets a prompt")
        let records = try engine.records()
        #expect(records.contains("pspdfkit/markup/highlight") && records.contains("Wide indeed."))
    }

    @Test func aListOfWordsWaitsUntilTheWordsUnderMarksAreKnown() throws {
        let box = [66, 80, 420, 24]
        try engine.create([
            "v": 1, "type": "pspdfkit/markup/underline", "pageIndex": 2, "bbox": box, "rects": [box],
            "color": "#fcee7c", "createdAt": "2026-01-01T00:00:00Z",
        ])
        let input = "sync\nlist third page\nlist nowhere\nlist\nquit\n"
        let run = try ana.run(arguments, input: input, environment: ["TERM": "dumb"])
        #expect(run.status == 0, "\(run.messages)")
        let found = run.output.components(separatedBy: "underline on page 3")
        #expect(found.count == 3, "once in the filtered list, once in the whole list: \(run.output)")
        #expect(found.dropFirst().first?.contains("None.") == true, "\(run.output)")
    }

    @Test func aTerminalGetsPromptsAndNothingThatMovesItsCursor() throws {
        let terminal = try ana.start(arguments, environment: ["TERM": "dumb"])
        try terminal.see("page 1, 1 mark>")
        terminal.send(text: "page 2\n")
        try terminal.see("page 2, 0 marks>")
        terminal.send(text: "token\n")
        try terminal.see("(hidden):")
        terminal.send(text: ana.token + "\n")
        try terminal.see("The token is in use.")
        #expect(!terminal.rawOutput.contains(ana.token))
        terminal.send(text: "note\n")
        try terminal.see("line with only a dot")
        terminal.send(text: "a thought that\n")
        // The line is echoed before it is read, and an interrupt drops what was not read.
        try terminal.wait(until: "the text is a draft", seconds: Patience.long) { _ in
            ana.hasDraft(of: "a thought that")
        }
        terminal.send([0x03])
        #expect(try terminal.waitForExit(seconds: Patience.long) == 130)
        #expect(!terminal.rawOutput.contains("\u{1B}"))
        #expect(terminal.whatIsLeftBehind == [])
        let again = try ana.run(arguments, input: "page 2\nnote\n.\nsync\n")
        #expect(again.output.contains("a thought that"))
        #expect(try engine.records().contains("a thought that"))
    }

    @Test func withoutAUsableTerminalTheWayOutIsNamed() throws {
        let run = try ana.run(["open", engine.url, "--token-file", ana.tokenFile], environment: ["TERM": "dumb"])
        #expect(run.status == 64 && run.messages.contains("--plain"))
    }
}
