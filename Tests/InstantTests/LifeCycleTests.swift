import Annotations
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import TestSupport
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
        try await waitUntil("the status says so") {
            if case .lost = descriptor.status.connection { true } else { false }
        }
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
        #expect(openFiles(below: folder.path).isEmpty)
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
        try await descriptor.syncAndWait()
        let events = descriptor.events
        let id = try descriptor.editableDocument.add(note("mine"), author: "Ana")
        #expect(descriptor.documentState == .dirty)
        #expect(await kind { try await descriptor.syncAndWait() } == .rejectedEdits)
        let conflicts = try descriptor.conflicts()
        #expect(conflicts.map(\.isRefusal) == [true])
        // A rejected edit waits for the user, not for the server.
        #expect(descriptor.documentState == .clean)
        #expect(try client.listCacheEntries().map(\.state) == [.clean])
        let told = try await wait(in: events) { if case .didRejectEdits(let told) = $0 { told } else { nil } }
        #expect(told == conflicts && told.map(\.recordID) == [id])
        // Until it is resolved.
        #expect(await kind { try await descriptor.syncAndWait() } == .rejectedEdits)
        try descriptor.editableDocument.resolve(conflicts[0].id, .theirs)
        try await descriptor.syncAndWait()
        withExtendedLifetime(client) {}
    }

    @Test func aRejectedEditIsToldInEveryProcess() async throws {
        let server = try plainServer(instead: { request in
            guard let push = try? PushRequest(bytes: request.body), let change = push.changes.first,
                request.path.hasSuffix("/changes")
            else { return nil }
            let answer = PushAnswer(results: [ChangeResult(n: change.n, status: .conflict)], delta: nil)
            return .json(answer.bytes)
        })
        let first = try client(server)
        let leading = try first.documentDescriptor(forJWT: token())
        try await leading.reauthenticateAndWait(withJWT: token())
        let second = try client(server)
        let following = try second.documentDescriptor(forJWT: token())
        _ = following.status
        let events = following.events
        try leading.editableDocument.add(note("mine"), author: "Ana")
        #expect(await kind { try await leading.syncAndWait() } == .rejectedEdits)
        let told = try await wait(in: events) { if case .didRejectEdits(let told) = $0 { told } else { nil } }
        #expect(told.map(\.isRefusal) == [false])
        withExtendedLifetime((first, second)) {}
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
        let beyond = Content.note(onPage: 3, at: PagePoint(x: 1, y: 1), text: "nowhere")
        #expect(kind { try document.add(beyond, author: "Ana") } == .invalidRequest)
        #expect(try document.annotationCount == 0)
        withExtendedLifetime(client) {}
    }

    @Test func anAttachmentOverTheServersLimitIsRefusedHere() async throws {
        let pdf = FakePDF.standard
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/session") else { return nil }
            return session(pdf, request, limits: ServerLimits(attachmentBytes: 10))
        }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.reauthenticateAndWait(withJWT: token())
        let document = descriptor.editableDocument
        #expect(kind { _ = try document.addAttachment(Data(count: 11)) } == .payloadLimitExceeded)
        let id = try document.addAttachment(Data(count: 10))
        let box = PageRect(left: 1, top: 1, width: 10, height: 10)
        try document.add(.image(onPage: 0, in: box, attachment: id), author: "Ana")
        withExtendedLifetime(client) {}
    }

    @Test func thePagesAreKnown() async throws {
        let server = try await LiveServer(folder: folder)
        try await server.upload(SmallPDF(annotations: []).bytes)
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url.appending(path: "client"))
        let jwt = try server.token()
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        #expect(descriptor.pageCount == nil && descriptor.pageSize(ofPage: 0) == nil)
        try await descriptor.reauthenticateAndWait(withJWT: jwt)
        #expect(descriptor.pageCount == 1)
        #expect(descriptor.pageSize(ofPage: 0) == PageSize(width: 612, height: 792))
        #expect(descriptor.pageSize(ofPage: 1) == nil && descriptor.pageSize(ofPage: -1) == nil)
        try await server.stop()
    }

    @Test func whoWouldNotSeeARecordIsToldBefore() async throws {
        let server = try plainServer()
        let client = try client(server)
        let blind = token(more: #","creator_name":"Ana","collaboration_permissions":["comments:view:all"]"#)
        let descriptor = try client.documentDescriptor(forJWT: blind)
        try await descriptor.reauthenticateAndWait(withJWT: blind)
        let document = descriptor.editableDocument
        let denial = try #require(try document.denialOfViewing(note("into the void")))
        #expect(denial.description == "needs annotations:view:self")
        let error = #expect(throws: InstantError.self) { try document.add(note("into the void")) }
        #expect(error?.kind == .recordWouldBeHidden && error?.message.contains("annotations:view:self") == true)
        #expect(try descriptor.unsentEdits().isEmpty)
        try document.add(note("into the void"), allowsHidden: true)
        #expect(try descriptor.unsentEdits().count == 1)
        withExtendedLifetime(client) {}
    }

    @Test func aSyncThatWaitsForTheSessionEndsWithTheClient() async throws {
        let isHeld = Atomic(false)
        let server = try plainServer { request in
            isHeld.load(ordering: .relaxed) && request.path == "/instant/v1/session"
                ? FakeServer.Answer(headers: ["content-length": "1000"], holds: true) : nil
        }
        defer { server.release() }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.downloadAndWait(usingJWT: token())
        isHeld.store(true, ordering: .relaxed)
        descriptor.setOnline(false)
        descriptor.setOnline(true)
        let events = descriptor.events
        descriptor.sync()
        try descriptor.performer().settle()
        await client.close()
        var heard: [InstantEvent] = []
        for await event in events { heard.append(event) }
        #expect(heard.contains(.didFailSync(InstantError(.invalidDocument, "the client was closed"))))
    }

    @Test func aClosedClientHasReleasedEverything() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.downloadAndWait(usingJWT: token())
        descriptor.startListeningForServerChanges()
        try descriptor.editableDocument.add(note("unsent"), author: "Ana")
        let place = descriptor.folders.layer(descriptor.identity)
        let events = descriptor.events
        // Both calls wait for the same end.
        async let other: Void = client.close()
        await client.close()
        #expect(!FileLock.isHeld(Folders.lock(in: place)) && !FileLock.isHeld(Folders.use(in: place)))
        #expect(openFiles(below: folder.path).isEmpty)
        await other
        var last: InstantEvent?
        for await event in events { last = event }
        #expect(last == .didClose(InstantError(.invalidDocument, "the client was closed")))
        #expect(kind { _ = try client.documentDescriptor(forJWT: token()) } == .invalidDocument)
        #expect(kind { _ = try client.localDocumentDescriptors() } == .invalidDocument)
        #expect(kind { _ = try descriptor.unsentEdits() } == .invalidDocument)
        #expect(descriptor.documentState == .invalid && !descriptor.isDownloaded)
        #expect(openFiles(below: folder.path).isEmpty)
        let next = try self.client(server)
        let again = try next.documentDescriptor(forJWT: token())
        #expect(try again.unsentEdits().count == 1)
        try await again.reauthenticateAndWait(withJWT: token())
        try await again.syncAndWait()
        #expect(try again.unsentEdits().isEmpty)
        await client.close()
        await next.close()
    }

    @Test func aCallThatWaitsEndsWithTheClient() async throws {
        let server = try FakeServer { _ in FakeServer.Answer(body: [1, 2, 3], cutAfter: 0, holds: true) }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let calls = [
            Task { try await descriptor.downloadAndWait(usingJWT: token()) },
            Task { try await descriptor.syncAndWait() },
        ]
        try await waitUntil("a request arrives") { !server.requests.isEmpty }
        await client.close()
        for call in calls {
            let kind = await kind { try await call.value }
            #expect(kind == .invalidDocument || kind == .authenticationFailed)
        }
        server.release()
    }

    /// Another process that holds the lock, but does nothing: suspended, for example.
    @Test func nothingWaitsForAnotherProcessForEver() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let place = descriptor.folders.layer(descriptor.identity)
        try Folders.make(place)
        let lock = try #require(FileLock(path: Folders.lock(in: place)))
        let kind = await kind { try await descriptor.downloadAndWait(usingJWT: token()) }
        #expect(kind == nil, "a process that shows no sign of life is replaced")
        withExtendedLifetime((client, lock)) {}
    }

    /// A process that was stopped while it waited to lead. No process leads.
    @Test func aStoppedProcessThatWaitsToLeadKeepsNoOtherFromLeading() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let place = descriptor.folders.layer(descriptor.identity)
        try Folders.make(place)
        let claim = try #require(LeadClaim(path: Folders.claim(in: place)))
        // On a busy machine, an attempt may give up before the claim counts as old.
        var failure = await kind { try await descriptor.downloadAndWait(usingJWT: token()) }
        for _ in 1...5 where failure == .requestFailed {
            failure = await kind { try await descriptor.downloadAndWait(usingJWT: token()) }
        }
        #expect(failure == nil || failure == .alreadyDownloaded)
        try await waitUntil("it is live") { descriptor.status.connection == .live }
        withExtendedLifetime((client, claim)) {}
    }

    @Test func eachClaimHasANameOfItsOwn() throws {
        let path = folder.path + "/claim.lock"
        #expect(LeadClaim.newest(at: path) == nil)
        let first = try #require(LeadClaim(path: path))
        let name = try #require(LeadClaim.newest(at: path))
        let second = try #require(LeadClaim(path: path))
        #expect(LeadClaim.newest(at: path) != name)
        withExtendedLifetime((first, second)) {}
    }

    /// A client whose token has another view leaves its first store; a thread may still have it.
    @Test func aStoreThatWasLeftIsClosedWithTheClient() async throws {
        let server = try plainServer()
        let first = try client(server)
        let wide = try first.documentDescriptor(forJWT: token())
        try await wide.reauthenticateAndWait(withJWT: token())
        let second = try client(server)
        let descriptor = try second.documentDescriptor(forJWT: token())
        let left = try descriptor.performer()
        let narrow = token(more: #","collaboration_permissions":["annotations:view:self"]"#)
        try await descriptor.reauthenticateAndWait(withJWT: narrow)
        #expect(try descriptor.performer() !== left)
        await first.close()
        await second.close()
        #expect(openFiles(below: folder.path).isEmpty)
        withExtendedLifetime(left) {}
    }

    @Test func whatIsOfflineOnPurposeIsSaid() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.setOnline(false)
        for call in [
            { try await descriptor.syncAndWait() },
            { try await descriptor.reauthenticateAndWait(withJWT: token()) },
            { try await descriptor.downloadAndWait(usingJWT: token()) },
        ] as [() async throws -> Void] {
            #expect(await kind(call) == .requestFailed)
        }
        descriptor.setOnline(true)
        try await descriptor.downloadAndWait(usingJWT: token())
        withExtendedLifetime(client) {}
    }

    @Test func editsAreUndoneAndRedone() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token(more: #","creator_name":"Ana""#))
        try await descriptor.reauthenticateAndWait(withJWT: token(more: #","creator_name":"Ana""#))
        let document = descriptor.editableDocument
        #expect(!document.canUndo && !document.canRedo)
        #expect(try document.undo().isEmpty)
        let id = try document.add(note("one"))
        try document.update(id, content: note("two"))
        #expect(try document.undo() == [id])
        #expect(try document.record(id)?.text == "one")
        try document.undo()
        #expect(try document.record(id) == nil && document.canRedo && !document.canUndo)
        try document.redo()
        try document.redo()
        #expect(try document.record(id)?.text == "two")
        try document.undo()
        try document.add(note("another"))
        #expect(!document.canRedo, "a new edit ends the possibility to redo")
        let line = PageRect(left: 1, top: 1, width: 9, height: 9)
        let thread = try document.beginThread(
            Content.markup(.highlight, onPage: 0, rects: [line]), text: .plain("why?"))
        #expect(try Set(document.undo()) == [thread.root, thread.comment])
        #expect(try document.record(thread.root) == nil)
        withExtendedLifetime(client) {}
    }

    @Test func listsAreFiltered() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        try await descriptor.reauthenticateAndWait(withJWT: token())
        let document = descriptor.editableDocument
        for text in ["Apples", "Pears", "apple pie"] { try document.add(note(text), author: "Ana") }
        var query = ListQuery()
        query.filter.text = "apple"
        #expect(try document.count(of: query) == 2)
        #expect(try document.annotations(matching: query, in: 0..<9).map(\.text).sorted() == ["Apples", "apple pie"])
        withExtendedLifetime(client) {}
    }
}

/// The open files of this process below a folder.
func openFiles(below folder: String) -> [String] {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return open.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
        .filter { $0.hasPrefix(folder + "/") }
}
