import Annotations
import FaultProxy
import Foundation
import InstantCore
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// With the real client, the real server and a bad network between them, nothing is lost or duplicated.
@Suite(.timeLimit(.minutes(15))) struct FaultProxyTests {
    private let folder: TemporaryFolder
    private let server: LiveServer
    private let proxy: FaultProxy

    init() async throws {
        folder = try TemporaryFolder()
        server = try await LiveServer.withDocument(in: folder)
        proxy = try await FaultProxy(to: server.port)
    }

    private func join(_ user: String) async throws -> Person {
        try await Person(server, try server.token(user), through: URL(string: proxy.url))
    }

    /// Waits as a user would: retries, and re-enters the token if a damaged request made the server reject it.
    private func see(_ descriptor: InstantDocumentDescriptor, _ jwt: String, _ isSo: () throws -> Bool) async throws {
        let events = descriptor.events
        if try isSo() { return }
        descriptor.retryNow()
        for await _ in events {
            if try isSo() { return }
            switch descriptor.status.connection {
            case .offline: descriptor.retryNow()
            case .needsToken: descriptor.reauthenticate(withJWT: jwt)
            default: break
            }
        }
        throw EventsEnded()
    }

    @Test(arguments: 1...6) func whateverALineDoesEachEditArrivesOnce(_ seed: UInt64) async throws {
        let ana = try await join("ana")
        let jwt = try server.token("ana")
        ana.descriptor.reauthenticate(withJWT: jwt)
        var random = SeededRandom(seed: seed)
        let faults = (0..<12).map { _ in Fault.any(using: &random) }
        proxy.follow { $0 < faults.count ? faults[$0] : .none }
        proxy.cut()
        var texts: [String] = []
        for number in 0..<20 {
            let receipt = try ana.descriptor.create(note("note \(number)"))
            if number.isMultiple(of: 4) {
                _ = try ana.descriptor.update(receipt.id, content: note("note \(number) again"))
            }
            texts.append(number.isMultiple(of: 4) ? "note \(number) again" : "note \(number)")
            if number.isMultiple(of: 5) { proxy.cut() }
        }
        try await see(ana.descriptor, jwt) {
            ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean
        }
        #expect(ana.descriptor.status.conflicts + ana.descriptor.status.refused == 0, "\(faults)")
        let bo = try await Person(server, try server.token("bo"))
        #expect(try bo.texts() == texts.sorted(), "\(faults)")
        #expect(try ana.texts() == texts.sorted(), "\(faults)")
        try await server.stop()
    }

    /// The client retries while each snapshot response is cut.
    @Test(arguments: [300, 900, 1500, 2500]) func aFirstSyncThatIsCutComesThrough(_ bytes: Int) async throws {
        let bo = try await Person(server, try server.token("bo"))
        for number in 0..<10 { _ = try bo.descriptor.create(note("note \(number)")) }
        try await bo.see { bo.descriptor.status.unsent == 0 && bo.descriptor.documentState == .clean }
        proxy.follow { $0 < 3 ? .reset(after: bytes, .down) : .none }
        let jwt = try server.token("ana")
        let mine = try TemporaryFolder()
        let client = try InstantClient(serverURL: #require(URL(string: proxy.url)), dataDirectory: mine.url)
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        try descriptor.download(usingJWT: jwt)
        try await see(descriptor, jwt) { descriptor.isDownloaded }
        #expect(try descriptor.layer.rows(ListQuery(), offset: 0, limit: 100).map(\.text).sorted() == bo.texts())
        try await server.stop()
    }

    @Test func aServerThatTakesNoConnectionIsToldOfAndComesBack() async throws {
        let ana = try await join("ana")
        proxy.follow { _ in .refuse }
        proxy.cut()
        _ = try ana.descriptor.create(note("waits"))
        try await ana.see {
            guard case .offline = ana.descriptor.status.connection else { return false }
            return ana.descriptor.status.problem?.contains("did not answer: the connection was closed") == true
        }
        #expect(ana.descriptor.status.unsent == 1)
        #expect(try ana.texts() == ["waits"])
        proxy.follow { _ in .none }
        ana.descriptor.retryNow()
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        try await server.stop()
    }

    /// A firewall refuses one of five edits. It is put aside and named, the others arrive, and others' edits are received. It
    /// is sent once nothing refuses it any more.
    @Test func whatAFirewallRefusesHoldsNothingUp() async throws {
        let ana = try await join("ana")
        let bo = try await Person(server, try server.token("bo"))
        proxy.follow { _ in .forbid("an attack") }
        proxy.cut()
        ana.descriptor.setOnline(false)
        for number in 0..<5 { _ = try ana.descriptor.create(note(number == 2 ? "an attack" : "note \(number)")) }
        ana.descriptor.setOnline(true)
        _ = try bo.descriptor.create(note("of bo"))
        let others = ["note 0", "note 1", "note 3", "note 4"]
        try await ana.see { ana.descriptor.status.aside == 1 && ana.descriptor.status.unsent == 0 }
        #expect(ana.descriptor.status.parked == 1)
        let edit = try #require(try ana.descriptor.unsentEdits().first)
        guard edit.isAside, case .parked(let why) = edit.state else {
            Issue.record("it is not put aside: \(edit)")
            return
        }
        #expect(why == "put aside: something between here and 127.0.0.1 answers 403")
        try await bo.see { try bo.texts() == (others + ["of bo"]).sorted() }
        try await ana.see { try ana.texts() == (others + ["an attack", "of bo"]).sorted() }
        proxy.follow { _ in .none }
        proxy.cut()
        ana.descriptor.retryNow()
        try await ana.see { ana.descriptor.status.parked + ana.descriptor.status.unsent == 0 }
        try await bo.see { try bo.texts() == (others + ["an attack", "of bo"]).sorted() }
        try await server.stop()
    }

    @Test func anEditThatIsRefusedAloneSaysWhy() async throws {
        let ana = try await join("ana")
        proxy.follow { _ in .forbid("an attack") }
        proxy.cut()
        _ = try ana.descriptor.create(note("an attack"))
        ana.descriptor.retryNow()
        try await waitUntil("the status has the reason") {
            ana.descriptor.status.unsentBecause == "something between here and 127.0.0.1 answers 403"
        }
        #expect(ana.descriptor.status.unsent == 1)
        proxy.follow { _ in .none }
        proxy.cut()
        ana.descriptor.retryNow()
        try await waitUntil("it is sent") { ana.descriptor.status.unsent == 0 }
        try await waitUntil("the reason is gone") { ana.descriptor.status.unsentBecause == nil }
        try await server.stop()
    }

    /// A connection dies without an error. The edit is durable and visible; stopping cancels the request.
    @Test func aLineThatGoesDeadHoldsNothingBack() async throws {
        let ana = try await join("ana")
        proxy.follow { _ in .stall(after: 600, .up) }
        proxy.cut()
        _ = try ana.descriptor.create(note("waits"))
        ana.descriptor.retryNow()
        #expect(try ana.texts() == ["waits"])
        ana.descriptor.setOnline(false)
        try await ana.see { ana.descriptor.status.connection == .idle }
        #expect(ana.descriptor.status.unsent == 1)
        proxy.follow { _ in .none }
        proxy.cut()
        ana.descriptor.setOnline(true)
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        let bo = try await Person(server, try server.token("bo"))
        #expect(try bo.texts() == ["waits"])
        try await server.stop()
    }

    @Test func aSlowLineIsOnlySlow() async throws {
        proxy.follow { _ in .slow(bytesPerSecond: 20_000) }
        let ana = try await join("ana")
        _ = try ana.descriptor.create(note("slowly"))
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        let bo = try await Person(server, try server.token("bo"))
        #expect(try bo.texts() == ["slowly"])
        try await server.stop()
    }

    /// With a proxy that buffers streams, local edits are sent, and remote ones arrive in the next cycle.
    @Test func aProxyThatGathersTheStreamDoesNotHoldBackTheRest() async throws {
        proxy.follow { _ in .buffer(requestsWith: "GET /instant/v1/events HTTP") }
        let ana = try await join("ana")
        let bo = try await Person(server, try server.token("bo"))
        _ = try bo.descriptor.create(note("from bo"))
        try await bo.see { bo.descriptor.status.unsent == 0 && bo.descriptor.documentState == .clean }
        _ = try ana.descriptor.create(note("from ana"))
        try await ana.see { try ana.texts() == ["from ana", "from bo"] }
        try await bo.see { try bo.texts() == ["from ana", "from bo"] }
        try await server.stop()
    }
}
