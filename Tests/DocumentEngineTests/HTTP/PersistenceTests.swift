import NIOCore
import NIOEmbedded
import NIOHTTP1
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

    /// A client that sends everything before it reads is not blocked by full buffers.
    @Test func whatARefusedClientStillSendsIsTaken() async throws {
        let head = "POST /instant/v1/changes HTTP/1.1\r\nHost: here\r\nConnection: close\r\n"
        let piece = String(repeating: "x", count: 1 << 20)
        try await RunningServer.run { server in
            let said = try await RawConnection.open(server) { connection in
                try await connection.send(head + "Content-Length: \(16 << 20)\r\n\r\n")
                let said = try await connection.read(until: "HTTP/1.1 401 ")
                for _ in 0..<16 { try await connection.send(piece) }
                return said + (try await connection.rest())
            }
            #expect(Self.statuses(said) == ["401"])
        }
    }

    /// A client that never closes its side is disconnected.
    @Test func aClientHasLimitedTimeToCloseItsSide() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(HalfClosing(), PersistenceHandler(linger: .seconds(30)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try channel.close(mode: .output).wait()
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    /// A client that still reads the response is not disconnected; one that reads nothing is.
    @Test func aClientThatStillReadsIsNotDisconnected() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(HalfClosing(), PersistenceHandler(linger: .seconds(30)))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let body = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(repeating: 0, count: 1000)))
        channel.pipeline.write(body, promise: nil)
        try channel.close(mode: .output).wait()
        channel.flush()
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(!channel.isActive)
    }

    @Test func aMalformedHeadIsAnswered() async throws {
        try await RunningServer.run { server in
            let said = try await RawConnection.request(Self.ask + "no request\r\n\r\n", with: server)
            #expect(Self.statuses(said) == ["200", "400"])
        }
    }
}

/// EmbeddedChannel does not support half-closure; this handler simulates it.
private final class HalfClosing: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(.byteBuffer(let bytes)) = unwrapOutboundIn(data) else { return }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
}
