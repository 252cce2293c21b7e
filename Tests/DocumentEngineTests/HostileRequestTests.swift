import Annotations
import SyncProtocol
import Testing

/// Requests that no honest client sends get an error envelope and write nothing.
@Suite("Hostile requests", .timeLimit(.minutes(15))) struct HostileRequestTests {
    @Test(arguments: [
        ("GET", "/", 404), ("GET", "/instant/v1/nothing", 404), ("GET", "/instant/v2/session", 404),
        ("GET", "/api/documents/%ff/properties", 404), ("GET", "/api/documents/a%00b/properties", 404),
        ("GET", "/api/documents/doc/pdfs", 404), ("GET", "/api/documents/doc/nothing", 404),
        ("PATCH", "/api/documents/doc/annotations", 405), ("PUT", "/api/documents", 405),
        ("GET", "/api/documents/doc/annotations/none", 404), ("GET", "/api/documents/doc/pages/x/annotations", 400),
        ("GET", "/api/documents/..%2F..%2Fetc%2Fpasswd/pdf?source=true", 404), ("POST", "/api/documents", 400),
        ("POST", "/api/documents/doc/layers", 400), ("GET", "/api/documents?title=%ff", 404),
    ])
    func everyWrongAddressIsAnswered(_ method: String, _ path: String, _ status: Int) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer = try await server.backend(method, path)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.reason != nil)
            #expect(answer.headers["x-postilla-protocol"] == "1")
            #expect(answer.headers["cache-control"] == "no-store")
        }
    }

    @Test(arguments: [
        "", "garbage", "[]", "{}", #"{"clientID":"c"}"# + "x", #"{"clientID":7,"changes":[]}"#,
        #"{"clientID":"c","changes":[{}]}"#, #"{"clientID":"c","changes":[{"n":1,"op":"move","id":"a"}]}"#,
        #"{"clientID":"c","changes":[{"n":1e999,"op":"delete","id":"a"}]}"#,
        #"{"clientID":"c","changes":[{"n":9223372036854775808,"op":"delete","id":"a"}]}"#,
        #"{"clientID":"c","changes":[{"n":1,"n":2,"op":"delete","id":"a"}]}"#,
        #"{"clientID":"","changes":[]}"#, #"{"clientID":"a b","changes":[]}"#,
        #"{"clientID":"\#(String(repeating: "c", count: 65))","changes":[]}"#,
        "{\"clientID\":\"c\",\"changes\":" + String(repeating: "[", count: 10_000),
    ])
    func aPushThatIsNoMessageIsRefusedWhole(_ body: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let answer = try await server.client(token, "POST", "changes", body: Array(body.utf8))
            #expect((answer.status, answer.reason) == (400, "bad_request"), "\(answer.text)")
            #expect(try await server.session(token).head == 0)
        }
    }

    @Test func whatIsTooLargeIsToldSo() async throws {
        try await RunningServer.run {
            $0.limits = ServerLimits(recordBytes: 2000, batchChanges: 3, batchBytes: 20_000)
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let many = (1...4).map { Samples.create(Int64($0), "n\($0)") }
            let tooMany = try await server.push(token, many)
            #expect((tooMany.status, tooMany.reason) == (413, "payload_too_large"))
            let tooLong = try await server.push(token, [Samples.create(1, "n1", String(repeating: "x", count: 30_000))])
            #expect((tooLong.status, tooLong.reason) == (413, "payload_too_large"))
            // A record over the limit fails alone.
            let one: PushAnswer = try await server.push(
                token, [Samples.create(1, "n1", String(repeating: "x", count: 3000)), Samples.create(2, "n2")]
            ).message()
            #expect(one.results.map(\.status) == [.invalid, .applied])
            #expect(try await server.session(token).limits.batchChanges == 3)
        }
    }

    @Test func compressedBodiesAreNotUnpacked() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let secret = ("Authorization", #"Token token="\#(RunningServer.secret)""#)
            let (packed, body) = (("Content-Encoding", "gzip"), [0x1F, 0x8B, 8, 0] as [UInt8])
            let name = String(repeating: "a", count: 64)
            for answer in [
                try await server.client(token, "POST", "changes", headers: [packed], body: body),
                try await server.client(token, "PUT", "attachments/\(name)", headers: [packed], body: body),
                try await server.send(
                    "POST", "/api/documents", headers: [secret, packed, ("Content-Type", "application/pdf")], body: body
                ),
                try await server.send(
                    "POST", "/api/documents",
                    headers: [secret, packed, ("Content-Type", "multipart/form-data; boundary=x")], body: body),
            ] {
                #expect(answer.status == 400 && answer.text.contains("compressed"), "\(answer.text)")
            }
        }
    }

    @Test(arguments: [("0", 426, "old_client"), ("2", 426, "old_server"), ("x", 400, "bad_request")])
    func versionsThatAreNotSpokenAreTold(_ version: String, _ status: Int, _ reason: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let answer = try await server.client(token, "GET", "session", headers: [("X-Postilla-Protocol", version)])
            #expect((answer.status, answer.reason) == (status, reason))
        }
    }

    @Test func hostileTextIsKeptAndComesBackAsItWas() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let text =
                #"{"v":2,"type":"x/y","pageIndex":0,"bbox":[0,0,1,1.50],"odd":{"é":1e3,"deep":[[null]]},"text":"\u001b[2J\u202e\u0000\r\nevent: x"}"#
            let change = Change(n: 1, kind: .create, id: "a/../b", baseRevision: 0, content: try Content(text))
            let epoch = try await server.session(token).epoch
            var events = try await EventReader(server, token, from: Cursor(epoch: epoch, revision: 0))
            #expect(try await events.session()?.kind == .open)
            #expect(try await server.push(token, [change]).status == 200)
            let heard = try #require(try await events.change())
            guard case .record(let record, _)? = heard.changes.first else { Issue.record("no record"); return }
            #expect(record.content.text == text)
            let one = try await server.backend("GET", "/api/documents/doc/layers/review/annotations/a%2F..%2Fb")
            #expect(one.text.contains(text))
        }
    }

    @Test(arguments: ["", "a b", "a\nb", String(repeating: "x", count: 257)])
    func anIdThatIsNoneIsInvalid(_ id: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer: PushAnswer = try await server.push(
                server.mint.token(TokenClaims()), [Samples.create(1, id)]
            ).message()
            #expect(answer.results.map(\.status) == [.invalid])
        }
    }
}
