import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct CommandTokenStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private func revoke(_ more: String..., secret: String? = nil, input: String = "") throws -> Program.Outcome {
        let options = ["--server", engine.url, "--api-token-file", secret ?? engine.secretFile]
        return try ana.run(["token", "revoke"] + options + more, input: input)
    }

    @Test func aRevokedTokenIsRefusedFromThenOn() throws {
        #expect(try ana.script("list").status == 0)
        let run = try revoke(input: ana.token + "\n")
        #expect(run.status == 0 && run.messages.contains("revoked"), "\(run.messages)")
        #expect(!run.messages.contains(ana.token))
        let refused = try ana.script("list")
        #expect(refused.status == 3 && refused.messages.contains("revoked"), "\(refused.messages)")
        // By id alone, for users who lost the token; revoking twice has no further effect.
        try ana.give(try engine.token { $0.id = "known" })
        #expect(try ana.script("list").status == 0)
        for _ in 0..<2 { #expect(try revoke("--jti", "known").status == 0) }
        #expect(try ana.script("list").status == 3)
    }

    @Test func whatCannotBeRevokedIsSaid() throws {
        let nothing = try revoke()
        #expect(nothing.status == 3 && nothing.messages.contains("no token on standard input"))
        #expect(try revoke(input: "nonsense").status == 3)
        let wrong = try revoke("--jti", "known", secret: ana.tokenFile)
        #expect(wrong.status == 3 && wrong.messages.contains("secret"), "\(wrong.messages)")
        let empty = ana.home.path + "/empty"
        let lines = ana.home.path + "/lines"
        try Data().write(to: URL(fileURLWithPath: empty))
        try Data("one\ntwo\n".utf8).write(to: URL(fileURLWithPath: lines))
        for (file, sentence) in [(empty, "is empty"), (lines, "is not a secret")] {
            let none = try revoke("--jti", "known", secret: file)
            #expect(none.status == 3 && none.messages.contains("\(file) \(sentence)"), "\(none.messages)")
        }
        engine.kill()
        #expect(try revoke("--jti", "known").status == 5)
    }

    @Test func aTokenFileThatIsMissingIsAMissingToken() throws {
        let run = try ana.run(["list", engine.url, "--token-file", ana.home.path + "/none.jwt"])
        #expect(run.status == 3 && run.messages.contains("none.jwt"), "\(run.messages)")
    }

    /// A layer that was never accessible is not stored locally; one that was stays.
    @Test func aLayerThatWasNeverReachedIsNotListed() throws {
        engine.kill()
        #expect(try ana.script("list").status == 5)
        #expect(try ana.run(["storage", "list"]).messages.contains("no layers on this machine"))
        try engine.start()
        #expect(try ana.script("list", "--document", "paper").status == 0)
        let other = try engine.token { $0.document = "unknown" }
        try ana.give(other)
        #expect(try ana.script("list").status != 0)
        let listed = try ana.run(["storage", "list", "--format", "ndjson"]).objects()
        #expect(listed.map { $0["document"] as? String } == ["paper"])
        try ana.give(try engine.token("ana"))
        engine.kill()
        let alone = try ana.script("list")
        #expect(alone.status == 5, "\(alone.messages)")
        #expect(try ana.run(["storage", "list", "--format", "ndjson"]).objects().count == 1)
    }

    @Test func aPageThatIsNotThereIsNamedAsItWasGiven() throws {
        let run = try ana.script("add", "--note", "Where?", "--page", "999")
        #expect(run.status == 1 && run.messages.contains("the document has no page 999"), "\(run.messages)")
        #expect(!run.messages.contains("pageIndex"))
        #expect(try ana.script("outbox").messages.contains("no unsent edits"))
    }
}
