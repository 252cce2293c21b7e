import Foundation
import GRDB
import InstantCore
import Testing

@testable import Instant

/// Another process holds SQLite's write lock while a layer stores a response: only that layer waits.
@Suite(.timeLimit(.minutes(5))) struct BusyStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A call that returns immediately takes far less than the store's 10 s lock timeout.
    private func isQuick(_ body: () -> Void) -> Bool {
        let start = ContinuousClock.now
        body()
        return start.duration(to: .now) < .seconds(8)
    }

    @Test func onlyTheLayerThatWritesWaits() async throws {
        let server = try plainServer()
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let busy = try client.documentDescriptor(forJWT: token())
        try await busy.reauthenticateAndWait(withJWT: token())
        try await busy.syncAndWait()
        let performer = try busy.performer()
        let path = Folders.database(in: client.folders.layer(busy.identity))
        var configuration = Configuration()
        // The transaction stays open from one call to the next.
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let before = server.requests.count
        busy.sync()
        while server.requests.count == before { await Task.yield() }

        // The response is being stored now or soon; the test does not depend on which.
        let isStatusQuick = isQuick { _ = busy.status }
        let isTokenQuick = isQuick { _ = performer.dataToken }
        let isStateQuick = isQuick { _ = busy.documentState }
        #expect(isStatusQuick && isTokenQuick && isStateQuick)
        #expect(busy.status.connection == .live && performer.dataToken == token())
        let free = try client.documentDescriptor(forJWT: token(layer: "other"))
        try await free.reauthenticateAndWait(withJWT: token(layer: "other"))
        try await free.syncAndWait()
        let lock = Folders.lock(in: client.folders.layer(busy.identity))
        let isClosingQuick = isQuick { busy.close(because: InstantError(.requestFailed, "closed")) }
        #expect(isClosingQuick)
        #expect(!FileLock.isHeld(lock))
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        withExtendedLifetime(client) {}
    }
}
