import TestThreads
import Testing

@testable import DocumentEngine

@Suite(.timeLimit(.minutes(15))) struct ReadinessTests {
    @Test func itIsReadyWhileItsStoreAnswers() async throws {
        try await RunningServer.run { server in
            let ready = try await server.send("GET", "/readiness")
            #expect((ready.status, ready.text) == (200, #"{"status":"ready"}"#))
        }
    }

    /// The proxy is notified first; open connections continue until the drain time ends.
    @Test func whileItDrainsItWorksAndSaysThatItGoes() async throws {
        try await RunningServer.run {
            $0.drain = .seconds(30)
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            var events = try await EventReader(server, token)
            #expect(try await events.session()?.kind == .open)
            let stopping = Task { await server.server.stop() }
            try await waitUntil("the server is not ready") { try await server.send("GET", "/readiness").status != 200 }
            let answer = try await server.send("GET", "/readiness")
            #expect((answer.status, answer.reason) == (503, "unavailable"))
            #expect(try await server.send("GET", "/healthcheck").status == 200)
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            #expect(try await events.change()?.changes.count == 1)
            server.clock.advance(seconds: 30)
            #expect(try await events.session()?.kind == .closing)
            #expect(try await events.next() == nil)
            await stopping.value
        }
    }
}
