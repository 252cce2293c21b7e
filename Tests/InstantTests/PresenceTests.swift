import Annotations
import Crypto
import Foundation
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@testable import Instant

/// Two people on one layer of a real server, each with their own client.
@Suite("People in a layer", .timeLimit(.minutes(15))) struct PresenceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func running(_ key: P256.Signing.PrivateKey = .init()) async throws -> LiveServer {
        let server = try await LiveServer(folder: folder, key: key)
        try await server.upload(SmallPDF(annotations: []).bytes)
        return server
    }

    private func page(_ index: Int, presents: Bool = false) -> OwnPresence {
        OwnPresence(Location(pageIndex: index), isPresenting: presents)
    }

    /// Follows the presence updates until one matches.
    private func see(
        _ person: Person, _ isSo: (LayerPresence) -> Bool
    ) async throws -> LayerPresence {
        for await presence in person.descriptor.presences where isSo(presence) { return presence }
        throw EventsEnded()
    }

    @Test func theySeeEachOtherComeMoveAndGo() async throws {
        let server = try await running()
        let ana = try await Person(server, server.token("ana"))
        let bo = try await Person(server, server.token("bo"))
        try ana.descriptor.announce(page(1))
        try bo.descriptor.announce(page(2))
        let seen = try await see(ana) { $0.people.count == 1 }
        #expect((seen.people.first?.userID, seen.people.first?.name) == ("bo", "bo"))
        #expect(seen.own == page(1))
        try bo.descriptor.announce(page(7, presents: true))
        let presenter = try await see(ana) { $0.presenter != nil }.presenter
        #expect((presenter?.userID, presenter?.whereabouts.pageIndex) == ("bo", 7))
        // A second presenter is refused.
        try ana.descriptor.announce(page(3, presents: true))
        _ = try await see(ana) { $0.own == self.page(3) }
        _ = try await see(bo) { $0.people.first?.whereabouts.pageIndex == 3 }
        try bo.descriptor.announce(page(7))
        _ = try await see(ana) { $0.presenter == nil && $0.people.count == 1 }
        try ana.descriptor.announce(page(3, presents: true))
        _ = try await see(bo) { $0.presenter?.userID == "ana" }
        bo.descriptor.stopAnnouncing()
        _ = try await see(ana) { $0.people.isEmpty }
        #expect(bo.descriptor.presence.people.count == 1, "a client that announces nothing still sees the others")
        try await server.stop()
    }

    @Test func whoMayOnlyReadIsSeenAndDoesNotPresent() async throws {
        let server = try await running()
        let ana = try await Person(server, server.token("ana"))
        let reader = try await Person(
            server, server.token("reader", permissions: #"["read-document","download"]"#))
        let error = #expect(throws: InstantError.self) { try reader.descriptor.announce(page(1, presents: true)) }
        #expect(error?.kind == .accessDenied)
        try reader.descriptor.announce(page(1))
        _ = try await see(ana) { $0.people.map(\.userID) == ["reader"] }
        // Closing the stream removes the reader.
        reader.descriptor.stopListeningForServerChanges()
        _ = try await see(ana) { $0.people.isEmpty }
        try await server.stop()
    }

    @Test func aServerThatComesBackIsToldAnew() async throws {
        let key = P256.Signing.PrivateKey()
        let server = try await running(key)
        let ana = try await Person(server, server.token("ana"))
        let bo = try await Person(server, server.token("bo"))
        try ana.descriptor.announce(page(1))
        _ = try await see(bo) { $0.people.count == 1 }
        try await server.stop()
        _ = try await see(bo) { $0.people.isEmpty }
        let again = try await LiveServer(folder: folder, key: key, port: server.port)
        // Retry immediately instead of waiting for the pause to end.
        ana.descriptor.retryNow()
        bo.descriptor.retryNow()
        let seen = try await see(bo) { $0.people.count == 1 }
        #expect(seen.people.first?.whereabouts.pageIndex == 1)
        try await again.stop()
    }
}
