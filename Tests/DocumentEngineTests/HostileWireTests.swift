import Annotations
import SyncProtocol
import TestSupport
import Testing

/// Malformed HTTP on a connection has no effect, and the server keeps running.
@Suite("Hostile bytes", .timeLimit(.minutes(15))) struct HostileWireTests {
    /// A valid push with other lines in its head.
    private func push(_ token: String, _ lines: [String], _ body: String? = nil) -> String {
        let change = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [Samples.create(1, "a")])
        let body = body ?? String(decoding: change.bytes, as: UTF8.self)
        let head = ["POST /instant/v1/changes HTTP/1.1", "Host: x", "Authorization: Bearer \(token)"] + lines
        return head.map { $0.replacing("LENGTH", with: "\(body.utf8.count)") + "\r\n" }.joined() + "\r\n" + body
    }

    private func expectNothing(_ server: RunningServer, _ token: String) async throws {
        #expect(try await server.session(token).head == 0)
        #expect(try await server.send("GET", "/healthcheck").status == 200)
    }

    @Test func anHonestOneIsTaken() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let answer = try await RawConnection.request(
                push(token, ["Content-Length: LENGTH", "Connection: close"]), with: server)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(try await server.session(token).head == 1)
        }
    }

    /// Lengths that are wrong, duplicated, contradictory or not numbers, which another server on the path could read as
    /// two requests.
    @Test(arguments: [
        ["Content-Length: -1"], ["Content-Length: 12abc"], ["Content-Length: 99999999999999999999"],
        ["Content-Length: LENGTH", "Content-Length: 7"], ["Content-Length: LENGTH, 7"],
        ["Transfer-Encoding: chunked", "Content-Length: LENGTH"], ["Transfer-Encoding: xchunked"],
        ["Transfer-Encoding: chunked"], ["Content-Length : LENGTH"], ["Content-Length: 0x10"],
    ])
    func aLengthThatIsNoneEndsTheConnection(_ lines: [String]) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let answer = try await RawConnection.request(push(token, lines), with: server)
            #expect(!answer.contains("HTTP/1.1 2"), "\(answer.prefix(80))")
            try await expectNothing(server, token)
        }
    }

    /// A truncated body applies no part of the change.
    @Test func aBodyThatIsCutIsNotTaken() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let whole = push(token, ["Content-Length: LENGTH"])
            for missing in [1, 20, 100] {
                _ = try await RawConnection.request(String(whole.dropLast(missing)), with: server)
            }
            let chunked = push(token, ["Transfer-Encoding: chunked"], "5\r\n{\"cli\r\n0\r\n\r\n")
            let answer = try await RawConnection.request(chunked, with: server, until: "bad_request")
            #expect(answer.hasPrefix("HTTP/1.1 400"))
            try await expectNothing(server, token)
        }
    }

    /// Bytes beyond the declared body length are a separate request.
    @Test func whatIsBehindTheBodyIsNoPartOfIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let smuggled = push(token, ["Content-Length: 2"], "{}GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try await RawConnection.request(smuggled, with: server, until: #""ok"}"#)
            #expect(answer.hasPrefix("HTTP/1.1 400"), "the first body is not a push")
            try await expectNothing(server, token)
        }
    }

    @Test(arguments: [
        "\r\n\r\n", "GARBAGE\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA\u{0}b: c\r\n\r\n", "GET /\r\nhealthcheck HTTP/1.1\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\(String(repeating: "X: y\r\n", count: 2_000))\r\n",
        "GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func whatIsNoRequestIsTurnedAway(_ bytes: String) async throws {
        try await RunningServer.run { server in
            let answer = try await RawConnection.request(bytes, with: server)
            #expect(!answer.contains("HTTP/1.1 2"), "\(answer.prefix(80))")
            #expect(try await server.send("GET", "/healthcheck").status == 200)
        }
    }

    /// After random damage to a valid push, it applies completely or not at all, and the server keeps running.
    @Test func damagedRequestsAreDoneWholeOrNotAtAll() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let honest = Array(push(token, ["Content-Length: LENGTH", "Connection: close"]).utf8)
            var random = SeededRandom(seed: 77)
            for _ in 0..<60 {
                var bytes = honest
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...127, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(random.pick(Array("\r\n:{}\" 0".utf8)), at: place)
                    }
                }
                _ = try await RawConnection.request(String(decoding: bytes, as: UTF8.self), with: server)
            }
            let page: SnapshotPage = try await server.client(token, "GET", "records").message()
            let taken = page.records.filter { $0.id != "6" && $0.id != "7" }
            #expect(
                taken.allSatisfy { item in
                    guard case .record(let record, _) = item else { return false }
                    return record.content["type"] != nil && record.createdBy == "ana"
                })
            #expect(try await server.send("GET", "/healthcheck").status == 200)
        }
    }
}
