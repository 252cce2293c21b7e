import Foundation
import Testing

@testable import DocumentEngine

/// When connections end, and that each request is answered once.
@Suite("The end of a connection", .timeLimit(.minutes(15))) struct PersistenceTests {
    private static let ask = "GET /healthcheck HTTP/1.1\r\nHost: here\r\n\r\n"

    /// Everything the server sends on one connection until it closes.
    private func answers(to text: String, _ server: RunningServer) async throws -> [Substring] {
        try await RawConnection.open(server) { connection in
            try await connection.send(text)
            return Self.statuses(try await connection.rest())
        }
    }

    private static func statuses(_ said: String) -> [Substring] {
        said.matches(of: #/HTTP/1\.1 (\d{3}) /#).map(\.1)
    }

    @Test(
        arguments: [
            ("1.0", ""), ("1.0", "Connection: TE\r\n"), ("1.1", "Connection: close\r\n"),
            ("1.1", "Connection: Close\r\n"), ("1.1", "Connection: TE, close\r\n"),
            ("1.1", "Connection: TE\r\nConnection: close\r\n"),
            // After one of these the server reads no more HTTP.
            ("1.1", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
            ("1.1", "Upgrade: websocket\r\n"),
        ]) func itEndsAfterTheAnswer(_ version: String, _ field: String) async throws
    {
        try await RunningServer.run { server in
            let last = "GET /healthcheck HTTP/\(version)\r\nHost: here\r\n\(field)\r\n"
            let answers = try await answers(to: Self.ask + last + Self.ask, server)
            #expect(answers == ["200", "200"])
        }
    }

    @Test func theLastResponseSaysThatItIsTheLast() async throws {
        try await RunningServer.run { server in
            let last = "GET /healthcheck HTTP/1.1\r\nHost: here\r\nConnection: TE, Close\r\n\r\n"
            let said = try await RawConnection.request(Self.ask + last, with: server)
            let answers = said.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.lowercased() }
            #expect(answers.map { $0.contains("\r\nconnection: close\r\n") } == [false, true])
        }
    }

    @Test func anOldClientMayKeepItsConnection() async throws {
        try await RunningServer.run { server in
            let kept = "GET /healthcheck HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"
            let answers = try await answers(to: kept + kept + "GET /healthcheck HTTP/1.0\r\n\r\n", server)
            #expect(answers == ["200", "200", "200"])
        }
    }

    /// The server detects the malformed body before or after it answers the request.
    @Test(arguments: [true, false]) func aMalformedBodyOfARefusedRequestHasNoAnswerOfItsOwn(_ atOnce: Bool) async throws
    {
        let head = "POST /instant/v1/changes HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        try await RunningServer.run { server in
            let said = try await RawConnection.open(server) { connection in
                var said = ""
                if atOnce {
                    try await connection.send(Self.ask + head + "no number\r\n")
                } else {
                    try await connection.send(Self.ask + head)
                    said = try await connection.read(until: "HTTP/1.1 401 ")
                    try await connection.send("no number\r\n")
                }
                return said + (try await connection.rest())
            }
            #expect(Self.statuses(said) == ["200", "401"])
        }
    }

    /// Invalid chunk sizes and lengths.
    @Test(arguments: ["no number\r\n", "-5\r\nhello\r\n", "5\r\nhello, world\r\n", "ffffffffffffffffff\r\n"])
    func aMalformedBodyIsTheClientsFault(_ body: String) async throws {
        let head =
            "POST /api/documents/paper/layers HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n"
            + "Authorization: Token token=\"\(RunningServer.secret)\"\r\n\r\n"
        try await RunningServer.run { server in
            let said = try await RawConnection.request(Self.ask + head + body, with: server)
            #expect(Self.statuses(said) == ["200", "400"])
        }
    }

    @Test func aMalformedHeadIsAnswered() async throws {
        try await RunningServer.run { server in
            let said = try await RawConnection.request(Self.ask + "no request\r\n\r\n", with: server)
            #expect(Self.statuses(said) == ["200", "400"])
        }
    }
}
