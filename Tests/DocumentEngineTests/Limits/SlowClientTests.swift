import EngineCore
import SyncProtocol
import Synchronization
import TestThreads
import Testing

@testable import DocumentEngine

/// Slow clients are disconnected. A clock that advances ten seconds per read shortens the wait. The clock starts
/// when the client has done its part, which may take any time.
@Suite(.timeLimit(.minutes(15))) struct SlowClientTests {
    private static func withHastyServer(_ body: (RunningServer, HastyClock) async throws -> Void) async throws {
        let clock = HastyClock()
        try await RunningServer.run {
            $0.uptime = { clock.now }
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            try await body(server, clock)
        }
    }

    private final class HastyClock: Sendable {
        private let looks = Mutex<Int?>(nil)

        func hurry() { looks.withLock { $0 = $0 ?? 0 } }

        var now: Duration {
            looks.withLock { looks in
                looks? += 1
                return .seconds(10 * (looks ?? 0))
            }
        }
    }

    @Test func aHeadThatDoesNotComeIsNotWaitedFor() async throws {
        try await Self.withHastyServer { server, clock in
            try await RawConnection.open(server) { connection in
                try await connection.send("GET /healthcheck HTTP/1.1\r\nHost: here\r\nX-Slow: ")
                clock.hurry()
                #expect(try await connection.rest() == "")
            }
            #expect(try await server.figures().contains(#"postilla_slow_connections_total{reason="late_head"} 1"#))
        }
    }

    @Test func aBodyThatTricklesIsNotWaitedFor() async throws {
        try await Self.withHastyServer { server, clock in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            try await RawConnection.open(server) { connection in
                try await connection.beginPush(token, announcing: 100_000)
                clock.hurry()
                #expect(try await connection.rest() == "")
            }
            #expect(try await server.figures().contains(#"postilla_slow_connections_total{reason="slow_body"} 1"#))
            #expect(try await server.session(token).head == 0)
        }
    }

    @Test func anAnswerThatNobodyTakesIsGivenUp() async throws {
        try await Self.withHastyServer { server, clock in
            try await server.upload("doc", Samples.pdf + Array(repeating: 0x20, count: 24 << 20))
            try await RawConnection.open(server, receiveBuffer: 4096) { connection in
                try await connection.send(
                    """
                    GET /api/documents/doc/pdf?source=true HTTP/1.1\r
                    Host: here\r
                    Authorization: Token token="\(RunningServer.secret)"\r
                    \r

                    """)
                clock.hurry()
                let line = #"postilla_slow_connections_total{reason="stalled_answer"} 1"#
                try await waitUntil("the metric is there") { try await server.figures().contains(line) }
            }
        }
    }

    @Test func whoListensIsNotSlow() async throws {
        try await Self.withHastyServer { server, clock in
            try await server.upload()
            clock.hurry()
            let token = try server.mint.token(TokenClaims())
            var events = try await EventReader(server, token)
            #expect(try await events.session()?.kind == .open)
            // Each request advances the clock beyond every limit except that of an idle connection.
            for _ in 0..<50 { _ = try await server.session(token) }
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            #expect(try await events.change()?.changes.count == 1)
        }
    }
}
