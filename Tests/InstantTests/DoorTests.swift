import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import Instant

/// Questions that the asking thread writes to an idle connection itself.
@Suite(.timeLimit(.minutes(15))) struct DoorTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    private func question(_ body: String, deadline: NIODeadline = .distantFuture) -> Call.Question {
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/question")
        head.headers.add(name: "host", value: "x")
        head.headers.add(name: "content-length", value: "\(body.utf8.count)")
        return Call.Question(head: head, body: ByteBuffer(string: body), deadline: deadline, limit: 64 << 20)
    }

    private func text(_ response: HTTPClientResponse) async throws -> String {
        var body = try await response.body.collect(upTo: 64 << 20)
        return body.readString(length: body.readableBytes) ?? ""
    }

    /// Makes a line, which is idle then.
    private func open(_ lines: Lines) async throws {
        #expect(lines.send(question("nobody is there")) == nil)
        _ = try await lines.ask(question("first"))
    }

    /// By this thread, once the line is known to be idle: an answer is here a moment before.
    private func send(_ question: Call.Question, by lines: Lines) async throws -> Lines.Asked {
        while !lines.mayHaveDoor { await Task.yield() }
        return try #require(lines.send(question))
    }

    private func failure(_ lines: Lines, _ asked: Lines.Asked) async -> (any Error)? {
        do { _ = try await lines.answer(to: asked) } catch { return error }
        return nil
    }

    @Test func whatIsSentIsTheSameAsWhatIsAsked() async throws {
        try await ScriptedServer.run(Array(repeating: .echo, count: 4)) { server, lines in
            try await open(lines)
            for _ in 0..<2 {
                let asked = try await send(question("the same"), by: lines)
                let answer = try await text(lines.answer(to: asked))
                #expect(answer == "the same")
            }
            _ = try await lines.ask(question("the same"))
            #expect(server.connections == 1)
            #expect(Set(server.texts.dropFirst()).count == 1)
            #expect(server.pieces == [1, 1, 1, 1])
        }
    }

    @Test func anAnswerMayComeBeforeAnybodyWaits() async throws {
        try await ScriptedServer.run([.echo, .echo, .echo]) { server, lines in
            try await open(lines)
            let early = try await send(question("early"), by: lines)
            await server.heard(2)
            // The line is known to be busy, or it is free again because the answer is here: never is the wrong one given.
            let other = try await text(lines.ask(question("other")))
            #expect(other == "other")
            let answer = try await text(lines.answer(to: early))
            #expect(answer == "early")
        }
    }

    /// It was closed for being idle, just as it was asked: another connection is asked the same.
    @Test func aConnectionThatIsClosedInsteadIsReplaced() async throws {
        try await ScriptedServer.run([.echo, .close, .echo]) { server, lines in
            try await open(lines)
            let asked = try await send(question("again"), by: lines)
            let answer = try await text(lines.answer(to: asked))
            #expect(answer == "again")
            #expect(server.connections == 2)
        }
    }

    @Test func itIsNotTriedMoreThanTwice() async throws {
        try await ScriptedServer.run([.echo, .close, .close]) { server, lines in
            try await open(lines)
            let asked = try await send(question("again"), by: lines)
            #expect(await failure(lines, asked) as? HTTPClientError == .remoteConnectionClosed)
            #expect(server.pieces.count == 3)
        }
    }

    @Test func halfAnAnswerIsNone() async throws {
        try await ScriptedServer.run([.echo, .sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf")]) {
            _, lines in
            try await open(lines)
            let asked = try await send(question("what"), by: lines)
            #expect(await failure(lines, asked) as? HTTPClientError == .remoteConnectionClosed)
        }
    }

    /// Larger than what a socket takes at once: the loop sends the rest.
    @Test func whatTheSocketDoesNotTakeAtOnceFollows() async throws {
        try await ScriptedServer.run([.echo, .echo]) { server, lines in
            try await open(lines)
            let body = String(repeating: "0123456789abcdef", count: 1 << 19)
            let asked = try await send(question(body), by: lines)
            let answer = try await text(lines.answer(to: asked))
            #expect(answer == body)
            #expect(server.connections == 1)
        }
    }

    @Test func aDeadlineEndsTheWait() async throws {
        try await ScriptedServer.run([.echo, .wait]) { server, lines in
            try await open(lines)
            let asked = try await send(question("hurry", deadline: .now() + .milliseconds(20)), by: lines)
            #expect(await failure(lines, asked) as? HTTPClientError == .deadlineExceeded)
            await server.closed(0)
        }
    }

    @Test func whoeverGivesUpIsNotWaitedFor() async throws {
        try await ScriptedServer.run([.echo, .wait, .echo]) { server, lines in
            try await open(lines)
            let asked = try await send(question("never mind"), by: lines)
            await server.heard(2)
            let task = Task { await failure(lines, asked) }
            task.cancel()
            let end = await task.value
            #expect(end is CancellationError)
            await server.closed(0)
            // What was not answered is nobody else's answer.
            let answer = try await text(lines.ask(question("next")))
            #expect(answer == "next")
        }
    }

    /// What would be two lines of a head goes the other way, where it is refused.
    @Test(arguments: ["a\r\nx: y", "a\nb", "a\u{0}b", "caf\u{E9}"])
    func aHeadThatMayNotBeSentIsNot(_ value: String) async throws {
        try await ScriptedServer.run([.echo]) { server, lines in
            try await open(lines)
            var bad = question("bad")
            bad.head.headers.add(name: "authorization", value: value)
            #expect(lines.send(bad) == nil)
            #expect(server.pieces.count == 1)
        }
    }

    @Test func nothingIsSentBehindTheEnd() async throws {
        try await ScriptedServer.run([.echo]) { server, lines in
            try await open(lines)
            lines.close()
            await server.closed(0)
            #expect(lines.send(question("late")) == nil)
        }
    }

    /// The server closes what is idle: its own end is closed as well, and nothing more is sent there.
    @Test func whatTheServerClosedIsNotUsed() async throws {
        try await ScriptedServer.run([.echo, .echo]) { server, lines in
            try await open(lines)
            server.say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", on: 0)
            await server.closed(0)
            while lines.mayHaveDoor { await Task.yield() }
            #expect(lines.send(question("late")) == nil)
            let answer = try await text(lines.ask(question("new")))
            #expect(answer == "new")
        }
    }

    /// Many threads at once, by both ways: each gets its own answer.
    @Test func everybodyGetsTheirOwnAnswer() async throws {
        try await ScriptedServer.run(Array(repeating: .echo, count: 401)) { server, lines in
            try await open(lines)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for asker in 0..<4 {
                    group.addTask {
                        var sent = 0
                        for number in 0..<100 {
                            let question = question("\(asker) asks for \(number)")
                            let answer: String
                            if let asked = lines.send(question) {
                                sent += 1
                                answer = try await text(lines.answer(to: asked))
                            } else {
                                answer = try await text(lines.ask(question))
                            }
                            #expect(answer == "\(asker) asks for \(number)")
                        }
                        return sent > 0
                    }
                }
                var senders = 0
                for try await hasSent in group where hasSent { senders += 1 }
                #expect(senders > 0)
            }
            #expect(server.pieces.count == 401)
        }
    }
}
