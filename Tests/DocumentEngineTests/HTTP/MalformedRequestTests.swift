import Annotations
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOEmbedded
import Testing

@testable import DocumentEngine

/// Requests that are not HTTP get an error in the usual form, and do not fill the log.
@Suite("Malformed requests", .timeLimit(.minutes(15))) struct MalformedRequestTests {
    private static func large(_ bytes: Int) -> String {
        "GET /healthcheck HTTP/1.1\r\nHost: here\r\nX-Filler: \(String(repeating: "x", count: bytes))\r\n\r\n"
    }

    private static let tooMany =
        "GET /healthcheck HTTP/1.1\r\nHost: here\r\n" + (0..<100).map { "X-\($0): y\r\n" }.joined() + "\r\n"

    @Test(arguments: [
        ("no request\r\n\r\n", "not valid HTTP/1.1"), ("GET /healthcheck HTTP/9.9\r\n\r\n", "not valid HTTP/1.1"),
        ("GET / HTTP/1.1\r\nno field\r\n\r\n", "not valid HTTP/1.1"),
        ("GET / HTTP/1.1\r\nHost: here\r\nContent-Length: x\r\n\r\n", "not valid HTTP/1.1"),
        (large(33 << 10), "larger than 32 KB or has more than 100 fields"),
        (tooMany, "larger than 32 KB or has more than 100 fields"),
    ])
    func theyGetTheErrorEnvelope(_ request: String, _ sentence: String) async throws {
        let log = RecordedLog()
        try await RunningServer.run {
            $0.logger = log.logger
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            let said = try await RawConnection.request(request, with: server)
            let parts = said.components(separatedBy: "\r\n\r\n")
            try #require(parts.count == 2, "\(said)")
            let head = parts[0].lowercased()
            #expect(head.hasPrefix("http/1.1 400 "))
            for field in [
                "content-type: application/json", "x-postilla-protocol: 1", "cache-control: no-store",
                "connection: close", "x-request-id: ", "content-length: \(parts[1].utf8.count)",
            ] { #expect(head.contains(field), "\(field) in\n\(head)") }
            let error = try JSON(parsing: parts[1])["error"]
            #expect(error?["reason"] == "bad_request")
            #expect(error?["description"]?.string?.contains(sentence) == true, "\(parts[1])")
            #expect(try await server.figures().contains(#"postilla_refusals_total{reason="bad_request"} 1"#))
        }
        #expect(log.text.contains("debug malformed request address=127.0.0.1 error="), "\(log.text)")
        let loud = log.text.split(separator: "\n").filter {
            !["debug", "trace", "info", "notice"].contains($0.prefix { $0 != " " })
        }
        #expect(loud.isEmpty, "\(loud)")
    }

    /// The documented limit is the real one, also for a single field.
    @Test func aHeadOfNearly32KilobytesIsRead() async throws {
        try await RunningServer.run { server in
            let said = try await RawConnection.request(Self.large(31 << 10), with: server)
            #expect(said.hasPrefix("HTTP/1.1 200 "), "\(said.prefix(200))")
        }
    }

    /// An earlier request keeps its own response.
    @Test func onlyTheMalformedRequestIsRefused() async throws {
        try await RunningServer.run { server in
            let good = "GET /api/documents HTTP/1.1\r\nHost: here\r\n\r\n"
            let said = try await RawConnection.request(good + "no request\r\n\r\n", with: server)
            #expect(said.matches(of: #/HTTP/1\.1 (\d{3}) /#).map(\.1) == ["401", "400"])
            #expect(said.components(separatedBy: #""reason":"unauthorized""#).count == 2)
            #expect(said.components(separatedBy: #""reason":"bad_request""#).count == 2)
        }
    }

    /// A route that reads the malformed body responds itself.
    @Test func aMalformedBodyIsOneError() async throws {
        let log = RecordedLog()
        try await RunningServer.run {
            $0.logger = log.logger
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            let head =
                "POST /api/documents/paper/layers HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n"
                + "Authorization: Token token=\"\(RunningServer.secret)\"\r\n\r\n"
            let said = try await RawConnection.request(head + "no number\r\n", with: server)
            #expect(said.matches(of: #/HTTP/1\.1 (\d{3}) /#).map(\.1) == ["400"])
            #expect(try await server.figures().contains(#"postilla_refusals_total{reason="bad_request"} 1"#))
        }
        #expect(log.text.matches(of: #/debug malformed request address=127\.0\.0\.1 error=/#).count == 1, "\(log.text)")
    }

    /// The framework sends a second response, 400, which is dropped: it is neither counted nor logged.
    @Test func aMalformedBodyOfARefusedRequestGetsNoSecondError() async throws {
        let (log, metrics) = (RecordedLog(), ServerMetrics())
        let (channel, logger) = (NIOAsyncTestingChannel(), log.logger)
        let connection = ConnectionHandlers(
            base: HTTP1Channel { _, _, _ in },
            pace: { ConnectionTimeoutHandler(ServiceLimits(), uptime: { .zero }) },
            malformed: { MalformedRequestHandler(logger: logger, metrics: metrics) })
        let accepted = try await channel.testingEventLoop.flatSubmit {
            connection.setup(channel: channel, logger: logger)
        }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        try await accepted.take().executeThenClose { _, answers in
            // It throws the error that the decoder reports.
            _ = try? await channel.writeInbound(
                ByteBuffer(string: "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n"))
            // At once, because this channel has no half that could close before the second response.
            try await answers.write(contentsOf: [
                .head(HTTPResponse(status: .unauthorized, headerFields: [.contentLength: "0"])), .end(nil),
                .head(HTTPResponse(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])),
                .end(nil),
            ])
            var said = ""
            while let buffer = try await channel.readOutbound(as: ByteBuffer.self) { said += String(buffer: buffer) }
            #expect(said.matches(of: #/HTTP/1\.1 (\d{3}) /#).map(\.1) == ["401"])
        }
        #expect(!MetricsText.text(metrics.registry).contains("bad_request"))
        #expect(!log.text.contains("malformed request"), "\(log.text)")
    }

    /// A token as large as its limit fits into a head, with hundreds of entries.
    @Test func aTokenWithHundredsOfGroupsWorks() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let entries = (0..<400).map { "annotations:view:group=student-\(1000 + $0)" }
            let claims = TokenClaims(collaboration: entries + ["annotations:view:group="], defaultGroup: "student-1007")
            let token = try server.mint.token(claims)
            #expect(token.utf8.count > 16 << 10)
            #expect(try await server.session(token).grant.collaboration?.count == 401)
            let create = Samples.create(1, "n1", group: "student-1007")
            #expect(try await server.push(token, [create]).status == 200)
            #expect(try await server.client(token, "GET", "records").text.contains(#""id":"n1""#))
            let large = try server.mint.token(TokenClaims(collaboration: entries + entries.prefix(100)))
            let answer = try await server.client(large, "GET", "session")
            #expect((answer.status, answer.reason) == (401, "token_malformed"))
            #expect(answer.text.contains("the limit is 24576"), "\(answer.text)")
        }
    }
}
