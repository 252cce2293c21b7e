import AsyncHTTPClient
import Foundation
import InstantCore
import NIOCore
import NIOHTTP1
import SyncProtocol
import Testing

@testable import Instant

/// Questions over connections of our own, against a server that answers with what it is told, byte by byte.
@Suite(.timeLimit(.minutes(15))) struct LineTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"

    private func question(
        _ body: String? = nil, deadline: NIODeadline = .distantFuture, limit: Int = 100
    ) -> Call.Question {
        var head = HTTPRequestHead(version: .http1_1, method: body == nil ? .GET : .POST, uri: "/question")
        head.headers.add(name: "host", value: "x")
        if let body { head.headers.add(name: "content-length", value: "\(body.utf8.count)") }
        return Call.Question(
            head: head, body: body.map { ByteBuffer(string: $0) }, deadline: deadline, limit: limit)
    }

    private func ask(_ lines: Lines, _ question: Call.Question) async throws -> String {
        let response = try await lines.ask(question)
        var body = try await response.body.collect(upTo: 1 << 20)
        return "\(response.status.code) " + (body.readString(length: body.readableBytes) ?? "")
    }

    private func expectHi(_ lines: Lines, _ question: Call.Question) async throws {
        let answer = try await ask(lines, question)
        #expect(answer == "200 hi")
    }

    /// Why there is no answer; nil: there is one.
    private func failure(_ lines: Lines, _ question: Call.Question) async -> (any Error)? {
        do { _ = try await lines.ask(question) } catch { return error }
        return nil
    }

    @Test func oneConnectionIsUsedAgain() async throws {
        try await ScriptedServer.run(Array(repeating: .say(Self.ok), count: 5)) { server, lines in
            for _ in 0..<5 { try await expectHi(lines, question("a body")) }
            #expect(server.connections == 1)
            // Head and body come in one piece: a server wakes once for them.
            #expect(server.pieces == [1, 1, 1, 1, 1])
        }
    }

    @Test func questionsThatMeetHaveOneEach() async throws {
        try await ScriptedServer.run([.wait, .say(Self.ok)]) { server, lines in
            async let first = ask(lines, question())
            await server.heard(1)
            try await expectHi(lines, question())
            server.say(Self.ok, on: 0)
            let answer = try await first
            #expect(answer == "200 hi")
            #expect(server.connections == 2)
        }
    }

    @Test func whatTheServerClosesIsNotUsedAgain() async throws {
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi"
        try await ScriptedServer.run([.say(closing), .say(Self.ok)]) { server, lines in
            for _ in 0..<2 { try await expectHi(lines, question()) }
            #expect(server.connections == 2)
        }
    }

    /// It was closed for being idle, just as it was asked: another connection is asked the same.
    @Test func aConnectionThatWasIdleForTooLongIsReplaced() async throws {
        try await ScriptedServer.run([.say(Self.ok), .close, .say(Self.ok)]) { server, lines in
            for _ in 0..<2 { try await expectHi(lines, question()) }
            #expect(server.connections == 2)
            #expect(server.pieces.count == 3)
        }
    }

    /// Where the second try is closed as well, that is the answer; a new connection is not tried twice.
    @Test(arguments: [[ScriptedServer.Step.close], [.say(ok), .close, .close]])
    func noAnswerIsAFailure(_ script: [ScriptedServer.Step]) async throws {
        try await ScriptedServer.run(script) { server, lines in
            if script.count > 1 { _ = try await ask(lines, question()) }
            #expect(await failure(lines, question()) as? HTTPClientError == .remoteConnectionClosed)
            #expect(server.pieces.count == script.count)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ])
    func halfAnAnswerIsNone(_ text: String) async throws {
        try await ScriptedServer.run([.sayAndClose(text)]) { _, lines in
            #expect(await failure(lines, question()) as? HTTPClientError == .remoteConnectionClosed)
        }
    }

    @Test func garbageIsAFailure() async throws {
        try await ScriptedServer.run([.say("no HTTP at all\r\n\r\n"), .say(Self.ok)]) { server, lines in
            #expect(await failure(lines, question()) != nil)
            try await expectHi(lines, question())
            #expect(server.connections == 2)
        }
    }

    /// What would be two lines of a head is not sent, and is not waited for either.
    @Test func aHeadThatMayNotBeSentIsAFailure() async throws {
        try await ScriptedServer.run([.say(Self.ok)]) { server, lines in
            var bad = question()
            bad.head.headers.add(name: "authorization", value: "Bearer a\r\nx: y")
            #expect(await failure(lines, bad) != nil)
            try await expectHi(lines, question())
            #expect(server.pieces.count == 1)
        }
    }

    @Test func anAnswerMayEndWithItsConnection() async throws {
        try await ScriptedServer.run([.sayAndClose("HTTP/1.1 200 OK\r\n\r\nall of it")]) { _, lines in
            let answer = try await ask(lines, question())
            #expect(answer == "200 all of it")
        }
    }

    @Test func moreThanTheLimitIsNotWaitedFor() async throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 500)
        try await ScriptedServer.run([.say(text)]) { server, lines in
            let answer = try await ask(lines, question())
            #expect(answer.utf8.count > 100)
            await server.closed(0)
        }
    }

    @Test func aDeadlineEndsTheWait() async throws {
        try await ScriptedServer.run([.say(Self.ok), .wait]) { server, lines in
            // Made before: a connection that comes too late is one for the next.
            try await expectHi(lines, question())
            let hurried = question(deadline: .now() + .milliseconds(20))
            #expect(await failure(lines, hurried) as? HTTPClientError == .deadlineExceeded)
            // Its answer may still come: nothing else is asked there.
            await server.closed(0)
        }
    }

    @Test func whoeverGivesUpClosesTheConnection() async throws {
        try await ScriptedServer.run([.wait, .say(Self.ok)]) { server, lines in
            let task = Task { await failure(lines, question()) }
            await server.heard(1)
            task.cancel()
            let end = await task.value
            #expect(end is CancellationError)
            await server.closed(0)
            try await expectHi(lines, question())
        }
    }

    @Test func whoeverGaveUpBeforeIsNotConnected() async throws {
        try await ScriptedServer.run([]) { server, lines in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await failure(lines, question())
            }
            task.cancel()
            let end = await task.value
            #expect(end is CancellationError)
            #expect(server.connections == 0)
        }
    }

    @Test func nobodyThereIsToldAtOnce() async throws {
        let port = try TakenPort()
        let address = try ServerAddress(try #require(URL(string: "http://127.0.0.1:\(port.number)")))
        #expect(await failure(Lines(address), question()) != nil)
    }

    @Test func theEndClosesWhatIsIdle() async throws {
        try await ScriptedServer.run([.say(Self.ok)]) { server, lines in
            try await expectHi(lines, question())
            lines.close()
            await server.closed(0)
        }
    }

    /// What the server sends on its own account is no answer to anything.
    @Test func whatNobodyAskedForClosesTheConnection() async throws {
        try await ScriptedServer.run([.say(Self.ok), .say(Self.ok)]) { server, lines in
            try await expectHi(lines, question())
            server.say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n", on: 0)
            await server.closed(0)
            try await expectHi(lines, question())
            #expect(server.connections == 2)
        }
    }

    @Test(arguments: [
        ("http://example.com", "example.com", 80, "example.com", ""),
        ("https://Example.com/sync/", "example.com", 443, "Example.com", "/sync"),
        ("http://127.0.0.1:8080/a/b", "127.0.0.1", 8080, "127.0.0.1:8080", "/a/b"),
        ("http://[::1]:5000", "::1", 5000, "[::1]:5000", ""),
    ])
    func anAddressSaysWhereToGo(_ text: String, _ host: String, _ port: Int, _ authority: String, _ path: String) throws
    {
        let address = try ServerAddress(#require(URL(string: text)))
        #expect(address.bareHost == host)
        #expect(address.port == port)
        #expect(address.authority == authority)
        #expect(address.path == path)
    }
}
