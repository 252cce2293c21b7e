import NIOCore
import TestThreads
import Testing

@testable import DocumentEngine

@Suite("The connections of one address", .serialized, .timeLimit(.minutes(15))) struct ConnectionLimiterTests {
    private func limits(_ connections: Int, perAddress: Int? = nil) -> ServiceLimits {
        var limits = ServiceLimits()
        (limits.connections, limits.connectionsPerAddress) = (connections, perAddress)
        return limits
    }

    /// All connections, those per address, and the effective limit; 0: none.
    @Test(arguments: [(384, nil, 192), (1, nil, 1), (0, nil, 0), (384, 5, 5), (0, 5, 5), (384, 0, 0)])
    func oneAddressMayHaveHalf(_ connections: Int, _ perAddress: Int?, _ effective: Int) {
        let limits = limits(connections, perAddress: perAddress)
        #expect(limits.effectiveConnectionsPerAddress == effective)
        #expect((ConnectionLimiter(limits) == nil) == (effective == 0))
    }

    @Test func addressesAreCountedSeparately() throws {
        let limiter = try #require(ConnectionLimiter(limits(4)))
        #expect((0..<3).map { _ in limiter.enter("203.0.113.7") } == [true, true, false])
        #expect(limiter.enter("203.0.113.8"))
        #expect((1...3).map { limiter.enter("2001:db8::\($0)") } == [true, true, false], "one network")
        limiter.leave("203.0.113.7")
        #expect((0..<2).map { _ in limiter.enter("203.0.113.7") } == [true, false])
        for address in ["203.0.113.7", "203.0.113.7", "203.0.113.8", "2001:db8::1", "2001:db8::2"] {
            limiter.leave(address)
        }
        #expect(limiter.count == 0, "nothing is remembered")
    }

    /// A proxy without `behind-proxy` or a test runs there.
    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
    func theLoopbackCountsOnlyIfTheLimitIsStated(_ address: String) throws {
        let usual = try #require(ConnectionLimiter(limits(2)))
        #expect((0..<9).allSatisfy { _ in usual.enter(address) })
        let stated = try #require(ConnectionLimiter(limits(2, perAddress: 1)))
        #expect((0..<2).map { _ in stated.enter(address) } == [true, false])
    }

    @Test(arguments: [false, true]) func furtherConnectionsAreClosedAtOnce(_ behindProxy: Bool) async throws {
        try await RunningServer.run {
            $0.service.connectionsPerAddress = 2
            $0.behindProxy = behindProxy
        } _: { server in
            let check = "GET /healthcheck HTTP/1.1\r\nHost: here\r\n\r\n"
            func isServed() async throws -> Bool {
                try await RawConnection.open(server) { connection in
                    try? await connection.send(check)
                    return (try? await connection.read(until: "}"))?.contains("200 OK") ?? false
                }
            }
            try await RawConnection.open(server) { one in
                try await one.send(check)
                _ = try await one.read(until: "}")
                try await RawConnection.open(server) { two in
                    try await two.send(check)
                    _ = try await two.read(until: "}")
                    for _ in 0..<3 { #expect(try await isServed() == behindProxy) }
                    // Those that are open stay.
                    try await one.send(check)
                    _ = try await one.read(until: "}")
                }
                try await waitUntil("a closed connection makes room") { try await isServed() }
            }
        }
    }
}
