import Foundation
import TestSupport
import TestThreads
import Testing

/// Servers and tokens by name, and what they are worth.
@Suite(.onOwnThreads)
struct ProfileStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        let expired = try engine.token { $0.expires = 1_000_000_000 }
        try FileManager.default.createDirectory(
            atPath: ana.home.path + "/.config/postilla", withIntermediateDirectories: true)
        try ana.home.write(".config/postilla/old.jwt", expired)
        try ana.home.write(
            ".config/postilla/config.toml",
            """
            [profiles.work]
            server = "\(engine.url)"
            token-file = "~/token.jwt"
            api-token-file = "\(engine.secretFile)"

            [profiles.old]
            server = "\(engine.url)"
            token-file = "old.jwt"
            """)
    }

    @Test func aProfileNamesServerTokenAndSecret() throws {
        let id = try #require(try ana.run(["add", "--note", "One", "--page", "1", "--profile", "work"]).lines.first)
        #expect(try ana.run(["list", "--json", "id"], environment: ["POSTILLA_PROFILE": "work"]).output.contains(id))
        #expect(try ana.run(["documents", "--profile", "work"]).output.contains("paper"))
        // An option counts more than the profile, the profile more than the environment.
        let other = try ana.run(
            ["list", "--profile", "work"], environment: ["POSTILLA_SERVER": "http://127.0.0.1:1"])
        #expect(other.status == 0, "\(other.messages)")
        #expect(try ana.run(["list", "--profile", "work", "--server", "http://127.0.0.1:1"]).status == 5)
        #expect(try ana.run(["list", "--profile", "old", "--token-file", ana.tokenFile]).status == 0)
    }

    @Test func aWrongProfileIsNamed() throws {
        let run = try ana.run(["list", "--profile", "wrok"])
        #expect(run.status == 64 && run.messages.contains("no profile wrok in"), "\(run.messages)")
        #expect(run.messages.contains("it has old, work"))
        try ana.home.write(
            ".config/postilla/config.toml",
            "[profiles.work]\nserver = \"no where\"\ntoken-file = \"a\"\ntoken-command = \"b\"\ntokn = \"c\"\n")
        let check = try ana.run(["config", "--check", ana.home.path + "/.config/postilla/config.toml"])
        #expect(check.status == 64)
        for problem in [
            "line 2: profile work: server must be an address", "line 4: profile work: a profile has only one of",
            "line 5: unknown setting of a profile: tokn",
        ] { #expect(check.messages.contains(problem), "\(check.messages)") }
    }

    @Test func theStatusSaysWhichTokenIsUsedAndWhetherItIsAccepted() throws {
        let good = try ana.run(["auth", "status", "--profile", "work"])
        #expect(good.status == 0, "\(good.messages)")
        for line in [
            "profile   work", "server    \(engine.url)", "token     file \(ana.tokenFile)", "accepted  yes",
            "document  paper",
        ] { #expect(good.lines.contains(line), "\(good.output)") }
        #expect(!good.output.contains(ana.token))
        let all = try ana.run(["auth", "status", "--all", "--format", "ndjson"])
        #expect(all.status == 3)
        let states = try all.objects()
        #expect(states.map { $0["profile"] as? String } == ["old", "work"])
        #expect(states.map { $0["accepted"] as? Bool } == [false, true])
        #expect(states.first?["reason"] as? String == "token_expired")
        #expect(states.last?["user"] as? String == "ana")
        let dead = try ana.run(["auth", "status", "--profile", "work", "--server", "http://127.0.0.1:1"])
        #expect(dead.status == 5 && dead.lines.contains("server    http://127.0.0.1:1"))
    }

    @Test func documentsAreListedAndDeleted() throws {
        try engine.upload(.paper(), document: "draft")
        _ = try ana.note("One")
        let taken = try ana.run(["upload", ana.tokenFile, "--document-id", "draft", "--profile", "work"])
        #expect(taken.status != 0)
        let pdf = try ana.home.write("paper.pdf", SmallPDF.paper().bytes)
        let again = try ana.run(["upload", pdf, "--document-id", "draft", "--profile", "work"])
        #expect(again.status == 6 && again.messages.contains("--overwrite replaces it"), "\(again.messages)")
        let listed = try ana.run(["documents", "list", "--json", "id,title", "--format", "ndjson", "--profile", "work"])
        #expect(try Set(listed.objects().compactMap { $0["id"] as? String }) == ["draft", "paper"])
        #expect(
            try ana.run(["documents", "layers", "paper", "--format", "ndjson", "--profile", "work"]).output
                == "\"review\"\n")
        let unasked = try ana.run(["documents", "delete", "draft", "--profile", "work"])
        #expect(unasked.status == 64 && unasked.messages.contains("nothing deleted"))
        let run = try ana.run(["documents", "delete", "draft", "nope", "--force", "--profile", "work"])
        #expect(run.status == 1 && run.messages.contains("nope: no document with this id"))
        #expect(try ana.run(["documents", "--format", "tsv", "--profile", "work"]).lines.count == 2)
    }

    @Test func aTokenInAFileIsShown() throws {
        let run = try ana.run(["token", "show", ana.tokenFile])
        #expect(run.status == 0 && run.lines.contains("user      ana"))
        #expect(try ana.run(["token", "show", "nope"]).status == 3)
    }
}
