import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

@Suite(.timeLimit(.minutes(15))) struct StoppingTests {
    @Test func whoListensIsToldAndWhatWasBegunIsAnswered() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            var events = try await EventReader(server, token)
            #expect(try await events.session()?.kind == .open)
            let push = Task { try await server.push(token, [Samples.create(1, "n1")]) }
            await server.server.stop()
            #expect(try await events.session()?.kind == .closing)
            #expect(try await events.next() == nil)
            // The request was either accepted and completed, or never accepted.
            if let answer = try? await push.value { #expect(answer.status == 200) }
        }
    }

    /// A client that never finishes a request does not prevent the server from stopping.
    @Test func whatDoesNotEndIsCut() async throws {
        let left = try await RunningServer.run {
            $0.service.stopSeconds = 1
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let (begun, hasBegun) = AsyncStream<Void>.makeStream()
            let left = Task {
                try await RawConnection.open(server) { connection in
                    try await connection.beginPush(token, announcing: 1000)
                    hasBegun.yield()
                    return try await connection.rest()
                }
            }
            for await _ in begun { break }
            return left
        }
        #expect(try await left.value.contains("200 OK") == false)
    }

    /// A listener that reads nothing does not prevent it either.
    @Test func whoTakesNothingIsCut() async throws {
        let left = try await RunningServer.run {
            $0.service.stopSeconds = 1
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let (stopped, hasStopped) = AsyncStream<Void>.makeStream()
            let listening = Task {
                try await RawConnection.open(server, receiveBuffer: 4096) { connection in
                    try await connection.send(
                        "GET /instant/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
                    for await _ in stopped {}
                } as Void
            }
            try await waitUntil("the server has a stream") { server.server.listenerCount > 0 }
            let long = Samples.note(String(repeating: "long ", count: 20_000))
            for n in Int64(1)...60 {
                let change = Change(n: n, kind: .create, id: "n\(n)", baseRevision: 0, content: long)
                #expect(try await server.push(token, [change]).status == 200)
            }
            return (listening, hasStopped)
        }
        // The server has stopped.
        left.1.finish()
        try await left.0.value
    }
}
