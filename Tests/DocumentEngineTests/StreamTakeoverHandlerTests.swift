import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import DocumentEngine

/// Checks in the framework's own pipeline what ``StreamTakeoverHandler`` relies on, so that a framework change fails
/// here.
@Suite("A stream leaves the framework", .timeLimit(.minutes(15))) struct StreamTakeoverHandlerTests {
    private typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>

    @Test func theAnswerGoesOnWithoutTheFramework() async throws {
        let channel = NIOAsyncTestingChannel()
        let framework = try await accepted(channel).take()
        try await framework.executeThenClose { requests, answers in
            var requests = requests.makeAsyncIterator()
            try await channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: here\r\n\r\n"))
            let head = try await requests.next()
            #expect(head != nil)
            try await answers.write(.head(HTTPResponse(status: .ok)))
            #expect(try await said(channel).hasPrefix("HTTP/1.1 200 OK\r\n"))

            try await onLoop(of: channel) { try $0.handler(type: StreamTakeoverHandler.self).take() }
            #expect(try await onLoop(of: channel) { (try? $0.context(handlerType: Decoder.self)) == nil })
            try await onLoop(of: channel) {
                _ = try $0.handler(type: StreamTakeoverHandler.self).send(ByteBuffer(string: "abc"))
            }
            #expect(try await said(channel) == "3\r\nabc\r\n")

            // After this, nothing passes between the framework and the connection.
            try? await answers.write(.body(ByteBuffer(string: "framework")))
            answers.finish()
            try await channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\nnoise"))
            #expect(try await said(channel) == "")
            #expect(channel.isActive)

            let ended = try await onLoop(of: channel) { try $0.handler(type: StreamTakeoverHandler.self).end() }
            try await ended?.get()
            #expect(try await said(channel) == "0\r\n\r\n")
            try await channel.closeFuture.get()
        }
    }

    /// This happens when the server stops between accepting and serving; without the close SwiftNIO would trap.
    @Test func aConnectionThatIsNotTakenIsClosed() async throws {
        let channel = NIOAsyncTestingChannel()
        _ = try await accepted(channel)
        try await channel.closeFuture.get()
    }

    /// SwiftNIO's decoder would buffer all of it, also while the request is still being answered.
    @Test func whatFollowsAnUpgradeIsDropped() async throws {
        let channel = NIOAsyncTestingChannel()
        let framework = try await accepted(channel).take()
        try await framework.executeThenClose { requests, answers in
            var requests = requests.makeAsyncIterator()
            try await channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: here\r\nUpgrade: x\r\n\r\n"))
            let head = try await requests.next()
            #expect(head != nil)
            let counter = Counter()
            try await onLoop(of: channel) { pipeline in
                let decoder = try pipeline.context(handlerType: Decoder.self)
                try pipeline.addHandler(counter, position: .before(decoder.handler))
            }
            try await channel.writeInbound(ByteBuffer(string: "noise"))
            #expect(counter.reads == 0)
            try await answers.write(.head(HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])))
            try await answers.write(.end(nil))
            answers.finish()
            #expect(try await said(channel).hasPrefix("HTTP/1.1 200 OK\r\n"))
            channel.close(promise: nil)
        }
    }

    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private final class Counter: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let count = Atomic(0)
        var reads: Int { count.load(ordering: .relaxed) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            count.wrappingAdd(1, ordering: .relaxed)
            context.fireChannelRead(data)
        }
    }

    private func accepted(
        _ channel: NIOAsyncTestingChannel
    ) async throws -> Accepted<HTTP1Channel.Value> {
        let connection = ConnectionHandlers(
            base: HTTP1Channel { _, _, _ in },
            pace: { ConnectionTimeoutHandler(ServiceLimits(), uptime: { .zero }) },
            malformed: { MalformedRequestHandler(logger: Self.quiet, metrics: ServerMetrics()) })
        let logger = Self.quiet
        let accepted = try await channel.testingEventLoop.flatSubmit {
            connection.setup(channel: channel, logger: logger)
        }.get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        return accepted
    }

    private func onLoop<Result: Sendable>(
        of channel: NIOAsyncTestingChannel,
        _ body: @escaping @Sendable (ChannelPipeline.SynchronousOperations) throws -> Result
    ) async throws -> Result {
        try await channel.testingEventLoop.submit { try body(channel.pipeline.syncOperations) }.get()
    }

    /// All bytes sent since the last call.
    private func said(_ channel: NIOAsyncTestingChannel) async throws -> String {
        var text = ""
        while let buffer = try await channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
        return text
    }
}
