import Foundation
import TestThreads
import Testing

@testable import DocumentEngine

/// A request that is refused before its body was read ends its connection, unless the rest is small.
@Suite("Unread bodies", .timeLimit(.minutes(15))) struct UnreadBodyTests {
    private static let ask = "GET /healthcheck HTTP/1.1\r\nHost: here\r\n\r\n"
    private static let large = 10_000_000_000

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var line = "POST /api/documents HTTP/1.1"
        var authorization = "Authorization: Token token=\"wrong\"\r\n"
        var framing = "Content-Length: \(large)\r\n"
        /// The first bytes of the body.
        var body = String(repeating: "x", count: 1000)
        var status = "401"
    }

    static let rows: [Row] = [
        Row(testDescription: "a wrong secret"),
        Row(testDescription: "no address", line: "POST /nothing HTTP/1.1", status: "404"),
        Row(testDescription: "a wrong method", line: "PUT /api/documents HTTP/1.1", status: "405"),
        Row(
            testDescription: "an open address with a body", line: "GET /healthcheck HTTP/1.1", authorization: "",
            status: "200"),
        Row(
            testDescription: "chunks without end and a bad token", line: "POST /instant/v1/changes HTTP/1.1",
            authorization: "Authorization: Bearer none\r\n", framing: "Transfer-Encoding: chunked\r\n",
            body: "3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n"),
        Row(
            testDescription: "too large", authorization: "Authorization: Token token=\"\(RunningServer.secret)\"\r\n",
            framing: "Content-Length: \(large)\r\nContent-Type: application/pdf\r\n", status: "413"),
        Row(
            testDescription: "a client that waits", framing: "Content-Length: \(large)\r\nExpect: 100-continue\r\n",
            body: ""),
        Row(
            testDescription: "a client that waits with a small body",
            framing: "Content-Length: 9\r\nExpect: 100-continue\r\n", body: ""),
        Row(testDescription: "HTTP/1.0", line: "POST /api/documents HTTP/1.0"),
        Row(
            testDescription: "HTTP/1.0 that would go on", line: "POST /api/documents HTTP/1.0",
            framing: "Connection: keep-alive\r\nContent-Length: \(large)\r\n"),
    ]

    /// The client reads the response and the end of the server's side while its own is open.
    @Test(arguments: rows) func theAnswerIsTheLast(_ row: Row) async throws {
        try await RunningServer.run { server in
            let said = try await RawConnection.open(server) { connection in
                let head = "\(row.line)\r\nHost: here\r\n\(row.authorization)\(row.framing)\r\n"
                try await connection.send(Self.ask + head + row.body)
                return try await connection.rest()
            }
            let answers = said.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(answers.map { $0.prefix(3) } == ["200", row.status[...]], "\(said)")
            #expect(answers.last?.lowercased().contains("\r\nconnection: close\r\n") == true)
        }
    }

    /// Reading 64 KB is cheaper than a new connection.
    @Test(arguments: [1, 65_536]) func aSmallBodyKeepsTheConnection(_ bytes: Int) async throws {
        try await RunningServer.run { server in
            let head =
                "POST /api/documents HTTP/1.1\r\nHost: here\r\nAuthorization: Token token=\"x\"\r\nContent-Length: \(bytes)\r\n\r\n"
            try await RawConnection.open(server) { connection in
                for _ in 0..<3 {
                    try await connection.send(head)
                    let answer = try await connection.read(until: #""}}"#)
                    #expect(answer.hasPrefix("HTTP/1.1 401 ") && !answer.lowercased().contains("connection: close"))
                    try await connection.send(String(repeating: "x", count: bytes))
                }
                try await connection.send(Self.ask)
                #expect(try await connection.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    /// A client that reads nothing before all is sent gets the response if the body fits what is read and the buffers.
    @Test func aClientThatReadsLastGetsTheAnswer() async throws {
        try await RunningServer.run { server in
            for size in [200_000, 500_000] {
                let said = try await RawConnection.open(server) { connection in
                    try await connection.send(
                        "POST /api/documents HTTP/1.1\r\nHost: here\r\nContent-Length: \(size)\r\n\r\n"
                            + String(repeating: "x", count: size))
                    return try await connection.rest()
                }
                #expect(said.hasPrefix("HTTP/1.1 401 "), "\(size)")
            }
        }
    }

    /// The connection is not reset while the client may still read the response; then it is closed, whatever the client
    /// does.
    @Test func aClientThatKeepsSendingIsClosed() async throws {
        let clock = TestClock()
        try await RunningServer.run(clock: clock) {
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            try await RawConnection.open(server) { connection in
                try await connection.send(
                    "POST /api/documents HTTP/1.1\r\nHost: here\r\nContent-Length: \(Self.large)\r\n\r\n")
                // Reads the end of the server's side too.
                #expect(try await connection.rest().hasPrefix("HTTP/1.1 401 "))
                try await connection.send(String(repeating: "x", count: 1 << 20))
                let line = #"postilla_connections_closed_total{state="linger",timeout="yes"} 1"#
                #expect(try await !server.figures().contains(line))
                try await waitUntil("the connection is closed") {
                    clock.advance(seconds: 1)
                    return try await server.figures().contains(line)
                }
                await #expect(throws: (any Error).self) {
                    for _ in 0..<64 { try await connection.send(String(repeating: "x", count: 1 << 20)) }
                }
            }
        }
    }

    /// The limit before a route reads a body does not apply once it does.
    @Test func whatIsWantedArrives() async throws {
        try await RunningServer.run { server in
            let pdf = String(decoding: Samples.pdf, as: UTF8.self) + String(repeating: " ", count: 20 << 20)
            let lines = [
                "POST /api/documents?document_id=large HTTP/1.1", "Host: here", "Content-Type: application/pdf",
                "Authorization: Token token=\"\(RunningServer.secret)\"",
            ]
            for (framing, body) in [
                ("Content-Length: \(pdf.utf8.count)", pdf),
                (
                    "Transfer-Encoding: chunked",
                    "\(String(pdf.utf8.count, radix: 16))\r\n\(pdf)\r\n0\r\n\r\n"
                ),
            ] {
                let path = framing.hasPrefix("T") ? "chunked" : "sized"
                let head = lines.joined(separator: "\r\n").replacing("=large", with: "=\(path)")
                let answer = try await RawConnection.request(
                    "\(head)\r\n\(framing)\r\n\r\n\(body)", with: server, until: "errors")
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
            }
        }
    }

    /// Chunks may contain any number of bytes that are not content (RFC 9112, section 7.1.1).
    @Test func chunksWithoutContentAreRefused() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let head =
                "POST /instant/v1/changes HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer \(token)\r\nTransfer-Encoding: chunked\r\n\r\n"
            let said = try await RawConnection.open(server) { connection in
                try await connection.send(head)
                // The client may be reset before it has sent everything.
                try? await connection.send("1;" + String(repeating: "x", count: 8 << 20))
                return try await connection.rest()
            }
            #expect(said.hasPrefix("HTTP/1.1 400 "), "\(said)")
            // Small chunks are accepted.
            let push = #"{"clientID":"c","acked":0,"cursor":null,"changes":[]}"#
            let body = push.map { "1\r\n\($0)\r\n" }.joined() + "0\r\n\r\n"
            let answer = try await RawConnection.request(head + body, with: server, until: "results")
            #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
        }
    }
}
