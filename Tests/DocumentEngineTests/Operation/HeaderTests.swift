import Testing

@testable import DocumentEngine

/// The headers of every response.
@Suite(.timeLimit(.minutes(15))) struct HeaderTests {
    @Test func everyAnswerIsGuarded() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let answers = [
                try await server.send("GET", "/healthcheck"), try await server.send("GET", "/nothing"),
                try await server.send("GET", "/api/documents"), try await server.backend("GET", "/api/documents"),
                try await server.backend("GET", "/api/documents/doc/pdf?source=true"),
                try await server.backend("HEAD", "/api/documents/doc/pdf?source=true"),
                try await server.client(token, "GET", "session"), try await server.client(token, "GET", "document"),
                try await server.client("no", "GET", "session"), try await server.backend("PATCH", "/api/documents"),
            ]
            for answer in answers {
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["cache-control"] == "no-store")
                #expect(answer.headers["content-security-policy"] == "default-src 'none'; sandbox")
                #expect(answer.headers["x-postilla-protocol"] == "1")
                #expect(answer.headers["strict-transport-security"] == nil)
            }
            #expect(Set(answers.compactMap { $0.headers["x-request-id"] }).count == answers.count)
        }
    }

    @Test(arguments: [
        ("from-a.proxy_7", true), ("", false), ("a b", false), ("a\tb", false),
        (String(repeating: "x", count: 65), false),
        (#"{"a":1}"#, false),
    ])
    func aRequestKeepsTheNameAProxyGaveIt(_ name: String, _ isTaken: Bool) async throws {
        try await RunningServer.run { server in
            let answer = try await server.send("GET", "/healthcheck", headers: [("X-Request-Id", name)])
            #expect((answer.headers["x-request-id"] == name) == isTaken)
            #expect(answer.headers["x-request-id"]?.isEmpty == false)
        }
    }
}
