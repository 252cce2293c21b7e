import Foundation
import TestSupport
import TestThreads
import Testing

/// Secrets leave this machine over https only, unless the user allows more, and go to the server that was named.
@Suite(.onOwnThreads)
struct SecretStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    /// Reaches this machine, but is not one of its addresses.
    private func elsewhere(_ url: String) -> String { url.replacing("127.0.0.1", with: "0.0.0.0") }

    @Test func theBackendsSecretNeedsHTTPS() throws {
        let pdf = try ana.home.write("one.pdf", "%PDF-1.7")
        let secret = ["--api-token-file", engine.secretFile]
        for command in [
            ["documents"], ["documents", "layers", "paper"], ["documents", "delete", "paper", "--force"],
            ["token", "revoke", "--jti", "x"], ["upload", pdf],
        ] {
            let run = try ana.run(command + secret + ["--server", elsewhere(engine.url)])
            #expect(run.status == 64 && run.messages.contains("--insecure-http"), "\(command): \(run.messages)")
            #expect(run.messages.contains("the backend's secret is not sent"), "\(run.messages)")
        }
        let allowed = try ana.run(["documents", "--insecure-http", "--server", elsewhere(engine.url)] + secret)
        #expect(allowed.status == 0 && allowed.output.contains("paper"), "\(allowed.messages)")
    }

    @Test func theAnswerOfATokenURLIsASecretToo() throws {
        let backend = try OtherServer(body: #"{"jwt":"\#(ana.token)"}"#)
        let header = try ana.home.write("header", "X-Key: hidden\n")
        let list = ["list", engine.url, "--token-url"]
        #expect(try ana.run(list + [backend.url + "/?d={document}"]).status == 0)
        for more in [[], ["--token-url-header-file", header]] {
            let run = try ana.run(list + [elsewhere(backend.url) + "/?key=hidden"] + more)
            #expect(run.status == 64 && run.messages.contains("--insecure-http"), "\(run.messages)")
            #expect(!run.messages.contains("hidden"))
        }
        #expect(try ana.run(list + [elsewhere(backend.url), "--insecure-http"]).status == 0)
        let status = try ana.run([
            "auth", "status", "--server", engine.url, "--token-url", backend.url + "/a?key=hidden",
        ])
        #expect(status.output.contains(backend.url + "/a") && !status.output.contains("hidden"), "\(status.output)")
    }

    @Test func aRedirectIsNamedAndNotFollowed() throws {
        let target = try OtherServer(body: #"{"jwt":"\#(ana.token)"}"#)
        let location = "Location: \(target.url.replacing("http://", with: "http://user:pw@"))/there?key=hidden\r\n"
        let server = try OtherServer(status: 302, headers: location, body: "")
        let sentence = "a redirect to \(target.url)/there, which is not followed"
        for command in [
            ["list", engine.url, "--token-url", server.url], ["list", server.url, "--token-file", ana.tokenFile],
            ["documents", "--server", server.url, "--api-token-file", engine.secretFile],
            ["token", "check", server.url, "--token-file", ana.tokenFile],
        ] {
            let run = try ana.run(command)
            #expect(run.status != 0 && run.messages.contains(sentence), "\(command): \(run.messages)")
            #expect(!run.messages.contains("hidden") && !run.messages.contains("pw"))
        }
    }

    /// As in a browser, and said once.
    @Test func anAddressWithoutASchemeIsCompleted() throws {
        let port = engine.url.split(separator: ":").last ?? ""
        for (host, form) in [("127.0.0.1", "127.0.0.1"), ("localhost", "localhost"), ("LocalHost.", "localhost")] {
            let run = try ana.run(["list", "--server", "\(host):\(port)", "--token-file", ana.tokenFile])
            #expect(run.status == 0, "\(run.messages)")
            #expect(run.messages.components(separatedBy: "the server is http://\(form):\(port)\n").count == 2)
        }
        let quiet = try ana.run(["list", "-q", "--server", "127.0.0.1:\(port)", "--token-file", ana.tokenFile])
        #expect(quiet.status == 0 && quiet.messages.isEmpty, "\(quiet.messages)")
        let other = try ana.run(["list", "--server", "host.invalid:1", "--token-file", ana.tokenFile])
        #expect(other.messages.contains("the server is https://host.invalid:1\n"), "\(other.messages)")
        // Two names are two addresses, two spellings are not.
        let here = try ana.run(["storage", "list", "--format", "ndjson"]).output
        for name in ["localhost", "127.0.0.1"] {
            #expect(here.components(separatedBy: "\"http://\(name):\(port)\"").count == 2, "\(here)")
        }
    }

    /// A port that does not fit ended the program with signal 4.
    @Test func numbersOutOfRangeAreAnswered() throws {
        for port in ["99999", "65536", "0", "9223372036854775808"] {
            for host in ["127.0.0.1", "[::1]", "localhost"] {
                let server = "http://\(host):\(port)"
                let run = try ana.run(["list", "--server", server, "--token-file", ana.tokenFile])
                #expect(run.status == 64 && run.messages.contains("ports are numbers from 1"), "\(run.messages)")
            }
        }
        let url = try ana.run(["list", engine.url, "--token-url", "http://127.0.0.1:99999/"])
        #expect(url.status == 64, "\(url.messages)")
        let token = ["--token-file", ana.tokenFile]
        for time in ["3650000d", "315360000000"] {
            #expect(try ana.run(["list", engine.url, "--timeout", time] + token).status == 0)
        }
        for time in ["99999999999999999999s", "9223372036854775807d", "-1s", "1e9s"] {
            #expect(try ana.run(["list", engine.url, "--timeout", time] + token).status == 64)
        }
        let limits = ["9223372036854775807", "9223372036854775808", "-1"]
        #expect(try limits.map { try ana.run(["list", engine.url, "--limit", $0] + token).status } == [0, 64, 64])
        for claim in ["1e400", "9223372036854775807", "253402300799", "-1"] {
            let broken = try engine.token { $0.document = "paper" }
            let parts = broken.split(separator: ".").map(String.init)
            let payload = #"{"document_id":"paper","permissions":"all","exp":\#(claim),"iat":\#(claim)}"#
            let forged = [parts[0], Data(payload.utf8).base64EncodedString(), parts[2]].joined(separator: ".")
                .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
            let run = try ana.run(["token", "check", engine.url], input: forged)
            #expect(run.status == 3, "\(claim): \(run.messages)")
        }
    }

    private static let mayUnshare =
        geteuid() == 0
        && (try? Program.run(["-m", "true"], environment: [:], executable: "/usr/bin/unshare"))?.status == 0

    /// A resolver may name another machine for `localhost`.
    @Test(.enabled(if: mayUnshare, "needs root, and mount namespaces")) func localhostIsNotLookedUp() throws {
        let hosts = try ana.home.write("hosts", "192.0.2.1 localhost\n")
        let server = engine.url.replacing("127.0.0.1", with: "localhost")
        let command =
            "mount --bind \(hosts) /etc/hosts && exec \(Program.path) list \(server) --token-file \(ana.tokenFile)"
        let run = try Program.run(
            ["-m", "sh", "-c", command], environment: ana.environment, executable: "/usr/bin/unshare")
        #expect(run.status == 0, "\(run.messages)")
    }
}
