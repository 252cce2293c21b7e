import Annotations
import EngineSupport
import Foundation
import TestSupport
import TestThreads
import Testing

/// `token check`: the server's verdict on a token.
@Suite(.onOwnThreads)
struct TokenCheckStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private func check(_ token: String, _ more: String...) throws -> Program.Outcome {
        let run = try ana.run(["token", "check", engine.url] + more, input: token + "\n")
        #expect(!run.output.contains(token) && !run.messages.contains(token))
        return run
    }

    private func issue(_ more: String...) throws -> String {
        let run = try ana.run(
            ["token", "issue", "--key", engine.folder.path + "/key.pem", "--document", "paper", "--layer", "review"]
                + more)
        #expect(run.status == 0, "\(run.messages)")
        return run.output.trimmingCharacters(in: .newlines)
    }

    @Test func anAcceptedTokenIsDescribed() throws {
        let token = try issue(
            "--user", "ana", "--jti", "t-1", "--permission", "read-document", "--permission", "write",
            "--collaboration-permission", "annotations:view:all", "--collaboration-permission", "annotations:edit:self",
            "--collaboration-permission", "annotations:edit:group=", "--collaboration-permission", "x:y:z")
        let run = try check(token)
        #expect(run.status == 0, "\(run.messages)")
        for line in [
            "accepted  yes", "clock     the server's agrees with this machine's", "document  paper",
            "layer     review", "user      ana", "may       read-document, write",
            "records   annotations: view all", "          annotations: edit own, without a group", "id        t-1",
            #"warning   unknown collaboration permission "x:y:z"; it grants nothing"#,
        ] { #expect(run.lines.contains(line), "\(line) in\n\(run.output)") }
        #expect(run.lines.contains { $0.hasPrefix("key       ES256, SHA-256 ") })
        #expect(run.lines.contains { $0.hasPrefix("until     ") && $0.hasSuffix("min left)") })
        // Nothing is stored.
        #expect(!FileManager.default.fileExists(atPath: ana.home.path + "/.local"))
    }

    @Test func aRefusedTokenIsExplainedAndGivesAnExitCode() throws {
        let expired = try check(engine.token { $0.expires = 1_000_000_000 })
        #expect(expired.status == 3)
        #expect(expired.messages == "postilla: \(engine.url) refuses the token: the token has expired\n")
        for line in [
            "accepted  no, token_expired", "until     2001-09-09T01:46:40.000Z (expired by the server's clock)",
        ] {
            #expect(expired.lines.contains(line), "\(line) in\n\(expired.output)")
        }
        let forged = try check(engine.tokenSignedWithPublicKey())
        #expect(forged.status == 3 && forged.messages.contains("no key for the token's algorithm"))
        #expect(
            forged.lines == [
                "accepted  no, algorithm_refused", "from      standard input", "key       none of the server's",
            ])
        let none = try check(engine.token { $0.document = "unknown" })
        #expect(none.status == 3 && none.lines.first == "accepted  no, document_not_found")
        try engine.revoke(try engine.token { $0.id = "known" })
        let revoked = try check(engine.token { $0.id = "known" })
        #expect(revoked.status == 3 && revoked.lines.first == "accepted  no, token_revoked")
    }

    @Test func programsReadJSON() throws {
        let run = try check(engine.token { $0.permissions = ["download"] }, "--format", "json")
        #expect(run.status == 0)
        let verdict = try JSON(parsing: run.output)
        #expect(verdict["accepted"] == true)
        #expect(verdict["grant"]?["permissions"] == ["download"])
        #expect(verdict["key"]?["sha256"]?.string?.count == 64)
        #expect(verdict["clock_difference"]?.integer.map { abs($0) < 10_000 } == true)
        #expect(verdict["warnings"]?.array?.contains { $0.string?.contains("read-document") == true } == true)
        let forged = try check(engine.tokenSignedWithPublicKey(), "--format", "ndjson")
        #expect(forged.status == 3)
        #expect(try JSON(parsing: forged.output)["reason"] == "algorithm_refused")
        #expect(try JSON(parsing: forged.output)["key"] == nil)
        let tsv = try check(engine.token(), "--format", "tsv").lines
        #expect(tsv.first == "accepted\treason\tkey\tdocument\tlayer\tuser\tuntil\tsource")
        #expect(tsv.last?.hasPrefix("true\t\t") == true)
    }

    @Test func theTokenComesFromAFileACommandOrTheEnvironment() throws {
        let other = ["--server", engine.url]
        let ways: [(arguments: [String], environment: [String: String])] = [
            (["--token-file", ana.tokenFile], [:]), (["--token-command", "cat \(ana.tokenFile)"], [:]),
            ([], ["POSTILLA_TOKEN_FILE": ana.tokenFile]), ([], ["POSTILLA_TOKEN": ana.token]),
        ]
        for way in ways {
            let run = try ana.run(["token", "check"] + other + way.arguments, environment: way.environment)
            #expect(run.status == 0 && run.lines.first == "accepted  yes", "\(way): \(run.messages)")
        }
    }

    /// A verdict on another token than the one that was piped in would mislead.
    @Test func whatIsPipedInComesBeforeProfileAndEnvironmentAndTheSourceIsNamed() throws {
        let other = try ana.home.write("other.jwt", try engine.token { $0.expires = 1_000_000_000 })
        try FileManager.default.createDirectory(
            atPath: ana.home.path + "/.config/postilla", withIntermediateDirectories: true)
        try ana.home.write(".config/postilla/config.toml", "[profiles.work]\ntoken-file = \"\(other)\"\n")
        let check = ["token", "check", engine.url]
        for (more, environment) in [
            ([], ["POSTILLA_TOKEN_FILE": other]), ([], ["POSTILLA_TOKEN": "other"]), (["--profile", "work"], [:]),
            (["--token-stdin"], ["POSTILLA_TOKEN_FILE": other]),
        ] {
            let run = try ana.run(check + more, input: ana.token + "\n", environment: environment)
            #expect(run.status == 0 && run.lines.contains("from      standard input"), "\(more): \(run.messages)")
        }
        // Nothing on standard input.
        let variable = try ana.run(check, environment: ["POSTILLA_TOKEN_FILE": other])
        #expect(variable.status == 3 && variable.lines.contains("from      POSTILLA_TOKEN_FILE (\(other))"))
        let profile = try ana.run(check + ["--profile", "work", "--format", "json"])
        #expect(try JSON(parsing: profile.output)["source"]?.string == "profile work (\(other))")
        // An option and bytes are two tokens.
        for option in [["--token-file", ana.tokenFile], ["--token-command", "cat \(ana.tokenFile)"]] {
            let both = try ana.run(check + option, input: ana.token + "\n")
            #expect(both.status == 64 && both.output == "" && both.messages.contains("two tokens"), "\(both.messages)")
        }
        // What is no token is named with its source.
        let bad = try ana.run(check, environment: ["POSTILLA_TOKEN": "secret"])
        #expect(bad.status == 3 && bad.messages.contains("POSTILLA_TOKEN: "), "\(bad.messages)")
    }

    /// Text that is not a token is not sent, because it may be another secret.
    @Test func otherTextIsNotSent() throws {
        for (text, sentence) in [
            ("", "no token"), ("a secret", "three parts"), ("a.b.c", "not base64url"),
            (String(repeating: "x", count: 25_000), "the limit is 24576"),
        ] {
            let run = try ana.run(["token", "check", "http://127.0.0.1:1"], input: text)
            #expect(run.status == 3 && run.messages.contains(sentence), "\(run.messages)")
        }
        #expect(try ana.run(["token", "check"], input: ana.token).status == 64)
        #expect(try ana.run(["token", "check", "http://127.0.0.1:1"], input: ana.token).status == 5)
        // A token is not an argument, because other users of the machine can see arguments.
        #expect(try ana.run(["token", "check", engine.url, ana.token]).status == 64)
        let remote = try ana.run(["token", "check", "http://192.0.2.1"], input: ana.token)
        #expect(remote.status == 64 && remote.messages.contains("--insecure-http"), "\(remote.messages)")
    }

    @Test func aTerminalPromptsForTheTokenAndHidesIt() throws {
        let terminal = try ana.start(["token", "check", engine.url], columns: 200)
        try terminal.see("Token (hidden):")
        terminal.send(text: ana.token + "\n")
        try terminal.see("accepted  yes")
        #expect(!terminal.text.contains(ana.token.prefix(20)))
        #expect(try terminal.waitForExit() == 0)
    }

    @Test func anOlderServerIsReported() throws {
        let server = try OtherServer(
            status: 404, body: #"{"error":{"reason":"not_found","description":"no such address"}}"#)
        let run = try ana.run(["token", "check", server.url], input: ana.token)
        #expect(run.status == 1 && run.messages.contains("cannot check tokens"), "\(run.messages)")
        let web = try OtherServer(status: 200, body: "<html>hello</html>")
        let other = try ana.run(["token", "check", web.url], input: ana.token)
        #expect(other.status == 1 && other.messages.contains("is not a Postilla server"), "\(other.messages)")
    }

    // MARK: What the server requires

    @Test func audienceIssuerAndLifetime() throws {
        let strict = try EngineProcess(options: [
            "--jwt-audience", "annotations", "--jwt-audience", "other", "--jwt-issuer", "login", "--max-token-lifetime",
            "2h",
        ])
        try strict.upload(.paper())
        func token(_ more: String...) throws -> String {
            let run = try ana.run(
                ["token", "issue", "--key", strict.folder.path + "/key.pem", "--document", "paper", "--user", "ana"]
                    + more)
            return run.output.trimmingCharacters(in: .newlines)
        }
        func first(_ token: String) throws -> String? {
            try ana.run(["token", "check", strict.url], input: token).lines.first
        }
        let good = ["--audience", "mail", "--audience", "annotations", "--issuer", "login"]
        #expect(try first(token()) == "accepted  no, audience_refused")
        #expect(try first(token("--audience", "annotations")) == "accepted  no, issuer_refused")
        #expect(try first(token(good[0], good[1], good[2], good[3], good[4], good[5])) == "accepted  yes")
        let long = try token("--audience", "annotations", "--issuer", "login", "--expires-in", "3h")
        #expect(try first(long) == "accepted  no, lifetime_refused")
        try ana.give(long)
        let list = try ana.run(["list", strict.url, "--token-file", ana.tokenFile])
        #expect(
            list.status == 3 && list.messages.contains("the server rejected the token: the token is valid for longer"))
    }
}
