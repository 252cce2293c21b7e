import Foundation
import Glibc
import TestThreads
import Testing

@testable import TortureHarness

/// Tests the judge of a connection, with a scripted server: one that never reports a failure proves nothing.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(5))) struct LineTests {
    @Test func whatIsInOrderIsTaken() throws {
        try expect(nil, [Self.ok("a"), Self.ok("b"), Self.ok("c")])
        try expect(nil, [Self.ok("a"), Self.ok("b"), Self.ok("c", "Connection: close\r\n"), .close])
    }

    @Test func anAnswerThatIsMissingIsNoticed() throws {
        try expect("no answer to c", [Self.ok("a"), Self.ok("b")])
    }

    @Test func answersInAnotherOrderAreNoticed() throws {
        try expect("an answer to c instead of b", [Self.ok("a"), Self.ok("c"), Self.ok("b")])
        try expect("an answer to a instead of b", [Self.ok("a"), Self.ok("a"), Self.ok("b")])
    }

    @Test func anAnswerTooManyIsNoticed() throws {
        try expect("bytes that answer no request", [Self.ok("a"), Self.ok("b"), Self.ok("c"), Self.ok("d")])
    }

    @Test func anEndWithoutAReasonIsNoticed() throws {
        try expect("without a reason; unanswered requests: 1", [Self.ok("a"), Self.ok("b"), .close])
    }

    @Test func whatFollowsTheLastAnswerIsNoticed() throws {
        try expect(
            "an answer after Connection: close", [Self.ok("a", "Connection: close\r\n"), Self.ok("b"), Self.ok("c")])
        try expect("is not closed after", [Self.ok("a"), Self.ok("b"), Self.ok("c", "Connection: close\r\n")])
    }

    @Test func bytesThatAreNoAnswerAreNoticed() throws {
        try expect("is not a status line", [Self.ok("a"), .say("HTTP/2 maybe\r\n\r\n")])
        try expect(
            "in the middle of an answer", [Self.ok("a"), .say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"), .close])
    }

    // MARK: -

    private enum Step {
        case say(String)
        case close
    }

    private static func ok(_ id: String, _ line: String = "") -> Step {
        .say("HTTP/1.1 200 OK\r\nX-Request-Id: \(id)\r\n\(line)Content-Length: 2\r\n\r\nok")
    }

    /// Requests a, b and c in one write.
    private final class Asker: Speaker {
        private var hasAsked = false

        func next(on line: Line, now: ContinuousClock.Instant) throws -> Line.Next {
            if hasAsked { return .later }
            hasAsked = true
            return .batch(["a", "b", "c"].map { Request($0, "GET", "/", .status([200])) }, isLast: false)
        }

        func answered(
            _ request: Request, _ answer: Answer, on line: Line, since start: ContinuousClock.Instant
        ) throws {}
        func ended(_ line: Line, unanswered: [Request]) {}
    }

    /// - Parameter problem: Part of the expected report; nil for none.
    private func expect(_ problem: String?, _ steps: [Step], location: SourceLocation = #_sourceLocation) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = listen(listener, 1)
                _ = getsockname(listener, address, &length)
            }
        }
        // The listener belongs to this thread alone: once it is closed, another test has the number, and would lose its
        // connection to whatever is done with it.
        Thread.detachNewThread {
            var arrival = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            let hasCaller = poll(&arrival, 1, 60_000) > 0
            let connection = hasCaller ? accept(listener, nil, nil) : -1
            close(listener)
            guard connection >= 0 else { return }
            // Reads the requests first: closing with unread data causes a reset.
            var buffer = [UInt8](repeating: 0, count: 4096)
            var heard = 0
            while heard < 3, case let count = read(connection, &buffer, buffer.count), count > 0 {
                heard += buffer[..<count].count { $0 == UInt8(ascii: "\n") } / 4
            }
            for step in steps {
                switch step {
                case .say(let text): _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                case .close: close(connection)
                }
            }
        }
        let asker = Asker()
        let port = Int(UInt16(bigEndian: address.sin_port))
        let raw = try #require(RawSocket(port: port))
        let start = ContinuousClock.now
        let line = Line(
            number: 1, plan: LinePlan(honestly: 0, server: 0), server: 0, socket: raw, speaker: asker,
            patience: .milliseconds(500), seed: 1, now: start)
        var said: String?
        while said == nil, !line.isOver, ContinuousClock.now - start < .seconds(2) {
            guard var wanted = line.interest(now: .now) else { break }
            poll(&wanted, 1, 10)
            do { try line.turn(Int32(wanted.revents), now: .now) } catch { said = "\(error)" }
        }
        line.finish()
        if let problem {
            #expect(said?.contains(problem) == true, "\(said ?? "nothing")", sourceLocation: location)
        } else {
            #expect(said == nil, sourceLocation: location)
        }
    }
}
