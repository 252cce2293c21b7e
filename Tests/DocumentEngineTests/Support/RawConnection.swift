import NIOCore
import NIOPosix
import TestThreads

/// A connection for arbitrary bytes, including what no HTTP library would send.
struct RawConnection {
    private var bytes: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>

    /// - Parameters:
    ///   - receiveBuffer: Size of the system's receive buffer in bytes; nil for the default.
    ///   - isDeaf: Whether the client never reads.
    ///   - port: The server's port; nil for that of its routes.
    ///   - seconds: The maximum duration of the connection.
    static func open<Result: Sendable>(
        _ server: RunningServer, receiveBuffer: Int? = nil, isDeaf: Bool = true, port: Int? = nil, seconds: Int = 60,
        _ body: (inout RawConnection) async throws -> Result
    ) async throws -> Result {
        // A client may keep sending after the server has closed its side.
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.allowRemoteHalfClosure, value: true)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
            if isDeaf { bootstrap = bootstrap.channelOption(.autoRead, value: false) }
        }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port ?? server.port) { channel in
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

    /// Sends the text and, without `end`, closes the sending side.
    ///
    /// - Parameter end: The text that ends the wait; nil to wait until the server closes.
    static func request(
        _ text: String, with server: RunningServer, until end: String? = nil
    ) async throws -> String {
        try await open(server) { connection in
            // The server may close before it has read everything.
            try? await connection.send(text)
            if let end { return try await connection.read(until: end) }
            connection.endInput()
            return try await connection.rest()
        }
    }

    /// Sends the start of a push that announces this many bytes, with only a few of them.
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

    /// Closes the sending side; responses can still be read.
    func endInput() { writer.finish() }

    /// Sends from another task.
    var sender: @Sendable (String) async throws -> Void {
        { [writer] in try await writer.write(ByteBuffer(string: $0)) }
    }

    func send(_ text: String) async throws { try await writer.write(ByteBuffer(string: text)) }

    /// The next bytes, as many as one read returned; empty once the other end has closed.
    mutating func piece() async throws -> String { try await bytes.next().map { String(buffer: $0) } ?? "" }

    /// The bytes until the other end closes.
    mutating func rest() async throws -> String {
        var text = ""
        do {
            while let buffer = try await bytes.next() { text += String(buffer: buffer) }
        } catch is IOError {
            // Closing with unread bytes causes a reset.
        }
        return text
    }

    /// The bytes up to and including this text.
    mutating func read(until end: String) async throws -> String {
        var text = ""
        // Searches new bytes only: a long response is not scanned again with each piece.
        var tail = ""
        while !tail.contains(end), let buffer = try await bytes.next() {
            let piece = String(buffer: buffer)
            text += piece
            tail = tail.suffix(end.count) + piece
        }
        return text
    }
}
