import AsyncHTTPClient
import Foundation
import InstantCore
import NIOCore
import SyncProtocol
import Testing

@testable import Instant

/// Requests over real sockets, against a server with scripted responses.
@Suite(.timeLimit(.minutes(15))) struct TransportTests {
    private static let answer = DigestAnswer(epoch: "e", upTo: 1, ViewDigest())
    private static let text = String(decoding: answer.bytes, as: UTF8.self)
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"

    private func ask(_ transport: HTTPTransport, token: String = "t") async throws(SyncFailure) -> SyncAnswer {
        try await transport.send(.digest(epoch: "e"), token: token)
    }

    private func expectAnswer(_ transport: HTTPTransport) async throws {
        let answer = try await ask(transport)
        #expect(answer == .digest(Self.answer))
    }

    /// The error of a request; nil if it succeeds.
    private func failure(_ transport: HTTPTransport, token: String = "t") async -> String? {
        do { _ = try await ask(transport, token: token) } catch { return error.description }
        return nil
    }

    @Test func oneConnectionIsUsedAgain() async throws {
        try await ScriptedServer.run(Array(repeating: .say(Self.ok), count: 5)) { server, transport in
            for _ in 0..<5 { try await expectAnswer(transport) }
            // A response may arrive before its connection is back in the pool.
            #expect(server.connections <= 2)
        }
    }

    @Test func requestsThatMeetHaveAConnectionEach() async throws {
        try await ScriptedServer.run([.wait, .say(Self.ok)]) { server, transport in
            async let first = ask(transport)
            try await server.heard(1)
            try await expectAnswer(transport)
            server.say(Self.ok, on: 0)
            #expect(try await first == .digest(Self.answer))
            #expect(server.connections == 2)
        }
    }

    @Test func whatTheServerClosesIsNotUsedAgain() async throws {
        let closing = Self.ok.replacingOccurrences(of: "OK\r\n", with: "OK\r\nConnection: close\r\n")
        try await ScriptedServer.run([.say(closing), .say(Self.ok)]) { server, transport in
            for _ in 0..<2 { try await expectAnswer(transport) }
            #expect(server.connections == 2)
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
    ])
    func halfAnAnswerIsNone(_ text: String) async throws {
        try await ScriptedServer.run([text.isEmpty ? .close : .sayAndClose(text)]) { _, transport in
            #expect(await failure(transport) == "127.0.0.1 did not answer: the connection was closed")
        }
    }

    @Test func garbageIsAFailureAndTheNextRequestIsAnswered() async throws {
        try await ScriptedServer.run([.say("no HTTP at all\r\n\r\n"), .say(Self.ok)]) { server, transport in
            #expect(await failure(transport) == "127.0.0.1 does not answer in HTTP")
            try await expectAnswer(transport)
            #expect(server.connections == 2)
        }
    }

    /// A token with a line break, which would split a header, is not sent.
    @Test func aTokenThatWouldBreakTheHeadIsNotSent() async throws {
        try await ScriptedServer.run([.say(Self.ok)]) { server, transport in
            #expect(await failure(transport, token: "a\r\nx: y") != nil)
            try await expectAnswer(transport)
            #expect(server.texts.count == 1)
        }
    }

    @Test func anAnswerMayEndWithItsConnection() async throws {
        try await ScriptedServer.run([.sayAndClose("HTTP/1.1 200 OK\r\n\r\n\(Self.text)")]) { _, transport in
            try await expectAnswer(transport)
        }
    }

    @Test func moreThanTheLimitIsNotWaitedFor() async throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + String(repeating: "x", count: 500)
        try await ScriptedServer.run([.say(text)]) { server, transport in
            var transport = transport
            transport.maximumBytes = 100
            #expect(await failure(transport) == "127.0.0.1 sent a response larger than 100 bytes")
            await server.closed(0)
        }
    }

    /// The response stops before, within or after the head, or within the body.
    @Test(arguments: ["", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n", String(ok.dropLast(5))])
    func anAnswerThatStandsStillIsGivenUp(_ text: String) async throws {
        try await ScriptedServer.run([.say(Self.ok), text.isEmpty ? .wait : .say(text)]) { server, transport in
            try await expectAnswer(transport)
            var transport = transport
            transport.patience = .milliseconds(100)
            #expect(await failure(transport) == "127.0.0.1 did not answer: nothing moved for 0 s")
            // A late response may still arrive, so the connection is not reused. On a slow machine the request never
            // left.
            if server.texts.count == 2 { await server.closed(0) }
        }
    }

    @Test(arguments: ["", String(ok.dropLast(5))])
    func cancellingClosesTheConnection(_ text: String) async throws {
        try await ScriptedServer.run([text.isEmpty ? .wait : .say(text), .say(Self.ok)]) { server, transport in
            let task = Task { await failure(transport) }
            try await server.heard(1)
            task.cancel()
            #expect(await task.value == "127.0.0.1 did not answer: cancelled")
            await server.closed(0)
            try await expectAnswer(transport)
        }
    }

    @Test func nobodyThereIsToldAtOnce() async throws {
        let port = try TakenPort()
        let address = try ServerAddress(try #require(URL(string: "http://127.0.0.1:\(port.number)")))
        let failure = await failure(HTTPTransport(http: .shared, address: address))
        #expect(failure == "127.0.0.1 cannot be reached: connection refused")
    }

    /// Open streams do not exhaust the connections for requests.
    @Test func requestsDoNotWaitForStreams() async throws {
        let stream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        let script = Array(repeating: ScriptedServer.Step.say(stream), count: 20)
        try await ScriptedServer.run(script + [.say(Self.ok)]) { server, transport in
            let cursor = Cursor(epoch: "e", revision: 0)
            let streams = (0..<20).map { _ in
                Task {
                    try? await transport.listen(.events, from: cursor, session: nil, client: nil, token: "t") { _ in }
                }
            }
            try await server.heard(20)
            try await expectAnswer(transport)
            for stream in streams { stream.cancel() }
            for stream in streams { await stream.value }
        }
    }
}
