import Foundation
import Synchronization
import TestThreads
import Testing

@testable import Instant

/// Event-based calls in their async form.
@Suite(.timeLimit(.minutes(15))) struct AwaitingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ server: FakeServer) throws -> (InstantClient, InstantDocumentDescriptor) {
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        return (client, try client.documentDescriptor(forJWT: token()))
    }

    private func kind(_ body: () async throws -> Void) async -> InstantError.Kind? {
        do {
            try await body()
            return nil
        } catch { return (error as? InstantError)?.kind }
    }

    @Test func theWholeLifeInALine() async throws {
        let server = try plainServer()
        let (client, descriptor) = try open(server)
        try await descriptor.downloadAndWait(usingJWT: token())
        #expect(descriptor.isDownloaded)
        try descriptor.editableDocument.add(note("sent"), author: "Ana")
        try await descriptor.syncAndWait()
        #expect(try descriptor.unsentEdits().isEmpty)
        // An existing download only checks the token.
        let again = token(more: #","jti":"2""#)
        try await descriptor.downloadAndWait(usingJWT: again)
        try await descriptor.reauthenticateAndWait(withJWT: again)
        #expect(descriptor.status.connection == .live)
        withExtendedLifetime(client) {}
    }

    @Test func withoutATokenNothingIsSynced() async throws {
        let (client, descriptor) = try open(try plainServer())
        #expect(await kind { try await descriptor.syncAndWait() } == .authenticationFailed)
        withExtendedLifetime(client) {}
    }

    @Test func aRefusedTokenIsSaid() async throws {
        let server = try FakeServer { _ in .error(401, "token_revoked") }
        let (client, descriptor) = try open(server)
        #expect(await kind { try await descriptor.reauthenticateAndWait(withJWT: token()) } == .authenticationFailed)
        #expect(await kind { try await descriptor.downloadAndWait(usingJWT: token()) } == .authenticationFailed)
        let other = token(layer: "other")
        #expect(await kind { try await descriptor.reauthenticateAndWait(withJWT: other) } == .invalidJWT)
        #expect(await kind { try await descriptor.downloadAndWait(usingJWT: other) } == .invalidJWT)
        withExtendedLifetime(client) {}
    }

    @Test func aTokenThatEndsOnTheWayIsSaidAndTheNextOneGoesOn() async throws {
        let hasEnded = Mutex(false)
        let pdf = FakePDF.standard
        let server = try plainServer(pdf) { request in
            let isNew = request.headers["authorization"]?.hasSuffix(token(more: #","jti":"2""#)) == true
            if request.path.hasSuffix("/document"), !isNew { hasEnded.withLock { $0 = true } }
            return hasEnded.withLock { $0 } && !isNew ? .error(401, "token_expired") : nil
        }
        let (client, descriptor) = try open(server)
        #expect(await kind { try await descriptor.downloadAndWait(usingJWT: token()) } == .authenticationFailed)
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token(more: #","jti":"2""#))
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        #expect(descriptor.isDownloaded)
        withExtendedLifetime(client) {}
    }

    @Test func aServerThatIsGoneIsSaid() async throws {
        let server = try FakeServer { _ in .error(503, "unavailable") }
        let (client, descriptor) = try open(server)
        #expect(await kind { try await descriptor.downloadAndWait(usingJWT: token()) } == .requestFailed)
        #expect(await kind { try await descriptor.syncAndWait() } == .requestFailed)
        withExtendedLifetime(client) {}
    }

    /// Under the load of a whole test run the other client may exceed the wait of ten seconds. The call then throws,
    /// and the next one resumes.
    private func patiently(_ body: () async throws -> Void) async throws {
        for _ in 0..<20 {
            do { return try await body() } catch let error as InstantError where error.kind == .requestFailed {}
        }
        try await body()
    }

    /// While one client leads, the other's token is also accepted, and the leader sends the other's edits.
    @Test func besideAnotherClientEverythingEndsAsItDoesAlone() async throws {
        let server = try plainServer()
        let (first, leading) = try open(server)
        try await leading.reauthenticateAndWait(withJWT: token())
        let (second, following) = try open(server)
        try await patiently { try await following.reauthenticateAndWait(withJWT: token()) }
        #expect(following.status.connection == .elsewhere)
        _ = try following.create(note("from the second"), author: "Ana")
        try await patiently { try await following.syncAndWait() }
        #expect(following.status.unsent == 0)
        #expect(await kind { _ = try await following.checkIntegrity() } == .requestFailed)
        withExtendedLifetime((first, second)) {}
    }

    @Test func aDownloadBesideAClientWithoutATokenEnds() async throws {
        let server = try plainServer()
        let (first, waiting) = try open(server)
        #expect(waiting.status.connection == .needsToken(.noneYet))
        let (second, descriptor) = try open(server)
        try await descriptor.downloadAndWait(usingJWT: token())
        #expect(descriptor.isDownloaded)
        withExtendedLifetime((first, second)) {}
    }

    @Test func cancellingStopsTheDownloadAndIsNoFailure() async throws {
        let pdf = FakePDF.standard
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document") else { return nil }
            var answer = document(pdf, request)
            answer.cutAfter = 50_000
            answer.holds = true
            return answer
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        let download = Task { try await descriptor.downloadAndWait(usingJWT: token()) }
        try await wait(in: events) { if case .didMakeProgress = $0 { () } else { nil } }
        download.cancel()
        #expect(await kind { try await download.value } == .cancelled)
        try await wait(in: events) { $0 == .didCancelDownload ? () : nil }
        server.release()
        withExtendedLifetime(client) {}
    }

    @Test func theEndOfTheClientIsTheEndOfTheWaiting() async throws {
        let server = try FakeServer { _ in FakeServer.Answer(body: [1, 2, 3], cutAfter: 0, holds: true) }
        var held: (InstantClient, InstantDocumentDescriptor)? = try open(server)
        let descriptor = try #require(held?.1)
        let waiting = Task { try await descriptor.reauthenticateAndWait(withJWT: token()) }
        try await waitUntil("a request arrives") { !server.requests.isEmpty }
        held = nil
        let error = await #expect(throws: InstantError.self) { try await waiting.value }
        #expect(error?.message.contains("keep it alive") == true)
        server.release()
        withExtendedLifetime(held) {}
    }
}
