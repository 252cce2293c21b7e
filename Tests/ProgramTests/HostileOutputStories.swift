import Annotations
import Foundation
import Interchange
import TestSupport
import TestThreads
import Testing

/// Nearly every command outputs other people's text. None of it may control a terminal, wherever the output goes: a
/// pipe or file is displayed later, by `less -R` or in a log.
@Suite(.onOwnThreads)
struct HostileOutputStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    /// Clipboard, title, device query, 8-bit CSI, overwriting, bidi overrides and isolates, direction marks, line ends,
    /// delete and bell.
    private static let planted = [
        "\u{1B}]52;c;cGxhbnRlZA==\u{7}", "\u{1B}]0;planted\u{7}", "\u{1B}[6n", "\u{9B}31m", "over\rwritten",
        "\u{202E}planted\u{202C}", "\u{2066}planted\u{2069}", "\u{200E}\u{200F}\u{61C}", "\u{2028}\u{2029}\u{85}",
        "\u{7F}\u{7}\u{8}", "\u{B}\u{C}", "\u{FEFF}\u{E0041}",
    ]
    private static let text = "Before " + planted.joined(separator: " ") + " after"
    private static let id = "id\u{9B}31m\u{202E}"

    private static func content(_ text: String) -> [String: Any] {
        [
            "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 90, 32, 32], "text": text,
            "creatorName": text, "x\u{202E}own": text,
        ]
    }

    private static func json(_ object: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    /// Whether a scalar must be escaped; the formats themselves use newlines and tabs.
    private static func acts(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0A: false
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        case 0xE0000...0xE007F: true
        default: false
        }
    }

    private func check(_ output: String, _ what: String) {
        // CSV line ends, and those of every line on a terminal.
        let found = output.replacing("\r\r\n", with: "\n").replacing("\r\n", with: "\n").unicodeScalars.filter(
            Self.acts)
        #expect(
            found.isEmpty, "\(what): \(Set(found.map { String($0.value, radix: 16) })) in \(output.debugDescription)")
    }

    /// Runs the command three times: into a pipe, with `file` into a file, and on a terminal.
    @discardableResult
    private func run(_ arguments: [String], file: Bool = false, input: String = "") throws -> Program.Outcome {
        let name = arguments.joined(separator: " ")
        let piped = try ana.run(arguments, input: input, environment: ana.scripting)
        check(piped.output, name + " | cat")
        check(piped.messages, name + ", its messages")
        if file {
            let path = ana.home.path + "/written"
            #expect(try ana.run(arguments + ["-o", path], environment: ana.scripting).status == 0)
            let written = try String(contentsOfFile: path, encoding: .utf8)
            #expect(written == piped.output)
        }
        if input.isEmpty {
            let terminal = try ana.start(
                arguments, environment: ana.scripting.merging(["NO_COLOR": "1"]) { $1 }, columns: 200)
            _ = try terminal.waitForExit(seconds: Patience.long)
            check(terminal.rawOutput, name + " on a terminal")
            try WrittenBytes.check(terminal.output)
        }
        return piped
    }

    /// New records cannot have such an id, but stores of earlier versions may.
    private func plantID() throws {
        try engine.create(Self.content(Self.text), id: "planted")
        try engine.rename("planted", to: Self.id)
    }

    private func plant() throws {
        let records = try [
            Self.json([
                "id": "marked",
                "content": [
                    "v": 1, "type": "pspdfkit/markup/highlight", "pageIndex": 0, "bbox": [72, 80, 60, 14],
                    "rects": [[72, 80, 60, 14]], "creatorName": Self.text, "text": Self.text,
                ],
            ]),
            Self.json([
                "id": "link",
                "content": [
                    "v": 1, "type": "pspdfkit/link", "pageIndex": 0, "bbox": [72, 80, 60, 14],
                    "action": ["type": "uri", "uri": "https://example.com/\(Self.text)"],
                ],
            ]),
        ]
        let added = try run(["add", "--ndjson"], input: records.joined(separator: "\n") + "\n")
        #expect(try added.objects().map { $0["status"] as? String } == Array(repeating: "applied", count: 2))
        let refused = try run(["add", "--ndjson"], input: Self.json(["id": Self.id, "content": Self.content("")]))
        #expect(try refused.objects().map { $0["status"] as? String } == ["invalid"])
        #expect(try ana.script("reply", "marked", input: Self.text).status == 0)
    }

    @Test func noListingHoldsWhatActs() throws {
        try plantID()
        try plant()
        for format in ["table", "json", "ndjson", "tsv"] {
            #expect(try run(["list", "--format", format]).output.contains("Before"))
            #expect(try run(["show", Self.id, "link", "--format", format]).output.contains("Before"))
            #expect(try run(["comments", "marked", "--format", format]).output.contains("Before"))
            try run(["storage", "list", "--format", format])
            try run(["storage", "check", "--format", format])
        }
        let listed = try run(["list", "--format", "json"]).output
        let records = try JSONSerialization.jsonObject(with: Data(listed.utf8)) as? [[String: Any]] ?? []
        let content = records.first { $0["id"] as? String == Self.id }?["content"] as? [String: Any]
        #expect(content?["text"] as? String == Self.text, "JSON represents every character")
        #expect(content?["x\u{202E}own"] as? String == Self.text)
        #expect(
            try run(["list", "--format", "tsv"]).lines.allSatisfy {
                $0.split(separator: "\t", omittingEmptySubsequences: false).count == 8
            })
    }

    @Test func noExportHoldsWhatActsAndAnImportBringsItBack() throws {
        try plantID()
        try plant()
        for format in ["instant-json", "xfdf", "markdown", "csv"] {
            let run = try run(["export", "--format", format], file: true)
            #expect(run.status == 0 && run.output.contains("Before"), "\(run.messages)")
        }
        let file = ana.home.path + "/review.json"
        #expect(try ana.script("export", "-o", file).status == 0)
        let ben = try Person("ben", at: engine, token: try engine.token { ($0.user, $0.layer) = ("ben", "second") })
        let imported = try ben.script("import", file, "--format", "ndjson")
        #expect(imported.status == 1, "the id that acts is not created")
        #expect(
            try imported.objects().filter { $0["id"] as? String == Self.id }.map { $0["action"] as? String } == ["skip"]
        )
        let copied = try ben.script("export").output
        let layers = try [copied, try ana.script("export").output].map { text in
            try InstantJSONFile(Array(text.utf8)).annotations.filter { $0.id == "marked" }.map { $0.content["text"] }
        }
        #expect(layers[0] == [.string(Self.text)] && layers[0] == layers[1])
        // XML 1.0 can represent everything except C0; PDF has one line end.
        let xfdf = try ana.script("export", "--format", "xfdf").output
        let sizes = Array(repeating: PageFrame(width: 612, height: 792), count: 3)
        let read = try XFDFFile(Array(xfdf.utf8), pages: sizes).annotations
        let said = String(
            Self.text.unicodeScalars.map { $0 == "\r" ? "\n" : $0.value < 0x20 ? "\u{FFFD}" : Character($0) })
        #expect(read.contains { $0.content["text"]?.string == said })
        #expect(!read.contains { $0.id == Self.id })
    }

    @Test func noEditThatWaitsOrLostHoldsWhatActs() throws {
        let id = try ana.note("The base")
        let (mine, theirs) = (
            try Self.json(Self.content(Self.text)), try Self.json(Self.content("Theirs " + Self.text))
        )
        #expect(try run(["edit", id, "--content", "-", "--offline"], input: mine).status == 0)
        for format in ["table", "json", "ndjson", "tsv"] {
            #expect(try run(["outbox", "--format", format]).output.contains("Before"))
        }
        let ben = try Person("ben", at: engine)
        #expect(try ben.script("edit", id, "--content", "-", input: theirs).status == 0)
        #expect(try run(["sync"]).status == 6)
        for format in ["table", "json", "ndjson", "tsv"] {
            #expect(try run(["conflicts", "--format", format]).output.contains("Before"))
        }
        let (old, new) = (ana.home.path + "/old.json", ana.home.path + "/new.json")
        #expect(try ana.script("conflicts", "resolve", id, "--theirs").status == 0)
        #expect(try ana.script("export", "-o", old).status == 0)
        try plantID()
        try plant()
        #expect(try ana.script("export", "-o", new).status == 0)
        for format in ["table", "json", "ndjson", "tsv"] { try run(["diff", old, new, "--format", format]) }
        for format in ["table", "ndjson"] { try run(["import", new, "--dry-run", "--format", format]) }
        try run(["storage", "remove", "--document", Self.text])
    }

    @Test func noMessageHoldsWhatActs() throws {
        for arguments in [
            ["show", Self.text.replacing("\0", with: "")], ["list", "--format", "\u{1B}[31m\u{9B}\u{202E}"],
            ["\u{1B}]0;planted\u{7}"], ["list", "--filter", "\u{1B}[31m"], ["diff", "\u{1B}[31m", "\u{9B}31m"],
            ["config", "--check", "\u{1B}[31m"], ["delete", "\u{1B}[6n"],
        ] {
            #expect(try run(arguments).status != 0)
        }
        let token = try engine.token { ($0.user, $0.creatorName) = (Self.text, Self.text) }
        #expect(try run(["token", "show"], input: token).output.contains("Before"))
    }

    @Test func whatIsWatchedHoldsNothingThatActs() throws {
        try plantID()
        let watch = try RunningCommand(["watch"], environment: ana.environment.merging(ana.scripting) { $1 })
        try watch.see("ready")
        try engine.replace(Self.id, by: Self.content("New " + Self.text))
        try plant()
        try watch.see(#""id":"link""#)
        check(watch.output, "watch")
        let lines = try watch.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(lines.contains { $0?["id"] as? String == Self.id })
    }

    @Test func withoutAScreenNothingActsEither() throws {
        try plantID()
        try plant()
        let run = try ana.run(
            ["open", engine.url, "--plain"], input: "list\nread\nshow 1\noutbox\nquit\n", environment: ana.scripting)
        #expect(run.output.contains("Before"))
        check(run.output, "--plain")
    }
}
