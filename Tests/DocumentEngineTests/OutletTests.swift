import Annotations
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SyncProtocol
import Synchronization
import Testing

@testable import DocumentEngine
@testable import EngineCore

/// Events that are written past the loop: each whole, all in their order, whoever writes them.
@Suite("Outlets", .timeLimit(.minutes(15))) struct OutletTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    private func frame(_ revision: Revision, bytes: Int = 0) -> Frame {
        let text = "id: x.\(revision)\ndata: \(String(repeating: "x", count: bytes))\n\n"
        return Frame(revision: revision, bytes: Array(text.utf8))
    }

    private func delivery(_ frames: Frame...) -> Delivery { Delivery(frames: frames, end: nil) }

    /// A piece of a chunked body.
    private func piece(_ frames: Frame...) -> String {
        let bytes = frames.flatMap(\.bytes)
        return String(bytes.count, radix: 16) + "\r\n" + String(decoding: bytes, as: UTF8.self) + "\r\n"
    }

    @Test func whoeverTakesItWritesWholePieces() async throws {
        try await Stream.run { stream in
            let outlet = try await stream.outlet(after: 1)
            #expect(!outlet.take(at: Self.now), "it is the stream's until it is released")
            try await stream.release(outlet)
            #expect(outlet.take(at: Self.now))
            #expect(!outlet.take(at: Self.now), "one at a time")
            #expect(!outlet.write(delivery(frame(2), frame(3))))
            #expect(outlet.take(at: Self.now), "free again")
            #expect(!outlet.write(Delivery(frames: [], presence: [Array("data: ana\n\n".utf8)], end: nil)))
            let expected = piece(frame(2), frame(3)) + "b\r\ndata: ana\n\n\r\n"
            #expect(await stream.read(expected.utf8.count) == expected)
        }
    }

    @Test func whatIsKnownIsNotWritten() async throws {
        try await Stream.run { stream in
            let outlet = try await stream.outlet(after: 5)
            try await stream.release(outlet)
            #expect(outlet.take(at: Self.now))
            #expect(!outlet.write(delivery(frame(4), frame(5))))
            #expect(outlet.take(at: Self.now))
            #expect(!outlet.write(delivery(frame(5), frame(6))))
            #expect(await stream.read(piece(frame(6)).utf8.count) == piece(frame(6)))
        }
    }

    @Test func nothingIsToldBehindTheEndOfAToken() async throws {
        try await Stream.run { stream in
            let outlet = try await stream.outlet(until: Self.now)
            try await stream.release(outlet)
            #expect(!outlet.take(at: Self.now))
            #expect(outlet.take(at: Timestamp(milliseconds: Self.now.milliseconds - 1)))
        }
    }

    /// The last event, and what is large, are the stream's to write.
    @Test func whatIsOutOfTheOrdinaryIsLeftToTheStream() async throws {
        let end = Delivery(frames: [frame(1)], end: SessionEvent(.revoked))
        for delivery in [end, delivery(frame(1, bytes: Outlet.longest))] {
            try await Stream.run { stream in
                let outlet = try await stream.outlet()
                try await stream.release(outlet)
                #expect(outlet.take(at: Self.now))
                #expect(outlet.write(delivery))
                #expect(!outlet.take(at: Self.now), "first what is left")
                try await stream.release(outlet)
                #expect(!outlet.take(at: Self.now), "first what is left")
                let rest = await outlet.back()
                #expect(rest?.delivery == delivery)
                #expect(rest?.begun == nil)
                try await stream.release(outlet)
                #expect(outlet.take(at: Self.now))
            }
        }
    }

    /// A reader that reads nothing for a while gets everything afterwards: the stream sends the end of what was begun.
    @Test func whatTheSocketDoesNotTakeIsSentByTheStream() async throws {
        try await Stream.run { stream in
            let outlet = try await stream.outlet()
            try await stream.release(outlet)
            var expected = ""
            var revision: Revision = 0
            var isFull = false
            while !isFull {
                revision += 1
                let next = frame(revision, bytes: 50_000)
                #expect(outlet.take(at: Self.now))
                isFull = outlet.write(delivery(next))
                expected += piece(next)
            }
            #expect(!outlet.take(at: Self.now))
            let rest = await outlet.back()
            let begun = try #require(rest?.begun)
            try await stream.onLoop { try outlet.finish(begun) }
            try await stream.release(outlet)
            #expect(!outlet.take(at: Self.now), "what the stream wrote has not left yet")
            #expect(await stream.read(expected.utf8.count) == expected)
            try await stream.sent()
            try await stream.release(outlet)
            #expect(outlet.take(at: Self.now))
        }
    }

    @Test func aReaderThatHasLeftTakesNothing() async throws {
        try await Stream.run { stream in
            let outlet = try await stream.outlet()
            try await stream.release(outlet)
            stream.leave()
            // That it has left is known when the first piece comes back.
            var revision: Revision = 1
            while outlet.take(at: Self.now), !outlet.write(delivery(frame(revision))) { revision += 1 }
            #expect(!outlet.take(at: Self.now))
        }
    }

    @Test func aConnectionThatIsClosedHasNone() async throws {
        try await Stream.run { stream in
            try await stream.channel.close()
            let outlet = try await stream.onLoop {
                Outlet(stream.channel, after: 0, until: Timestamp(milliseconds: .max))
            }
            #expect(outlet == nil)
        }
    }

    /// Several that tell of commits, and the stream that writes of its own: nothing is torn, and each one's events are in
    /// their order.
    @Test func piecesOfManyWritersAreNotMixed() async throws {
        try await Stream.run { stream in
            let outlet = try await stream.outlet()
            let count = 400
            let reader = Task { await stream.read(until: "\r\nend\r\n") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<3 {
                    group.addTask {
                        for number in 1...count {
                            while !outlet.take(at: Self.now) { await Task.yield() }
                            let text = "\(writer):\(number)\n" + String(repeating: ".", count: number * 7 % 900)
                            _ = outlet.write(Delivery(frames: [], presence: [Array(text.utf8)], end: nil))
                        }
                    }
                }
                let writing = Mutex(true)
                let own = Task {
                    var number = 0
                    while writing.withLock({ $0 }) {
                        let rest = await outlet.back()
                        if let begun = rest?.begun { try await stream.onLoop { try outlet.finish(begun) } }
                        number += 1
                        try await stream.write("3:\(number)\n")
                        try await stream.release(outlet)
                        await Task.yield()
                    }
                    _ = await outlet.back()
                    return number
                }
                try await group.waitForAll()
                writing.withLock { $0 = false }
                let ownCount = try await own.value
                try await stream.write("end")
                let text = await reader.value
                var numbers = [0, 0, 0, 0]
                for piece in Chunks(text) where piece != "end" {
                    let parts = piece.prefix { $0 != "\n" }.split(separator: ":").compactMap { Int($0) }
                    guard parts.count == 2 else {
                        Issue.record("torn: \(piece.prefix(40))")
                        return
                    }
                    #expect(parts[1] == numbers[parts[0]] + 1)
                    numbers[parts[0]] = parts[1]
                }
                #expect(numbers == [count, count, count, ownCount])
            }
        }
    }
}
