import Annotations
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// With several concurrent writers, each listener receives every change once and in order.
@Suite("Order of events", .timeLimit(.minutes(15))) struct LiveOrderTests {
    @Test(arguments: [1, 4, 6]) func everybodyHearsEverythingInOrder(_ listeners: Int) async throws {
        let (writers, each) = (3, 40)
        try await RunningServer.run { server in
            try await server.upload()
            let tokens = try (0..<max(listeners, writers)).map { try server.mint.token(TokenClaims(user: "user\($0)")) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        try await waitUntil("all streams are open") { server.server.listenerCount >= listeners }
                        for n in 1...each {
                            let change = Samples.create(Int64(n), "w\(writer)-\(n)")
                            _ = try await server.push(tokens[writer], client: "client\(writer)", [change])
                        }
                    }
                }
                for token in tokens.prefix(listeners) {
                    group.addTask {
                        var reader = try await EventReader(server, token)
                        var (last, ids): (Revision, [Record.ID]) = (0, [])
                        while ids.count < writers * each {
                            let change = try #require(try await reader.change())
                            #expect(change.previous == last)
                            last = change.revision
                            ids += change.changes.map(\.id)
                        }
                        #expect(Set(ids).count == writers * each)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The socket fills up repeatedly in the middle of events; none is truncated or lost.
    @Test func whoReadsSlowlyHearsEverythingInOrder() async throws {
        let count = 120
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            try await RawConnection.open(server, receiveBuffer: 4096, isDeaf: false, seconds: 600) { connection in
                try await connection.send(
                    "GET /instant/v1/events HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer \(token)\r\n\r\n")
                var text = try await connection.read(until: "\"open\"")
                let words = String(repeating: "slow and large ", count: 3300)
                for n in 1...count { _ = try await server.push(token, [Samples.create(Int64(n), "n\(n)", words)]) }
                text += try await connection.read(until: "\"n\(count)\"")
                let end = try #require(text.range(of: "\r\n\r\n"))
                var heard: [Int] = []
                for piece in Chunks(String(text[end.upperBound...])) {
                    for match in piece.matches(of: /"id":"n(\d+)"/) { heard.append(try #require(Int(match.1))) }
                }
                // The last piece may be incomplete.
                #expect(heard == Array(1...heard.count))
                #expect(heard.count >= count - 1)
            }
        }
    }
}
