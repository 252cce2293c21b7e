import Annotations
import Dispatch
import Foundation
import InstantCore
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// A process that has a layer to itself stops checking what others do; whatever happens in the layer's folder wakes it.
@Suite(.timeLimit(.minutes(15))) struct ChecksTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A client that, once it is calm, checks nothing on its own.
    private func client(_ server: FakeServer) throws -> InstantClient {
        var environment = Environment.system
        (environment.pollMilliseconds, environment.calmMilliseconds) = (10, 3_600_000)
        return try InstantClient(
            serverURL: server.url, dataDirectory: folder.url.appendingPathComponent("data"), environment: environment)
    }

    private func calm(_ client: InstantClient) async throws -> (InstantDocumentDescriptor, LayerPerformer) {
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.downloadAndWait(usingJWT: token())
        let performer = try descriptor.performer()
        try await waitUntil("it is calm") { await pace(performer).isCalm }
        return (descriptor, performer)
    }

    /// Waits for the queue, so that the performer is not kept from its state.
    private func pace(_ performer: LayerPerformer) async -> CheckPace {
        await performer.settled()
        return performer.confined.withLock(\.pace)
    }

    private func sign(_ performer: LayerPerformer) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: Folders.lock(in: performer.open.folder)))
    }

    @Test func onlyChecksInARowWithoutAnotherProcessMakeCalm() {
        var pace = CheckPace()
        for _ in 1..<CheckPace.settling { _ = pace.plan(isQuiet: true) }
        #expect(!pace.isCalm)
        _ = pace.plan(isQuiet: false)
        for _ in 1..<CheckPace.settling { _ = pace.plan(isQuiet: true) }
        #expect(!pace.isCalm)
        let calm = pace.plan(isQuiet: true)
        #expect(pace.isCalm && pace.isDue(calm))
        let soon = pace.plan(isQuiet: false)
        #expect(!pace.isCalm && pace.isDue(soon) && !pace.isDue(calm))
    }

    /// Otherwise the second one takes it for stopped after three checks, and takes the lead.
    @Test func whoeverComesFindsTheLeaderAwake() async throws {
        let server = try plainServer()
        let first = try client(server)
        let (leading, performer) = try await calm(first)
        let second = try client(server)
        let following = try second.documentDescriptor(forJWT: token())
        let other = try following.performer()
        try await waitUntil("the leader gives a sign of life") {
            let isAwake = await !pace(performer).isCalm
            return isAwake && other.confined.withLock(\.leaderWatch) != LeaderWatch()
        }
        var signs: Set<Data> = []
        try await waitUntil("it goes on doing so") {
            await other.settled()
            signs.insert(try sign(performer))
            return signs.count > 10
        }
        #expect(performer.holdsLock && !other.holdsLock)
        _ = try following.create(note("from the second"), author: "Ana")
        try await waitUntil("the leader sends it") { leading.status.unsent == 0 && following.status.unsent == 0 }
        await second.close()
        try await waitUntil("it is calm again") { await pace(performer).isCalm }
        withExtendedLifetime(first) {}
    }

    /// The test stops watching the folder, so only the edit can wake it.
    @Test func workOfItsOwnWakesIt() async throws {
        let server = try plainServer()
        let client = try client(server)
        let (descriptor, performer) = try await calm(client)
        performer.confined.withLock { $0.watch = nil }
        let before = await pace(performer)
        _ = try descriptor.create(note("one"), author: "Ana")
        try await waitUntil("it checks again") { await pace(performer).newest > before.newest }
        try await waitUntil("it is sent") { descriptor.status.unsent == 0 }
        withExtendedLifetime(client) {}
    }

    /// The folder itself, or one above it.
    @Test(arguments: [false, true]) func aFolderThatGoesIsNoticed(isMoved: Bool) async throws {
        let server = try plainServer()
        let client = try client(server)
        let (descriptor, performer) = try await calm(client)
        let events = descriptor.events
        let place = performer.open.folder
        if isMoved {
            let data = folder.url.appendingPathComponent("data")
            try FileManager.default.moveItem(at: data, to: folder.url.appendingPathComponent("elsewhere"))
        } else {
            try FileManager.default.removeItem(atPath: place)
        }
        try await wait(in: events) { $0 == .didChangeSyncState(.invalid) ? () : nil }
        #expect(descriptor.documentState == .invalid)
        withExtendedLifetime(client) {}
    }

    /// A side store is in a folder that is not watched.
    @Test func besideASideStoreItStaysAwake() async throws {
        let server = try plainServer()
        let first = try client(server)
        let (_, performer) = try await calm(first)
        let second = try client(server)
        let narrow = token(more: #","collaboration_permissions":["annotations:view:self"]"#)
        let other = try second.documentDescriptor(forJWT: narrow)
        try await other.reauthenticateAndWait(withJWT: narrow)
        #expect(try !other.performer().open.isMain)
        try await waitUntil("the first one is awake") { await !pace(performer).isCalm }
        let before = await pace(performer)
        try await waitUntil("it has checked often") {
            let now = await pace(performer)
            try #require(!now.isCalm)
            return now.newest > before.newest + 4 * CheckPace.settling
        }
        withExtendedLifetime((first, second)) {}
    }
}
