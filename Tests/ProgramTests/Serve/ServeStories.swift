import Annotations
import EngineSupport
import Foundation
import TestSupport
import TestThreads
import Testing

/// `serve` from the operator's side.
@Suite(.onOwnThreads)
struct ServeStories {
    private let folder: Folder
    private let key: String

    init() throws {
        folder = try Folder()
        key = try folder.write("key.pub.pem", TokenMint().publicKeyPEM)
    }

    private func serve(_ arguments: String..., environment: [String: String] = [:]) throws -> Program.Outcome {
        try Program.run(["serve"] + arguments, environment: environment.merging(["HOME": folder.path]) { $1 })
    }

    private func config(_ text: String) throws -> String { try folder.write("server.toml", text) }

    @Test func aCheckSaysEverythingThatWouldBeUsed() throws {
        let secret = try folder.write("secret", "hush, hush, hush!")
        let config = try config(
            """
            port = 0
            data = "\(folder.path)/data"
            api-token-file = "\(secret)"
            [limits]
            streams = 12
            """)
        let run = try serve(
            "--config", config, "--jwt-public-key", key, "--check", environment: ["POSTILLA_SERVE_LOG_FORMAT": "json"])
        #expect(run.status == 0, "\(run.messages)")
        for line in [
            "host = 127.0.0.1  (default)", "port = 0  (\(config), line 1)",
            "jwt-public-key = \(key)  (--jwt-public-key)",
            "limits.streams = 12  (\(config), line 5)", "limits.streams-per-token = 1000  (default)",
            "log-format = json  (POSTILLA_SERVE_LOG_FORMAT)",
        ] { #expect(run.lines.contains(line), "\(line) in\n\(run.output)") }
        #expect(run.messages == "No errors.\n")
        #expect(!run.output.contains("hush"))
    }

    /// The server raises the limit of open files as far as it may.
    @Test func thereAreAsManyConnectionsAsFilesAllow() throws {
        let run = try Program.run(
            [
                "-c", #"ulimit -S -n 1024 && ulimit -H -n 2048 && exec "$0" "$@""#, Program.path, "serve",
                "--jwt-public-key", key, "--port", "0", "--data", folder.path + "/data", "--check",
            ], environment: ["HOME": folder.path], executable: "/bin/sh")
        #expect(run.lines.contains("limits.connections = 896  (default)"), "\(run.output)\n\(run.messages)")
    }

    @Test func aCheckReportsAFullDisk() throws {
        let data = folder.path + "/data"
        let run = try serve(
            "--jwt-public-key", key, "--port", "0", "--data", data, "--limit", "free-disk-bytes=1125899906842624",
            "--check")
        #expect(run.status == 1)
        #expect(run.messages.hasSuffix("reading still works; see free-disk-bytes\n"), "\(run.messages)")
        #expect(run.messages.contains("postilla: \(data): the server's disk is full"), "\(run.messages)")
    }

    @Test func aCheckSaysEverythingThatIsWrong() throws {
        let secret = try folder.write("secret", "hush, hush, hush!")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret)
        let run = try serve(
            "--jwt-public-key", secret, "--jwt-public-key", folder.path + "/none", "--api-token-file", secret,
            "--host", "0.0.0.0", "--store", "mysql://x", "--limit", "streams=-1", "--check")
        #expect(run.status == 64)
        for sentence in [
            "\(secret): not a supported public key", "cannot read \(folder.path)/none: No such file or directory",
            "\(secret) is readable by other users; run chmod 600", "plain http is not allowed",
            "--store: store must be sqlite:PATH or postgres://", "--limit: limits.streams must be a number from 0",
        ] { #expect(run.messages.contains(sentence), "\(sentence) in\n\(run.messages)") }
        #expect(!run.messages.contains("hush"))
    }

    @Test func whatIsTakenOrNotOursIsFoundByTheCheck() throws {
        let engine = try EngineProcess()
        let port = try #require(engine.url.split(separator: ":").last.map(String.init))
        let taken = try serve(
            "--jwt-public-key", key, "--port", port, "--data", folder.path + "/data", "--check")
        #expect(taken.status == 1)
        #expect(taken.messages == Self.taken(port, "port"))
        let file = try folder.write("file", "")
        let noFolder = try serve("--jwt-public-key", key, "--port", "0", "--data", file, "--check")
        #expect(noFolder.status == 1)
        #expect(noFolder.messages.contains(file))
        let noDatabase = try serve(
            "--jwt-public-key", key, "--port", "0", "--data", folder.path + "/data", "--store",
            "postgres://127.0.0.1:1/none", "--check")
        #expect(noDatabase.status == 1, "\(noDatabase.messages)")
    }

    private static func taken(_ port: String, _ setting: String) -> String {
        "postilla: cannot listen on 127.0.0.1:\(port): the address is in use; change --\(setting)\n"
    }

    /// The error names the setting of either address: the server's and that of the metrics.
    @Test func aPortThatIsTakenIsNamedWithItsSetting() throws {
        let engine = try EngineProcess()
        let port = try #require(engine.url.split(separator: ":").last.map(String.init))
        let data = folder.path + "/data"
        let main = try serve("--jwt-public-key", key, "--port", port, "--data", data)
        #expect((main.status, main.messages) == (1, Self.taken(port, "port")))
        let figures = try serve(
            "--jwt-public-key", key, "--port", "0", "--metrics-address", port, "--data", data)
        #expect((figures.status, figures.messages) == (1, Self.taken(port, "metrics-address")))
        let both = try serve(
            "--jwt-public-key", key, "--port", "7", "--metrics-address", "127.0.0.1:7", "--data", data)
        #expect(both.status == 64 && both.messages.contains("--metrics-address"), "\(both.messages)")
        let nowhere = try serve(
            "--jwt-public-key", key, "--host", "203.0.113.1", "--behind-proxy", "--data", data)
        #expect(
            nowhere.messages.contains("203.0.113.1:5000: this machine does not have this address; change --host"),
            "\(nowhere.messages)")
    }

