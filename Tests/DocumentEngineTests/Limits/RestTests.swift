import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import DocumentEngine

/// A connection that is idle for two minutes is closed, on the test's own clock; an active one is not.
struct RestTests {
    /// One connection and its clock.
    private final class Line {
        let loop = EmbeddedEventLoop()
        let channel: EmbeddedChannel
        private let time = Time()

        private final class Time: Sendable {
            let now = Mutex(Duration.zero)
        }

        init(_ limits: ServiceLimits = ServiceLimits()) throws {
            channel = EmbeddedChannel(loop: loop)
            let time = time
            try channel.pipeline.syncOperations.addHandler(
                ConnectionTimeoutHandler(limits, uptime: { time.now.withLock { $0 } }))
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

        func wait(_ seconds: Int) {
            for _ in 0..<seconds {
                time.now.withLock { $0 += .seconds(1) }
                loop.advanceTime(by: .seconds(1))
            }
        }

        /// Expects the connection to close after this many seconds, and not before.
        func expectEnd(after seconds: Int, _ location: SourceLocation = #_sourceLocation) {
            wait(seconds - 1)
            #expect(channel.isActive, sourceLocation: location)
            wait(1)
            #expect(!channel.isActive, sourceLocation: location)
        }

        func ask() throws {
            try channel.writeInbound(
                HTTPServerRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/")))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
        }

        func answer() throws {
            try channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }
    }

    @Test func aRestHasAnEnd() throws {
        let line = try Line()
        try line.ask()
        try line.answer()
        line.expectEnd(after: 120)
    }

    /// Its single timer fires in the middle of an idle period and of a response.
    @Test func whoAsksNowAndThenStays() throws {
        let line = try Line()
        for _ in 0..<10 {
            try line.ask()
            line.wait(70)
            try line.answer()
            line.wait(70)
        }
        line.expectEnd(after: 50)
    }

    @Test func whoWaitsForAnAnswerStays() throws {
        let line = try Line()
        try line.ask()
        line.wait(599)
        #expect(line.channel.isActive)
        try line.answer()
        line.expectEnd(after: 120)
    }

    @Test func aMissingAnswerTimesOut() throws {
        let line = try Line()
        line.wait(10)
        try line.ask()
        line.expectEnd(after: 600)
    }

    /// The timer set for the response must be set again for the shorter rest.
    @Test func aRestBehindALongAnswerIsNoLonger() throws {
        let line = try Line()
        try line.ask()
        line.wait(130)
        try line.answer()
        line.expectEnd(after: 120)
    }

    @Test func aStreamHasNoTimer() throws {
        let line = try Line()
        try line.ask()
        try line.channel.writeOutbound(HTTPServerResponsePart.head(.init(version: .http1_1, status: .ok)))
        try line.channel.pipeline.syncOperations.handler(type: ConnectionTimeoutHandler.self).streamBegan()
        line.wait(36_000)
        #expect(line.channel.isActive)
    }

    @Test func aBodyThatNeverComesIsARestWhereItsSpeedIsFree() throws {
        var limits = ServiceLimits()
        limits.bodyBytesPerSecond = 0
        let line = try Line(limits)
        try line.channel.writeInbound(
            HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/")))
        line.expectEnd(after: 120)
    }

    @Test func whoNeverAsksIsClosedWhereAHeadHasNoTime() throws {
        var limits = ServiceLimits()
        limits.headSeconds = 0
        try Line(limits).expectEnd(after: 120)
    }
}
