import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import DocumentEngine

/// How much is read from a connection whose client never stops sending.
struct InputValveTests {
    private static let mostPerTurn = 256 << 10

    /// A connection whose client sends as much as is read: each read returns 256 KB, the most that one turn of the event
    /// loop takes.
    private final class Line {
        let channel = EmbeddedChannel()
        let valve = InputValve()
        private let reads = Reads()
        private(set) var taken = 0

        private final class Reads: ChannelOutboundHandler {
            typealias OutboundIn = Never
            var isWanted = false
            func read(context: ChannelHandlerContext) { isWanted = true }
        }

        init() throws {
            try channel.pipeline.syncOperations.addHandlers(reads, valve)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        /// Sends up to this many bytes.
        ///
        /// - Returns: the bytes that came through.
        func send(_ bytes: Int = 10_000_000_000) throws -> Int {
            var (sent, passed) = (0, 0)
            // What the event loop does after each read.
            channel.read()
            while reads.isWanted, sent < min(bytes, 64 << 20) {
                reads.isWanted = false
                let count = min(InputValveTests.mostPerTurn, bytes - sent)
                try channel.writeInbound(ByteBuffer(repeating: 120, count: count))
                sent += count
                while let buffer = try channel.readInbound(as: ByteBuffer.self) { passed += buffer.readableBytes }
                channel.read()
            }
            taken += sent
            return passed
        }
    }

    @Test func whatIsWantedIsRead() throws {
        let line = try Line()
        #expect(try line.send() == 64 << 20)
    }

    @Test func aBodyThatNoRouteWantsIsNotRead() throws {
        let line = try Line()
        line.valve.requestBegan(holdsBody: true, isChunked: false)
        #expect(try line.send() <= InputValve.unwantedBytes + Self.mostPerTurn)
        #expect(try line.send() == 0)
        line.valve.open()
        #expect(try line.send() == 64 << 20)
    }

    @Test(arguments: [false, true]) func lessThanAMegabyteOfARefusedBodyIsRead(_ isChunked: Bool) throws {
        let line = try Line()
        line.valve.requestBegan(holdsBody: true, isChunked: isChunked)
        let before = try line.send()
        line.valve.discard()
        #expect(try line.send() == 0)
        #expect(line.taken < 1_000_000)
        // Enough for a client that reads nothing before its small body is sent.
        #expect(line.taken - before > 256 << 10)
        // Nothing reopens the valve.
        line.valve.open()
        line.valve.requestBegan(holdsBody: false, isChunked: false)
        line.valve.requestEnded()
        #expect(try line.send() == 0)
        #expect(line.taken < 1_000_000)
    }

    @Test func littleIsReadBehindABodyThatTurnedOutTooLarge() throws {
        let line = try Line()
        line.valve.requestBegan(holdsBody: true, isChunked: false)
        line.valve.open()
        _ = try line.send(4 << 20)
        line.valve.discard()
        #expect(try line.send() == 0)
        #expect(line.taken - 4 << 20 <= InputValve.lastBytes + Self.mostPerTurn)
    }

    /// Chunks with more encoding than content: the content would never reach the limit of the route.
    @Test func chunksWithoutContentAreNotReadForLong() throws {
        let line = try Line()
        let error = ErrorRecorder()
        try line.channel.pipeline.syncOperations.addHandler(error)
        line.valve.requestBegan(holdsBody: true, isChunked: true)
        line.valve.open()
        line.valve.bodyCame(bytes: 1_000)
        _ = try line.send()
        #expect(error.caught as? HTTPParserError == .invalidChunkSize)
        #expect(line.taken < 1_000_000)
    }

    private final class ErrorRecorder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var caught: (any Error)?
        func errorCaught(context: ChannelHandlerContext, error: any Error) { caught = caught ?? error }
    }
}
