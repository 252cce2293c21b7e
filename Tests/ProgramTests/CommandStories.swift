import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private func list(_ more: [String] = [], token: String? = nil) throws -> Program.Outcome {
        if let token { try ana.give(token) }
        return try ana.run(["list", engine.url, "--token-file", ana.tokenFile] + more)
    }

    @Test func theLayerIsListedInFourFormats() throws {
        let table = try list()
        #expect(table.status == 0 && table.output.contains("Printed remark"))
        let json = try list(["--format", "json"])
        let records = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        #expect(records?.count == 1)
        let members = Set((records?.first ?? [:]).keys)
        #expect(members.isSuperset(of: ["id", "content"]))
        let lines = try list(["--format", "ndjson"]).output.split(separator: "\n")
        #expect(lines.count == 1)
        let tsv = try list(["--format", "tsv"]).output.split(separator: "\n")
        #expect(tsv.first == "id\tpage\tkind\tauthor\tchanged\tstate\ttext\treview")
        #expect(tsv.count == 2 && tsv.last?.hasSuffix("Printed remark\t") == true)
    }

    @Test func anUploadToNobodySaysSo() throws {
        let upload = try ana.run([
            "upload", ana.tokenFile, "--server", "http://127.0.0.1:1", "--api-token-file", ana.tokenFile,
        ])
        #expect(upload.status == 5)
    }

    @Test func aBadTokenIsAnExitCodeAndASentence() throws {
        let bad: [(token: String, sentence: String)] = [
            ("nonsense", "token"), (try engine.token { $0.expires = 1_000_000_000 }, "expired"),
            (try engine.tokenSignedWithPublicKey(), "algorithm"), (try engine.unsignedToken(), "signature is missing"),
            (try engine.token { $0.permissions = ["write"] }, "read-document"),
        ]
        for (token, sentence) in bad {
            let run = try list(token: token)
            #expect(run.status == 3 || run.status == 4)
            #expect(run.messages.contains(sentence))
            #expect(!run.messages.contains(token))
        }
    }

    @Test func aServerThatIsNotThereIsAnExitCodeAndASentence() throws {
        engine.kill()
        let run = try list()
        #expect(run.status == 5)
        #expect(run.messages.contains("postilla: "))
    }

    @Test func aReaderThatGoesAwayIsNoCrash() throws {
        let run = try Program.run(
            [
                "-c", #""$0" list "$1" --token-file "$2" --format tsv | head -n 1"#, Program.path, engine.url,
                ana.tokenFile,
            ],
            environment: ana.environment, executable: "/bin/sh")
        #expect(run.status == 0)
        #expect(run.output == "id\tpage\tkind\tauthor\tchanged\tstate\ttext\treview\n")
        #expect(run.messages == "")
    }

    @Test func aTokenIsIssuedAndExplained() throws {
        let key = engine.folder.path + "/key.pem"
        let issued = try ana.run([
            "token", "issue", "--key", key, "--document", "paper", "--layer", "review", "--user", "ana",
            "--expires-in", "15m",
        ])
        #expect(issued.status == 0)
        #expect(issued.messages.contains("For development only"))
        let shown = try ana.run(["token", "show"], input: issued.output)
        #expect(shown.status == 0)
        for line in ["document  paper", "layer     review", "user      ana", "14 min left"] {
            #expect(shown.output.contains(line) || line.hasPrefix("14") && shown.output.contains("15 min left"))
        }
        #expect(try list(token: issued.output).status == 0)
        let blind = try ana.run(["token", "show"], input: engine.token { $0.permissions = ["download"] })
        #expect(
            blind.output.contains(#"warning   without the permission "read-document" this token cannot open the layer"#)
        )
        #expect(try ana.run(["token", "show"], input: "nonsense").status == 3)
        #expect(try ana.run(["token", "show"]).status == 3)
    }

    @Test func wrongWordsAreUsage() throws {
        #expect(try ana.run(["list", "--format", "xml"]).status == 64)
        #expect(try ana.run(["list", "not an address"]).status == 64)
        #expect(try ana.run(["frobnicate"]).status == 64)
        for (word, meant) in [("lst", "list"), ("comment", "comments"), ("wtach", "watch")] {
            let run = try ana.run([word])
            #expect(run.status == 64 && run.messages.contains("Did you mean \(meant)?"), "\(run.messages)")
        }
        #expect(try ana.run(["serve"]).status == 64)
    }

    /// An invalid PDF is refused with a message and leaves no files.
    @Test func aFileThatIsNoPDFIsRefused() throws {
        let whole = SmallPDF.paper().bytes
        let files: [(name: String, bytes: [UInt8], sentence: String)] = [
            ("empty.pdf", [], "empty"), ("cut.pdf", Array(whole.prefix(40)), "PDF"),
            ("text.pdf", Array("Dear Sir or Madam".utf8), "PDF"),
        ]
        for (name, bytes, sentence) in files {
            let path = try ana.home.write(name, bytes)
            let run = try ana.run([
                "upload", path, "--document-id", "bad", "--server", engine.url, "--api-token-file", engine.secretFile,
            ])
            #expect(run.status == 1, "\(name): \(run.messages)")
            #expect(run.messages.hasPrefix("postilla: ") && run.messages.contains(sentence), "\(run.messages)")
        }
    }
}
