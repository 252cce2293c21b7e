import Annotations
import Foundation
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// Every state of a connection ends, seen from a real socket. The clock is the test's. `ConnectionTimeoutsTests` has the
/// times.
@Suite("Every connection ends", .timeLimit(.minutes(15))) struct ConnectionStateTests {
    private static func run(
        log: RecordedLog? = nil, _ change: (inout Server.Options) async throws -> Void = { _ in },
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.run {
            if let log { $0.logger = log.logger }
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
            try await change(&$0)
        } _: {
            try await body($0)
        }
    }

    /// Advances the clock until a connection was closed in this state.
    private func closes(
        _ server: RunningServer, in state: ConnectionTimeouts.Phase, bySeconds seconds: Int64 = 1,
        isTimeout: Bool = true, _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let line = "postilla_connections_closed_total{state=\"\(state)\",timeout=\"\(isTimeout ? "yes" : "no")\"} "
        var figures = ""
        do {
            try await waitUntil("a connection is closed: \(state)") {
                server.clock.advance(seconds: seconds)
                // The timeouts may end the connection of this very request.
                figures = (try? await server.figures()) ?? figures
                return figures.contains(line)
            }
        } catch {
            let known = figures.split(separator: "\n").filter { $0.hasPrefix("postilla_connections") }
            Issue.record("\(error); \(known.joined(separator: ", "))", sourceLocation: location)
            throw error
        }
    }

    @Test(arguments: ["", "G", "GET /healthcheck HTTP/1.1\r\nHost: here\r\nX: "])
    func beforeAHead(_ bytes: String) async throws {
        try await Self.run { server in
            try await RawConnection.open(server) { connection in
                try await connection.send(bytes)
                try await closes(server, in: .head)
                #expect(try await connection.rest() == "")
            }
        }
    }

    @Test func inTheTLSHandshake() async throws {
        let folder = try TemporaryFolder()
        try await Self.run {
            $0.tls = try TLSTestKey.files(in: folder)
        } _: { server in
            try await RawConnection.open(server) { connection in
                // The first bytes of a ClientHello.
                try await connection.send("\u{16}\u{3}\u{1}\u{0}\u{70}\u{1}")
                try await closes(server, in: .head)
                #expect(try await connection.rest() == "")
            }
        }
    }

    @Test(arguments: ["", "GET /health"]) func betweenTwoRequests(_ bytes: String) async throws {
        try await Self.run {
            // Its timer must expire.
            $0.service.idleSeconds = 1
        } _: { server in
            try await RawConnection.open(server) { connection in
                try await connection.send("GET /healthcheck HTTP/1.1\r\nHost: here\r\n\r\n")
                _ = try await connection.read(until: "}")
                try await connection.send(bytes)
                try await closes(server, in: .idle)
                #expect(try await connection.rest() == "")
            }
        }
    }

    @Test func inABody() async throws {
        try await Self.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            try await RawConnection.open(server) { connection in
                try await connection.beginPush(token, announcing: 1_000)
                try await closes(server, in: .body)
            }
            try await RawConnection.open(server) { connection in
                try await connection.beginPush(token, announcing: 1_000_000)
                try await closes(server, in: .body)
            }
        }
    }

    /// The server's own delay has a timeout too, and does not count against the client.
    @Test func whileTheServerWorks() async throws {
        let (tool, log) = (try WaitingTool(), RecordedLog())
        try await Self.run(log: log) {
            $0.tools = tool.tools
            $0.service.answerSeconds = 1
        } _: { server in
            try await RawConnection.open(server) { connection in
                let pdf = String(decoding: Samples.pdf, as: UTF8.self)
                try await connection.send(
                    """
                    POST /api/documents?document_id=doc HTTP/1.1\r
                    Host: here\r
                    Content-Type: application/pdf\r
                    Authorization: Token token="\(RunningServer.secret)"\r
                    Content-Length: \(pdf.utf8.count)\r
                    \r
                    \(pdf)GET /healthcheck HTTP/1.1\r
                    Host: here\r
                    \r

                    """)
                try await waitUntil("a PDF is worked on") {
                    try await server.figures().contains("postilla_pdf_jobs_running 1\n")
                }
                try await closes(server, in: .answer)
                #expect(try await connection.rest() == "")
            }
            try tool.letGo()
            let line = #"postilla_slow_connections_total{reason="late_answer"} 1"#
            #expect(try await server.figures().contains(line))
        }
        let text = "error connection closed by a timeout peer=127.0.0.1 reason=late_answer state=answer"
        #expect(log.text.contains(text))
    }

    @Test func whileNobodyTakesAnAnswer() async throws {
        try await Self.run { server in
            try await server.upload("doc", Samples.pdf + Array(repeating: 0x20, count: 24 << 20))
            try await RawConnection.open(server, receiveBuffer: 4096) { connection in
                try await connection.send(Self.download)
                try await closes(server, in: .answer)
            }
            let line = #"postilla_slow_connections_total{reason="stalled_answer"} 1"#
            #expect(try await server.figures().contains(line))
        }
    }

    private static let download = """
        GET /api/documents/doc/pdf?source=true HTTP/1.1\r
        Host: here\r
        Authorization: Token token="\(RunningServer.secret)"\r
        \r

        """

    /// A stream ends with its token.
    @Test func inAStream() async throws {
        try await Self.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims(expires: TestClock.start + 3_600_000))
            try await RawConnection.open(server) { connection in
                try await connection.send(Self.listen(token))
                _ = try await connection.read(until: "open")
                // Far beyond every other timeout.
                server.clock.advance(seconds: 3_599)
                #expect(try await server.send("GET", "/healthcheck").status == 200)
                server.clock.advance(seconds: 1)
                #expect(try await connection.rest().contains("expired"))
            }
            try await closes(server, in: .stream, isTimeout: false)
        }
    }

    @Test func inAStreamThatNobodyReads() async throws {
        try await Self.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims(expires: TestClock.start + 100_000_000))
            // The pushes take longer beside other tests.
            try await RawConnection.open(server, receiveBuffer: 4096, seconds: 600) { connection in
                try await connection.send(Self.listen(token))
                try await waitUntil("the server has a stream") { server.server.listenerCount > 0 }
                let long = Samples.note(String(repeating: "long ", count: 20_000))
                for n in Int64(1)...60 {
                    let change = Change(n: n, kind: .create, id: "n\(n)", baseRevision: 0, content: long)
                    #expect(try await server.push(token, [change]).status == 200)
                }
                try await closes(server, in: .stream)
                try await waitUntil("the server has no stream") { server.server.listenerCount == 0 }
            }
        }
    }

    private static func listen(_ token: String) -> String {
        "GET /instant/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    /// The server does not read a listener's input forever.
    @Test func inputOnAStreamIsLimited() async throws {
        try await Self.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            try await RawConnection.open(server) { connection in
                try await connection.send(Self.listen(token))
                _ = try await connection.read(until: "open")
                let noise = String(repeating: "x", count: 1 << 20)
                // More than the system's buffers hold: the rest is never sent.
                let sender = Task { [send = connection.sender] in for _ in 0..<64 { try? await send(noise) } }
                #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
                _ = try await connection.read(until: "n1")
                sender.cancel()
            }
            // The client's end follows unread input, so the next heartbeat detects it.
            try await waitUntil("the server has no stream") {
                server.clock.advance(seconds: 1)
                return server.server.listenerCount == 0
            }
        }
    }

    /// The last response, of which the client's system takes a part.
    @Test func whileNobodyTakesTheLastAnswer() async throws {
        try await Self.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let long = Samples.note(String(repeating: "long ", count: 20_000))
            for n in Int64(1)...80 {
                let change = Change(n: n, kind: .create, id: "n\(n)", baseRevision: 0, content: long)
                #expect(try await server.push(token, [change]).status == 200)
            }
            try await RawConnection.open(server, receiveBuffer: 4096) { connection in
                try await connection.send(
                    """
                    GET /api/documents/doc/layers/review/annotations HTTP/1.1\r
                    Host: x\r
                    Connection: close\r
                    Authorization: Token token="\(RunningServer.secret)"\r
                    \r

                    """)
                try await closes(server, in: .ending)
            }
        }
    }

    @Test(arguments: [
        "GET /healthcheck HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET /healthcheck HTTP/1.0\r\n\r\n",
        "GET /healthcheck HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\nnoise", "no request\r\n\r\n",
    ]) func afterTheLastAnswer(_ request: String) async throws {
        try await Self.run { server in
            try await RawConnection.open(server) { connection in
                try await connection.send(request)
                #expect(try await connection.rest().hasPrefix("HTTP/1.1 "))
                try await closes(server, in: .linger)
            }
        }
    }

    @Test func whenTheClientHasEndedItsSide() async throws {
        try await Self.run { server in
            let answer = try await RawConnection.request("GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n", with: server)
            #expect(answer.hasSuffix(#""ok"}"#))
            try await closes(server, in: .ending, bySeconds: 0, isTimeout: false)
        }
    }
}