    @Test func filesThatHoldSomethingElseAreNamed() throws {
        let lines = try folder.write("lines", "one\ntwo\n")
        let secret = try serve("--jwt-public-key", key, "--api-token-file", lines)
        #expect(secret.status == 64 && secret.messages.contains("\(lines) is not a secret"), "\(secret.messages)")
        let none = folder.path + "/none"
        let missing = try serve("--jwt-public-key", key, "--tls-cert", none, "--tls-key", none)
        #expect(missing.status == 1 && missing.messages.contains("cannot read \(none)"), "\(missing.messages)")
        let wrong = try serve("--jwt-public-key", key, "--tls-cert", lines, "--tls-key", lines)
        #expect(wrong.status == 64 && wrong.messages.contains("not a certificate and its key"), "\(wrong.messages)")
        let data = try serve("--jwt-public-key", key, "--port", "0", "--data", lines)
        #expect(data.status == 1 && data.messages.contains("it is a link or not a folder"), "\(data.messages)")
    }

    @Test(arguments: [
        ("prot = 1", "server.toml, line 1: unknown setting: prot"), ("port = ", "line 1: missing value"),
        ("port = 70000", "line 1: port must be a number from 0 to 65535"),
    ])
    func aFileThatIsWrongIsNotServedFrom(_ text: String, _ sentence: String) throws {
        let run = try serve("--config", try config(text), "--jwt-public-key", key)
        #expect(run.status == 64)
        #expect(run.messages.contains(sentence), "\(run.messages)")
    }

    /// The first signal drains, the second stops immediately.
    @Test func itStopsWhenItIsToldAndAtOnceWhenItIsToldAgain() throws {
        let polite = try RunningCommand(
            ["serve", "--jwt-public-key", key, "--port", "0", "--data", folder.path + "/one"],
            environment: ["HOME": folder.path])
        try polite.see("http://127.0.0.1:")
        polite.terminate()
        #expect(try polite.waitForExit() == 0)

        let patient = try RunningCommand(
            [
                "serve", "--jwt-public-key", key, "--port", "0", "--data", folder.path + "/two", "--drain", "1h",
                "--log-level", "debug",
            ],
            environment: ["HOME": folder.path])
        try patient.see("http://127.0.0.1:")
        patient.terminate()
        try patient.hear("stopping")
        patient.terminate()
        #expect(try patient.waitForExit() == 130)
    }

    @Test func aBackupIsMadeWhileItRunsAndServedFrom() throws {
        let engine = try EngineProcess()
        try engine.upload(.paper())
        try engine.create(["v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [1, 1, 9, 9], "text": "kept"])
        let copy = folder.path + "/copy"
        let run = try Program.run(
            ["backup", copy, "--data", engine.folder.path + "/data"],
            environment: engine.environment)
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages == "1 document(s), 2 file(s) (2 new): \(copy)\n")
        try engine.create(["v": 2, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [1, 1, 9, 9], "text": "later"])
        let restored = try EngineProcess(options: ["--data", copy])
        #expect(restored.log.contains("the database was restored from a backup"))
        let records = try restored.records()
        #expect(records.contains("kept") && !records.contains("later"))
    }
}
