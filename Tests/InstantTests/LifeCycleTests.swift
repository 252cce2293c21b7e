import Annotations
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import TestThreads
import Testing

@testable import Instant

/// What ends, ends for good, and what waits, is told so.
@Suite(.timeLimit(.minutes(15))) struct LifeCycleTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func client(_ server: FakeServer) throws -> InstantClient {
        try InstantClient(serverURL: server.url, dataDirectory: folder.url)
    }

    private func kind(_ body: () throws -> Void) -> InstantError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? InstantError)?.kind }
    }

    private func kind(_ body: () async throws -> Void) async -> InstantError.Kind? {
        do {
            try await body()
            return nil
        } catch { return (error as? InstantError)?.kind }
    }

    @Test func theDescriptorOfAReleasedClientStaysClosed() async throws {
        let server = try plainServer()
        var first: InstantClient? = try client(server)
        let old = try #require(try first?.documentDescriptor(forJWT: token()))
        try await old.reauthenticateAndWait(withJWT: token())
        first = nil
        #expect(first == nil)
        // Reading its state must not open the storage again.
        #expect(old.documentState == .invalid)
        #expect(!old.isDownloaded)
        _ = old.status
        #expect(kind { try old.editableDocument.add(note("x"), author: "Ana") } == .invalidDocument)
        #expect(kind { _ = try old.unsentEdits() } == .invalidDocument)
        #expect(await kind { try await old.syncAndWait() } == .invalidDocument)
        #expect(await kind { try await old.downloadAndWait(usingJWT: token()) } == .invalidDocument)
        let second = try client(server)
        let new = try second.documentDescriptor(forJWT: token())
        #expect(new !== old)
        try await new.downloadAndWait(usingJWT: token())
        #expect(new.status.connection == .live)
        withExtendedLifetime(second) {}
    }

    @Test func aLostLayerCannotBeEdited() async throws {
        let isGone = Mutex(false)
        let server = try plainServer { _ in isGone.withLock { $0 } ? .error(404, "document_not_found", "gone") : nil }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let document = descriptor.editableDocument
        try await descriptor.reauthenticateAndWait(withJWT: token())
        let id = try document.add(note("before"), author: "Ana")
        let events = descriptor.events
        isGone.withLock { $0 = true }
        descriptor.sync()
        try await wait(in: events) { if case .didLoseAccess = $0 { () } else { nil } }
        try await waitUntil("the status says so") { if case .lost = descriptor.status.connection { true } else { false } }
        #expect(kind { try document.add(note("after"), author: "Ana") } == .accessDenied)
        #expect(kind { try document.update(id, content: note("after")) } == .accessDenied)
        #expect(kind { try document.remove(id) } == .accessDenied)
        #expect(try document.record(id)?.instantRecordOperations == [])
        // What was written is still there, and can be given up.
        #expect(try descriptor.unsentEdits().count == 1)
        withExtendedLifetime(client) {}
    }

    @Test func aTokenIsAskedForOnceTheLayerIsWatched() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.startListeningForServerChanges()
        try await wait(in: events) { $0 == .didFailAuthentication(.noneYet) ? () : nil }
        withExtendedLifetime(client) {}
    }

    @Test func aTokenIsAskedForOnceAnEditIsDue() async throws {
        let server = try plainServer()
        do {
            let client = try client(server)
            let descriptor = try client.documentDescriptor(forJWT: token())
            try await descriptor.downloadAndWait(usingJWT: token())
        }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.delayForSyncingLocalChanges = .milliseconds(1)
        let events = descriptor.events
        try descriptor.editableDocument.add(note("x"), author: "Ana")
        try await wait(in: events) { $0 == .didFailAuthentication(.noneYet) ? () : nil }
        withExtendedLifetime(client) {}
    }

    @Test func removingOnesOwnStorageIsNotLostAccess() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.reauthenticateAndWait(withJWT: token())
        let events = descriptor.events
        try descriptor.removeLocalStorage()
        var heard: [InstantEvent] = []
        for await event in events { heard.append(event) }
        #expect(!heard.contains { if case .didLoseAccess = $0 { true } else { false } })
        #expect(heard.last == .didClose(InstantError(.invalidDocument, "the local storage was removed")))
        withExtendedLifetime(client) {}
    }

    @Test func aRejectedEditIsToldToWhomWaitsForTheSync() async throws {
        let server = try plainServer(instead: { request in
            guard let push = try? PushRequest(bytes: request.body), let change = push.changes.first,
                request.path.hasSuffix("/changes")
            else { return nil }
            let answer = PushAnswer(
                results: [ChangeResult(n: change.n, status: .denied, reason: "not today")], delta: nil)
            return .json(answer.bytes)
        })
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.reauthenticateAndWait(withJWT: token())
        try descriptor.editableDocument.add(note("mine"), author: "Ana")
        #expect(descriptor.documentState == .dirty)
        await #expect(throws: InstantError.self) { try await descriptor.syncAndWait() }
        #expect(try descriptor.conflicts().map(\.isRefusal) == [true])
        withExtendedLifetime(client) {}
    }

    @Test func whatTheServerMustRefuseIsRefusedHere() async throws {
        let server = try plainServer()
        let client = try client(server)
        let reader = token(permissions: #"["read-document"]"#)
        let descriptor = try client.documentDescriptor(forJWT: reader)
        try await descriptor.reauthenticateAndWait(withJWT: reader)
        let document = descriptor.editableDocument
        #expect(kind { _ = try document.addAttachment(Data("x".utf8)) } == .accessDenied)
        try await descriptor.reauthenticateAndWait(withJWT: token())
        let unknown = note("x").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(String(repeating: "a", count: 64))
        }
        #expect(kind { try document.add(unknown, author: "Ana") } == .noSuchAttachment)
        withExtendedLifetime(client) {}
    }
}
