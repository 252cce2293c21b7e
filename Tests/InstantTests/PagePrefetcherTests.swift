import Annotations
import AsyncHTTPClient
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import Testing

@testable import Instant

/// Fetches the next page while the current one is stored, as an optimisation only.
@Suite struct PagePrefetcherTests {
    private static let second = Layer.NextPage(after: "a", at: 7, epoch: "e")

    /// Answers the first request with the first of two pages, and later ones with `rest`.
    private func server(_ rest: @escaping @Sendable (Int) -> FakeServer.Answer) throws -> FakeServer {
        let count = Mutex(0)
        return try FakeServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .json(Self.page("a", next: "a").bytes) : rest(number)
        }
    }

    private static func page(_ id: Record.ID, next: Record.ID?) -> SnapshotPage {
        SnapshotPage(epoch: "e", at: 7, records: [.record(Record(id: id, content: note(id)), 1)], next: next)
    }

    private func pages(from server: FakeServer) throws -> PagePrefetcher {
        let address = try ServerAddress(server.url)
        return PagePrefetcher(transport: HTTPTransport(http: .shared, address: address))
    }

    @Test func thePageAheadIsTheOneThatIsAskedForNext() async throws {
        let server = try server { _ in .json(Self.page("b", next: nil).bytes) }
        let pages = try pages(from: server)
        #expect(try await pages.send(.page(Layer.NextPage()), token: "t") == .page(Self.page("a", next: "a")))
        #expect(try await pages.send(.page(Self.second), token: "t") == .page(Self.page("b", next: nil)))
        #expect(server.requests.count == 2)
    }

    @Test func aFailureAheadIsForgotten() async throws {
        let server = try server { $0 == 2 ? .error(500, "overload") : .json(Self.page("b", next: nil).bytes) }
        let pages = try pages(from: server)
        _ = try await pages.send(.page(Layer.NextPage()), token: "t")
        #expect(try await pages.send(.page(Self.second), token: "t") == .page(Self.page("b", next: nil)))
        #expect(server.requests.count == 3)
    }

    @Test func anotherTokenFetchesAnew() async throws {
        let server = try server { _ in .json(Self.page("b", next: nil).bytes) }
        let pages = try pages(from: server)
        _ = try await pages.send(.page(Layer.NextPage()), token: "t")
        #expect(try await pages.send(.page(Self.second), token: "other") == .page(Self.page("b", next: nil)))
        #expect(server.requests.contains { $0.headers["authorization"] == "Bearer other" })
    }
}
