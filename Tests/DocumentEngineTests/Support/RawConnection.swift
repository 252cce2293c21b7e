import NIOCore
import NIOPosix
import TestThreads

/// A connection on which everything may be said, also what no HTTP library would send.
struct RawConnection {
    private var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// - Parameters:
    ///   - receiveBuffer: bytes that the system takes before this reads; nil: as many as usual.
    ///   - isDeaf: nothing is ever read.
    ///   - seconds: how long the connection may last.
    static func open<Result: Sendable>(
        _ server: RunningServer, receiveBuffer: Int? = nil, isDeaf: Bool = true, seconds: Int = 60,
        _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        // A client may keep sending after the server has closed its side.
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
            if isDeaf { bootstrap = bootstrap.channelOption(.autoRead, value: false) }
        }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: server.port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
            }
        }
        let what = WaitedInVain("a connection of a test is done", seconds: seconds)
        let end = channel.channel.eventLoop.scheduleTask(in: .seconds(Int64(seconds))) {
            channel.channel.pipeline.fireErrorCaught(what)
            channel.channel.close(promise: nil)
        }
        defer { end.cancel() }
        return try await channel.executeThenClose { inbound, outbound in
            var connection = RawConnection(bytes: inbound.makeAsyncIterator(), writer: outbound)
            return try await body(&connection)
        }
    }

    /// Says this and, where nothing is waited for, that nothing follows.
    ///
    /// - Parameter end: what ends the wait; nil: that the server closes.
    static func request(
        _ text: String, with server: RunningServer, until end: String? = nil
    ) async throws -> String {
        try await open(server) { connection in
            // A server may close before it has read everything.
            try? await connection.send(text)
            if let end { return try await connection.read(until: end) }
            connection.endInput()
            return try await connection.rest()
        }
    }

    /// The beginning of a push, of which this many bytes are announced and a few sent.
    func beginPush(_ token: String, announcing bytes: Int) async throws {
        try await send(
            """
            POST /instant/v1/changes HTTP/1.1\r
            Host: here\r
            Authorization: Bearer \(token)\r
            Content-Length: \(bytes)\r
            \r
            {"clientID":
            """)
    }

    /// Nothing follows; what comes can still be read.
    func endInput() { writer.finish() }

    func send(_ text: String) async throws { try await writer.write(ByteBuffer(string: text)) }

    /// What comes next, as much as was read at once; empty when the other end has closed.
    mutating func piece() async throws -> String { try await bytes.next().map { String(buffer: $0) } ?? "" }

    /// What comes until the other end closes.
    mutating func rest() async throws -> String {
        var text = ""
        do {
            while let buffer = try await bytes.next() { text += String(buffer: buffer) }
        } catch is IOError {
            // Closed with something unread is a reset.
        }
        return text
    }

    /// What comes until this is among it.
    mutating func read(until end: String) async throws -> String {
        var text = ""
        // Only where it can be new: a long answer is not looked through again with each piece.
        var tail = ""
        while !tail.contains(end), let buffer = try await bytes.next() {
            let piece = String(buffer: buffer)
            text += piece
            tail = tail.suffix(end.count) + piece
        }
        return text
    }
}
