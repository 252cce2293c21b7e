import TestSupport
import TestThreads
import Testing

/// One server under several addresses.
@Suite(.onOwnThreads)
struct OtherAddressStories {
    let engine: EngineProcess
    let ana: Person
    let port: String

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        port = String(engine.url.split(separator: ":").last ?? "")
    }

    private func run(_ host: String, _ words: String...) throws -> Program.Outcome {
        try ana.run(words + ["--server", "http://\(host):\(port)", "--token-file", ana.tokenFile])
    }

    private func count(_ text: String) throws -> Int {
        try engine.records().components(separatedBy: text).count - 1
    }

    @Test func anotherSpellingIsTheSameServer() throws {
        #expect(try run("127.0.0.1", "list").status == 0)
        let added = try ana.run([
            "add", "--offline", "--server", "HTTP://127.0.0.1:0\(port)/", "--token-file", ana.tokenFile, "--page", "1",
            "--note", "Written under another spelling",
        ])
        #expect(added.status == 0, "\(added.messages)")
        #expect(try run("127.0.0.1", "sync").output.contains("0 waiting"))
        #expect(try count("Written under another spelling") == 1)
    }

    @Test func editsOfAnotherNameAreNamedAndSentOnRequest() throws {
        for host in ["127.0.0.1", "localhost"] { #expect(try run(host, "list").status == 0) }
        let text = "Written under the number"
        #expect(try run("127.0.0.1", "add", "--offline", "--page", "1", "--note", text).status == 0)
        let other = "http://127.0.0.1:\(port)"
        let named = try run("localhost", "sync")
        #expect(
            named.status == 0
                && named.messages.contains(
                    "1 unsent edit of this layer was made under \(other): if it is the same server as "
                        + "http://localhost:\(port), postilla sync --from \(other) sends them here"),
            "\(named.messages)")
        #expect(try run("localhost", "outbox").messages.contains("made under \(other)"))
        #expect(try ana.run(["storage", "list"]).messages.contains("unsent edits under \(other) (1)"))
        #expect(try count(text) == 0)
        // Without a terminal, sync cannot ask.
        let unasked = try run("localhost", "sync", "--from", other)
        #expect(unasked.status == 64 && unasked.messages.contains("--force"), "\(unasked.messages)")
        #expect(try count(text) == 0)
        let sent = try run("localhost", "sync", "--from", "http://127.0.0.1:0\(port)", "--force")
        #expect(sent.status == 0 && sent.output.contains("0 waiting"), "\(sent.messages)")
        #expect(try count(text) == 1)
        let none = try run("localhost", "sync", "--from", other, "--force")
        #expect(none.status == 1 && none.messages.contains("no unsent edit of this layer was made under \(other)"))
        #expect(try run("127.0.0.1", "sync").output.contains("0 waiting"))
        #expect(try count(text) == 1)
    }

    @Test func editsOfAnotherServerAreNotSent() throws {
        let stranger = try EngineProcess()
        try stranger.upload(.paper())
        let (url, file) = (stranger.url, ana.home.path + "/stranger.jwt")
        try ana.home.write("stranger.jwt", try stranger.token("ana"))
        #expect(try ana.run(["list", url, "--token-file", file]).status == 0)
        #expect(try run("127.0.0.1", "list").status == 0)
        let added = try ana.run([
            "add", "--offline", "--server", url, "--token-file", file, "--page", "1", "--note", "Elsewhere",
        ])
        #expect(added.status == 0, "\(added.messages)")
        let refused = try run("127.0.0.1", "sync", "--from", url, "--force")
        #expect(refused.status == 1 && refused.messages.contains("they are not the same server"), "\(refused.messages)")
        #expect(try count("Elsewhere") == 0)
        #expect(try ana.run(["sync", url, "--token-file", file]).status == 0)
        #expect(try stranger.records().contains("Elsewhere"))
    }
}
