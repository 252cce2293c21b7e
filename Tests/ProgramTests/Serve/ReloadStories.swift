import Annotations
import EngineSupport
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Keys and secrets that change while `serve` runs.
@Suite(.onOwnThreads)
struct ReloadStories {
    private let folder: Folder
    private let first = TokenMint()
    private let second = TokenMint()

    init() throws { folder = try Folder() }

    private func config(_ text: String) throws -> String { try folder.write("server.toml", text) }

    private func status(_ url: String, _ mint: TokenMint) throws -> Int32 {
        let token = try folder.write("token.jwt", mint.token(document: "paper", layer: "review", user: "ana"))
        return try Program.run(
            ["token", "check", url, "--token-file", token], environment: ["HOME": folder.path]
        ).status
    }

    /// Whether the secret is accepted, tested by revoking a token that does not exist.
    private func isAccepted(_ secret: String, at url: String) throws -> Bool {
        let run = try Program.run(
            [
                "token", "revoke", "--jti", "nothing", "--server", url, "--api-token-file",
                folder.write("given", secret),
            ],
            environment: ["HOME": folder.path])
        return run.status == 0
    }

    /// The recipe of docs/operations.md, with keys and secrets at once.
    @Test func aKeyAndASecretAreRotated() throws {
        let (one, two) = (
            try folder.write("one.pem", first.publicKeyPEM), try folder.write("two.pem", second.publicKeyPEM)
        )
        let (old, new) = (
            try folder.write("old", "the earlier secret\n"), try folder.write("new", "the secret to come\n")
        )
        let audit = folder.path + "/audit.jsonl"
        func write(_ keys: [String], _ secrets: [String]) throws -> String {
            func list(_ words: [String]) -> String { "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
            return try config(
                """
                port = 0
                data = "\(folder.path)/data"
                jwt-public-key = \(list(keys))
                api-token-file = \(list(secrets))
                audit-log = "\(audit)"
                """)
        }
        let serve = try RunningCommand(
            ["serve", "--config", try write([one], [old])], environment: ["HOME": folder.path])
        try serve.see("http://127.0.0.1:")
        let url = try #require(try JSON(parsing: serve.output)["server"]?.string)
        try upload(url, old)
        #expect(try status(url, first) == 0)
        #expect(try status(url, second) == 3)
        #expect(try isAccepted("the earlier secret", at: url) && !isAccepted("the secret to come", at: url))

        _ = try write([one, two], [new, old])
        try reload(serve, "added=1 keys=2 removed=0 secrets=2")
        #expect(try status(url, first) == 0 && status(url, second) == 0)
        #expect(try isAccepted("the earlier secret", at: url) && isAccepted("the secret to come", at: url))

        _ = try write([two], [new])
        try reload(serve, "added=0 keys=1 removed=1 secrets=1")
        #expect(try status(url, first) == 3 && status(url, second) == 0)
        #expect(try !isAccepted("the earlier secret", at: url) && isAccepted("the secret to come", at: url))
        serve.terminate()
        #expect(try serve.waitForExit() == 0)
        let lines = try String(contentsOfFile: audit, encoding: .utf8).split(separator: "\n")
            .map { try JSON(parsing: String($0)) }
        #expect(
            lines.map { $0["action"]?.string } == [
                "upload", "revoke", "reload", "revoke", "revoke", "reload", "revoke",
            ])
        #expect(lines.map { $0["secret"]?.integer } == [1, 1, nil, 2, 1, nil, 1])
    }

    private func upload(_ url: String, _ secret: String) throws {
        let pdf = try folder.write("paper.pdf", SmallPDF.paper().bytes)
        let run = try Program.run(
            ["upload", pdf, "--document-id", "paper", "--server", url, "--api-token-file", secret],
            environment: ["HOME": folder.path])
        #expect(run.status == 0, "\(run.messages)")
    }

    private func reload(_ serve: RunningCommand, _ said: String...) throws {
        serve.signal(SIGHUP)
        for words in said { try serve.hear(words) }
    }

