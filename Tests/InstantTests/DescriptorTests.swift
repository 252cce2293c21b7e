import Annotations
import Authorization
import Foundation
import InstantCore
import TestThreads
import Testing

@testable import Instant

@Suite(.timeLimit(.minutes(15))) struct DescriptorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func client(_ server: FakeServer) throws -> InstantClient {
        try InstantClient(
            serverURL: server.url, dataDirectory: folder.url,
            environment: Environment(now: Environment.system.now, pollMilliseconds: 20))
    }

    private func live(_ client: InstantClient, _ jwt: String = token()) async throws -> InstantDocumentDescriptor {
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: jwt)
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        return descriptor
    }

    @Test func aTokenNamesItsLayerOffline() throws {
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://nowhere.invalid/sync/")), dataDirectory: folder.url)
        let one = try client.documentDescriptor(forJWT: token(layer: "review"))
        #expect(one === (try client.documentDescriptor(forJWT: token(layer: "review", more: #","jti":"x""#))))
        #expect(one !== (try client.documentDescriptor(forJWT: token(layer: "other"))))
        #expect((one.identifier, one.layerName, one.userID) == ("doc", "review", "ana"))
        #expect(one.documentState == .unknown)
        #expect(one.status.connection == .needsToken(.noneYet))
    }

    @Test(arguments: [
        ("garbage", InstantError.Kind.invalidJWT), ("a.b.c", .invalidJWT),
        (token(permissions: #"["write"]"#), .accessDenied), (token(permissions: "7"), .invalidJWT),
        (token(user: nil, more: #","collaboration_permissions":[]"#), .invalidJWT),
    ])
    func whatIsNoTokenOfOursIsRefused(_ jwt: String, _ kind: InstantError.Kind) throws {
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://nowhere.invalid")), dataDirectory: folder.url)
        do throws(InstantError) {
            _ = try client.documentDescriptor(forJWT: jwt)
            Issue.record("it was accepted")
        } catch {
            #expect(error.kind == kind)
            #expect(!error.message.contains(jwt))
        }
    }

    @Test(arguments: [
        (token(layer: "other"), InstantError.Kind.invalidJWT), (token(user: "bo"), .userIDMismatch),
        (token(user: nil), .userIDMismatch),
    ])
    func aTokenForSomethingElseIsRefusedByEvent(_ jwt: String, _ kind: InstantError.Kind) async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: jwt)
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailReauthentication(let error) = event { error } else { nil }
        }
        #expect(error.kind == kind)
        #expect(server.requests.isEmpty)
    }

    @Test func aTokenDoesNotLeaveTheMachineInTheClear() async throws {
        let client = try InstantClient(
            serverURL: #require(URL(string: "http://192.0.2.1:9")), dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token())
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailReauthentication(let error) = event { error } else { nil }
        }
        #expect(error == .insecure && error.recoverySuggestion?.contains("allowsInsecureHTTP") == true)
    }

    /// No set of strings holds two ids that Swift's `==` takes for the same text.
    @Test func changesOfRecordsWhoseIDsLookAlikeAreARefresh() {
        var changes = LayerChanges()
        changes.ids = [ByteOrdered("a"), ByteOrdered("caf\u{E9}")]
        #expect(changes.event == .didChangeRecords(["a", "caf\u{E9}"], byOthers: []))
        changes.ids.insert(ByteOrdered("cafe\u{301}"))
        #expect(changes.event == .didMissEvents)
    }

    @Test(arguments: [
        ("http://127.0.0.1:5000", true), ("http://[::1]:5000", true), ("http://LocalHost", true),
        ("http://127.example.com", false), ("http://127.0.0.1.example.com", false), ("http://128.0.0.1", false),
    ])
    func onlyAddressesOfThisMachineAreLoopback(_ text: String, _ isLoopback: Bool) throws {
        let address = try ServerAddress(#require(URL(string: text)))
        #expect(address.isLoopback == isLoopback)
    }

    @Test(arguments: ["ftp://x", "https://", "/path", "https://user:pw@host", "https://host/?q", "http://127.+0.0.1"])
    func anAddressThatIsNoneIsRefused(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: InstantError.self) { try InstantClient(serverURL: url, dataDirectory: folder.url) }
    }

    /// A response from a different kind of server becomes a readable error that contains no token.
    @Test(arguments: ["html", "other json", "cut json", "redirect", "not found", "gzip", "huge"])
    func aStrangersAnswerIsASentence(_ kind: String) async throws {
        let server = try FakeServer { _ in
            switch kind {
            case "html": FakeServer.Answer(headers: ["content-type": "text/html"], body: Array("<html>".utf8))
            case "other json": .json(Array(#"{"hello":"world"}"#.utf8))
            case "cut json": .json(Array(#"{"protocol":1,"gr"#.utf8))
            case "redirect": FakeServer.Answer(status: 302, headers: ["location": "http://127.0.0.1:1/"])
            case "not found": FakeServer.Answer(status: 404, body: Array("<html>".utf8))
            case "gzip": FakeServer.Answer(headers: ["content-encoding": "gzip"], body: [1, 2, 3])
            default: FakeServer.Answer(headers: ["content-length": "99999999999"], body: [])
            }
        }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token())
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailReauthentication(let error) = event { error } else { nil }
        }
        #expect(error.message.contains("127.0.0.1"))
        #expect(kind == "huge" || error.message.contains("is not a Postilla server"))
        #expect(!error.message.contains(token()))
        // The random pause before the next attempt may already be over.
        try await wait(in: events) { _ in
            if case .offline = descriptor.status.connection { () } else { nil }
        }
        #expect(descriptor.status.problem == error.message)
    }

    @Test func aServerThatRefusesEveryTokenIsAskedOnceForEach() async throws {
        let server = try FakeServer { _ in .error(401, "token_revoked") }
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.startListeningForServerChanges()
        for number in 1...3 {
            let events = descriptor.events
            descriptor.reauthenticate(withJWT: token(more: #","jti":"\#(number)""#))
            try await wait(in: events) { if case .didFailReauthentication = $0 { () } else { nil } }
        }
        descriptor.sync()
        descriptor.retryNow()
        try descriptor.performer().settle()
        #expect(server.requests.count == 3)
        #expect(descriptor.status.connection == .needsToken(.revoked))
    }

    @Test func anEditIsFoundAgainByTheNextProcessAndSentWithItsToken() async throws {
        let server = try plainServer()
        var id = ""
        do {
            let client = try client(server)
            let descriptor = try await live(client)
            descriptor.setOnline(false)
            id = try descriptor.create(note("kept")).id
            // The handling of the last event keeps the client alive until it ends.
            try descriptor.performer().settle()
        }
        let client = try client(server)
        let found = try #require(try client.localDocumentDescriptors().first)
        #expect(found.title == "A title")
        #expect(try found.layer.record(id)?.content["text"]?.string == "kept")
        #expect(found.status.unsent == 1)
        #expect(found.status.connection == .needsToken(.noneYet))
        // The stored grant governs edits before any token.
        _ = try found.update(id, content: note("kept and changed"))
        let events = found.events
        found.reauthenticate(withJWT: token())
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        #expect(found.status.unsent == 0)
        #expect(server.requests.contains { $0.path.hasSuffix("/changes") })
    }

    @Test func aSpectatorsLayerDoesNotBecomeWritableByRestarting() async throws {
        let server = try plainServer()
        let reader = token(permissions: #"["read-document","download"]"#)
        do { _ = try await live(try client(server), reader) }
        let client = try client(server)
        let descriptor = try #require(try client.localDocumentDescriptors().first)
        #expect(throws: EditError.denied(.lacks(.write))) { try descriptor.create(note("x")) }
    }

    @Test func twoOpeningsOfOneFolderTakeTurns() async throws {
        let server = try plainServer()
        var first: InstantClient? = try client(server)
        let leading = try await live(try #require(first))
        let second = try client(server)
        let following = try second.documentDescriptor(forJWT: token())
        #expect(following.status.connection == .needsToken(.noneYet))
        try await following.reauthenticateAndWait(withJWT: token())
        #expect(following.status.connection == .elsewhere)
        // The first client detects and sends the second one's edit.
        leading.delayForSyncingLocalChanges = .zero
        let events = leading.events
        _ = try following.create(note("from the second"))
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        #expect(server.requests.contains { String(decoding: $0.body, as: UTF8.self).contains("from the second") })
        #expect(leading.status.unsent == 0)
        // When the first client closes, the second takes over the lock and the work.
        let mine = following.events
        first = nil
        leading.close(because: InstantError(.requestFailed, "gone"))
        try await wait(in: mine) { _ in following.status.connection == .live ? () : nil }
    }

    @Test func removingStorageInvalidatesAndLeavesThePDF() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        let pdf = try #require(descriptor.pdfPath)
        #expect(try client.listCacheEntries().map(\.isDownloaded) == [true])
        try descriptor.removeLocalStorage()
        #expect(descriptor.documentState == .invalid)
        #expect(FileManager.default.fileExists(atPath: pdf))
        #expect(try client.listCacheEntries().isEmpty)
        try client.removeUnreferencedCacheEntries()
        #expect(!FileManager.default.fileExists(atPath: pdf))
    }

    @Test func whatIsUnsentGoesOnlyWithConsent() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try await live(client)
        descriptor.delayForSyncingLocalChanges = nil
        let id = try descriptor.create(note("nowhere else"), author: "Ana").id
        let removals: [(Bool) throws -> Void] = [
            { try descriptor.removeLocalStorage(discardingUnsent: $0) },
            { try client.removeLocalStorage(discardingUnsent: $0) },
            { try client.removeLocalStorage(forDocumentIdentifier: "doc", discardingUnsent: $0) },
            {
                try client.removeLocalStorage(
                    of: try #require(try client.listCacheEntries().first), discardingUnsent: $0)
            },
        ]
        for remove in removals {
            let error = #expect(throws: InstantError.self) { try remove(false) }
            #expect(error?.kind == .unsentEdits)
            #expect(error?.message.contains(id) == true && error?.message.contains("nowhere else") == false)
            #expect(try descriptor.layer.record(id) != nil)
        }
        try client.removeLocalStorage(forDocumentIdentifier: "another", discardingUnsent: true)
        #expect(descriptor.documentState != .invalid)
        try removals[2](true)
        #expect(descriptor.documentState == .invalid)
        #expect(throws: InstantError.self) { try descriptor.editableDocument.add(note("x"), author: "Ana") }
    }

    @Test(arguments: [true, false]) func afterRemovingTheClientMakesANewDescriptor(_ byClient: Bool) async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try await live(client)
        let events = descriptor.events
        if byClient { try client.removeLocalStorage() } else { try descriptor.removeLocalStorage() }
        var heard: [InstantEvent] = []
        for await event in events { heard.append(event) }
        #expect(heard.contains(.didChangeSyncState(.invalid)))
        #expect(!heard.contains { if case .didLoseAccess = $0 { true } else { false } })
        #expect(heard.last == .didClose(InstantError(.invalidDocument, "the local storage was removed")))
        let next = try client.documentDescriptor(forJWT: token())
        #expect(next !== descriptor)
        #expect(next.documentState == .unknown)
    }

    @Test func aDamagedLayerIsListedAndRemovedOnlyWithConsent() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try await live(client)
        let database = Folders.database(in: descriptor.folders.layer(descriptor.identity))
        descriptor.close(because: InstantError(.requestFailed, "closed"))
        // Use a separate file: the closed store is still checkpointing its log.
        let damaged = URL(fileURLWithPath: database)
        try FileManager.default.removeItem(at: damaged.deletingLastPathComponent())
        try FileManager.default.createDirectory(
            at: damaged.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("no database at all, and long enough to be sure of it".utf8 + Array(repeating: 0, count: 4096))
            .write(to: damaged)
        let entry = try #require(try client.listCacheEntries().first)
        #expect(entry.state == .invalid && entry.problem?.contains("damaged") == true)
        #expect(throws: InstantError.self) { try client.removeLocalStorage(of: entry) }
        #expect(try client.localDocumentDescriptors().isEmpty)
        try client.removeLocalStorage(of: entry, discardingUnsent: true)
        #expect(try client.listCacheEntries().isEmpty)
    }

    @Test func aDroppedClientEndsItsEvents() async throws {
        let server = try plainServer()
        var client: InstantClient? = try client(server)
        let descriptor = try #require(try client?.documentDescriptor(forJWT: token()))
        let events = descriptor.events
        client = nil
        var last: InstantEvent?
        for await event in events { last = event }
        guard case .didClose(let why) = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(why.message.contains("keep it alive"))
        #expect(client == nil)
    }

    @Test func theRememberedAuthorIsSharedByEveryServer() throws {
        let one = try InstantClient(serverURL: #require(URL(string: "https://a.example")), dataDirectory: folder.url)
        let other = try InstantClient(serverURL: #require(URL(string: "https://b.example")), dataDirectory: folder.url)
        #expect(one.rememberedAuthor == nil)
        one.rememberedAuthor = "Ana María"
        #expect(other.rememberedAuthor == "Ana María")
        other.rememberedAuthor = nil
        #expect(one.rememberedAuthor == nil)
    }

    @Test func aFolderThatOthersMayWriteToIsNotUsed() throws {
        let path = folder.path + "/open"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        let url = try #require(URL(string: "https://a.example"))
        #expect(throws: InstantError.self) {
            try InstantClient(serverURL: url, dataDirectory: URL(fileURLWithPath: path))
        }
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        #expect(throws: InstantError.self) {
            try InstantClient(serverURL: url, dataDirectory: URL(fileURLWithPath: link))
        }
    }

    private func rights(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Not an error, because folders often have such rights where each user has a separate group.
    @Test(arguments: [(0o770, 0o750), (0o775, 0o755), (0o700, 0o700), (0o755, 0o755)])
    func aFolderThatItsGroupMayWriteToIsNarrowed(_ before: Int, _ after: Int) throws {
        let path = folder.path + "/group"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: before], ofItemAtPath: path)
        let url = try #require(URL(string: "https://a.example"))
        _ = try InstantClient(serverURL: url, dataDirectory: URL(fileURLWithPath: path))
        #expect(try rights(path) == after)
        #expect(try rights(path + "/layers") == 0o700)
    }

    /// Even a layer that an earlier version created with the umask's rights.
    @Test func aLayerIsReadableByItsUserOnly() throws {
        let url = try #require(URL(string: "https://a.example"))
        let identity = LayerIdentity(server: "https://a.example", documentID: "doc", layer: "l", userID: "ana")
        func open() throws -> String {
            let client = try InstantClient(serverURL: url, dataDirectory: folder.url)
            defer { withExtendedLifetime(client) {} }
            return try #require(try client.descriptor(identity).layer.store as? OpenStore).store.path
        }
        let path = try open()
        #expect(try rights(path) == 0o600)
        for file in [path, path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        }
        #expect(try open() == path)
        for file in [path, path + "-wal", path + "-shm"] where FileManager.default.fileExists(atPath: file) {
            #expect(try rights(file) == 0o600, "\(file)")
        }
    }

    @Test func aFolderThatCannotBeMadeIsNamedWithTheReason() throws {
        let file = folder.path + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let url = try #require(URL(string: "https://a.example"))
        do throws(InstantError) {
            _ = try InstantClient(serverURL: url, dataDirectory: URL(fileURLWithPath: file + "/data"))
            Issue.record("it was created")
        } catch {
            #expect(error.kind == .couldNotWriteToDisk)
            #expect(error.message == "cannot create the folder \(file)/data: Not a directory")
        }
    }

    @Test func anOverflowingListenerIsToldToReadAgain() async {
        let hub = EventHub(capacity: 4)
        let stream = hub.stream()
        for _ in 0..<7 { hub.send(.didBeginSync) }
        hub.finish()
        var seen: [InstantEvent] = []
        for await event in stream { seen.append(event) }
        #expect(seen == [.didMissEvents, .didBeginSync, .didBeginSync])
    }

    @Test func theEndIsTheLastThatAnOverflowingListenerHears() async {
        let hub = EventHub(capacity: 2)
        let stream = hub.stream()
        let end = InstantEvent.didClose(InstantError(.invalidDocument, "removed"))
        for event in [.didBeginSync, .didFinishSync, end] { hub.send(event) }
        hub.finish()
        var seen: [InstantEvent] = []
        for await event in stream { seen.append(event) }
        #expect(seen == [.didMissEvents, end])
    }

    @Test func whoWaitsForAnEndIsNotFloodedWithTheRest() async {
        let hub = EventHub(capacity: 2)
        let stream = hub.stream(where: \.mayEndACall)
        for received in 0..<9 { hub.send(.didMakeProgress(DownloadProgress(received: Int64(received), total: 9))) }
        for event in [InstantEvent.didChangeRecords(["a"], byOthers: []), .didMissEvents, .didFinishDownload] {
            hub.send(event)
        }
        hub.finish()
        var seen: [InstantEvent] = []
        for await event in stream { seen.append(event) }
        #expect(seen == [.didFinishDownload])
    }

    @Test func listeningThatBeganBeforeTheStorageCouldBeOpenedIsNotForgotten() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let place = URL(filePath: descriptor.folders.layer(descriptor.identity))
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: place)
        descriptor.startListeningForServerChanges()
        #expect(descriptor.documentState == .invalid)
        try FileManager.default.removeItem(at: place)
        descriptor.reauthenticate(withJWT: token())
        try await waitUntil("the stream is requested") {
            server.requests.contains(where: { $0.path.hasSuffix("/events") })
        }
    }

    @Test func listeningIsCounted() async throws {
        let server = try plainServer()
        let client = try client(server)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.stopListeningForServerChanges()
        for _ in 0..<3 { descriptor.startListeningForServerChanges() }
        for _ in 0..<2 { descriptor.stopListeningForServerChanges() }
        descriptor.reauthenticate(withJWT: token())
        try await waitUntil("the stream is requested") {
            server.requests.contains(where: { $0.path.hasSuffix("/events") })
        }
    }
}