    /// All or nothing: if one file is invalid, the others have no effect either.
    @Test func aFileThatIsWrongKeepsTheEarlierOnes() throws {
        let key = try folder.write("key.pem", first.publicKeyPEM)
        let secret = try folder.write("secret", "the earlier secret")
        let serve = try RunningCommand(
            [
                "serve", "--jwt-public-key", key, "--api-token-file", secret, "--port", "0", "--data",
                folder.path + "/data",
            ], environment: ["HOME": folder.path])
        try serve.see("http://127.0.0.1:")
        let url = try #require(try JSON(parsing: serve.output)["server"]?.string)
        try upload(url, secret)
        try folder.write("secret", "too short")
        try folder.write("key.pem", second.publicKeyPEM)
        try reload(serve, "keys and secrets were not reloaded", "\(secret): the secret has 9 characters")
        #expect(try status(url, first) == 0 && status(url, second) == 3)
        #expect(try isAccepted("the earlier secret", at: url))
        try folder.write("secret", "the secret to come")
        try folder.write("key.pem", "nonsense")
        try reload(serve, "\(key): not a supported public key")
        try FileManager.default.removeItem(atPath: key)
        try reload(serve, "cannot read \(key): No such file")
        #expect(try isAccepted("the earlier secret", at: url))
        #expect(!serve.messages.contains("the secret to come"))
        try folder.write("key.pem", second.publicKeyPEM)
        try reload(serve, "added=1 keys=1 removed=1 secrets=1")
        #expect(try status(url, first) == 3 && status(url, second) == 0)
        serve.terminate()
        #expect(try serve.waitForExit() == 0)
    }

    @Test func otherSettingsAreReportedToNeedARestart() throws {
        let key = try folder.write("key.pem", first.publicKeyPEM)
        func text(_ level: String) -> String {
            "port = 0\ndata = \"\(folder.path)/data\"\njwt-public-key = \"\(key)\"\nlog-level = \"\(level)\"\n"
        }
        let serve = try RunningCommand(
            ["serve", "--config", try config(text("info"))], environment: ["HOME": folder.path])
        try serve.see("http://127.0.0.1:")
        _ = try config(text("debug"))
        try reload(serve, "a changed setting needs a restart setting=log-level", "keys and secrets were reloaded")
        _ = try config("prot = 1")
        try reload(serve, "server.toml, line 1: unknown setting: prot")
        serve.terminate()
        #expect(try serve.waitForExit() == 0)
    }

    @Test func theAuditLogIsReopened() throws {
        let key = try folder.write("key.pem", first.publicKeyPEM)
        let secret = try folder.write("secret", "the earlier secret")
        let audit = folder.path + "/audit.jsonl"
        let serve = try RunningCommand(
            [
                "serve", "--jwt-public-key", key, "--api-token-file", secret, "--port", "0", "--data",
                folder.path + "/data", "--audit-log", audit,
            ], environment: ["HOME": folder.path])
        try serve.see("http://127.0.0.1:")
        let url = try #require(try JSON(parsing: serve.output)["server"]?.string)
        try upload(url, secret)
        try FileManager.default.moveItem(atPath: audit, toPath: audit + ".1")
        try reload(serve, "keys and secrets were reloaded")
        serve.terminate()
        #expect(try serve.waitForExit() == 0)
        #expect(try String(contentsOfFile: audit + ".1", encoding: .utf8).contains(#""action":"upload""#))
        #expect(try String(contentsOfFile: audit, encoding: .utf8).contains(#""action":"reload""#))
    }

    /// A server in the foreground ends with its terminal window, as before.
    @Test func itEndsWithItsTerminal() throws {
        let key = try folder.write("key.pem", first.publicKeyPEM)
        let terminal = try VirtualTerminal(
            running: [
                Program.path, "serve", "--jwt-public-key", key, "--port", "0", "--data", folder.path + "/data",
            ], environment: ["HOME": folder.path], directory: folder.path, rows: 24, columns: 200)
        try terminal.see("http://127.0.0.1:")
        terminal.signal(SIGHUP)
        try terminal.see("keys and secrets were reloaded")
        terminal.hangUp()
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
    }

    // MARK: Secrets

    @Test(arguments: [("hush", 4), ("fifteen letters", 15)]) func aShortSecretIsRefused(_ text: String, _ count: Int)
        throws
    {
        let key = try folder.write("key.pem", first.publicKeyPEM)
        let secret = try folder.write("secret", text)
        let run = try Program.run(
            ["serve", "--jwt-public-key", key, "--api-token-file", secret, "--data", folder.path + "/data"],
            environment: ["HOME": folder.path])
        #expect(run.status == 64)
        #expect(
            run.messages.contains("\(secret): the secret has \(count) characters, but must have at least 16"),
            "\(run.messages)")
        #expect(run.messages.contains("openssl rand -hex 32"))
        #expect(!run.messages.contains(text))
    }
}
