import Foundation
import SyncProtocol
import Testing

@testable import Instant

/// The public API of the library, name by name, against a server with one layer.
@Suite(.timeLimit(.minutes(15))) struct SurfaceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ server: FakeServer, _ jwt: String = token()
    ) async throws -> (InstantClient, InstantDocumentDescriptor) {
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: jwt)
        let events = descriptor.events
        descriptor.delayForSyncingLocalChanges = nil
        descriptor.reauthenticate(withJWT: jwt)
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        return (client, descriptor)
    }

    private func kind(_ body: () throws -> Void) -> InstantError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? InstantError)?.kind }
    }

    @Test func thereIsOneDocumentToEditAndAnyNumberToRead() throws {
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://nowhere.invalid")), dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let document = descriptor.editableDocument
        #expect(document === descriptor.editableDocument)
        #expect(document.documentDescriptor === descriptor)
        let (one, other) = (descriptor.readOnlyDocument(), descriptor.readOnlyDocument())
        #expect(one !== other && !one.isEditable)
        // All of them before the first download.
        #expect(try document.annotationCount == 0)
        #expect(try one.annotations(onPage: 0).isEmpty)
    }

    @Test func clientsOfSeveralServersLiveInOneFolder() async throws {
        let servers = [try plainServer(), try plainServer()]
        var held: [(InstantClient, InstantDocumentDescriptor)] = []
        for (index, server) in servers.enumerated() {
            let (client, descriptor) = try await open(server)
            try descriptor.editableDocument.add(note("on server \(index)"), author: "Ana")
            held.append((client, descriptor))
        }
        for (index, (client, descriptor)) in held.enumerated() {
            #expect(try descriptor.readOnlyDocument().annotations(onPage: 0).map(\.text) == ["on server \(index)"])
            #expect(try client.localDocumentDescriptors().map(\.identifier) == ["doc"])
            #expect(try client.localDocumentDescriptors().first === descriptor)
        }
        #expect(try InstantClient.listCacheEntries(in: folder.url).count == 2)
    }

    @Test func aRecordTellsWhatMayBeDoneToIt() async throws {
        let claim =
            #","collaboration_permissions":["annotations:view:all","annotations:edit:self"],"default_group":"red""#
        let server = try plainServer()
        let (client, descriptor) = try await open(server, token(more: claim))
        let id = try descriptor.editableDocument.add(note("mine"), author: "Ana")
        let record = try #require(try descriptor.readOnlyDocument().record(id))
        #expect(record.instantRecordGroup == "red")
        // The creator of an annotation may write its first comment.
        #expect(record.instantRecordOperations == [.edit, .reply])
        #expect((record.text, record.author, record.delivery) == ("mine", "Ana", .unsent))
        withExtendedLifetime(client) {}
    }

    @Test func theDefaultGroupIsOverriddenUntilItIsReset() async throws {
        let server = try plainServer()
        let (client, descriptor) = try await open(server, token(more: #","default_group":"red""#))
        let document = descriptor.editableDocument
        func group(_ text: String) throws -> String? {
            try document.record(try document.add(note(text), author: "Ana"))?.instantRecordGroup
        }
        #expect(try group("one") == "red")
        #expect(try descriptor.defaultGroup == "red")
        try descriptor.overrideDefaultGroup(with: "blue")
        #expect(try group("two") == "blue")
        #expect(try descriptor.defaultGroup == "blue")
        try descriptor.overrideDefaultGroup(with: nil)
        #expect(try group("three") == nil)
        #expect(try descriptor.defaultGroup == nil)
        try descriptor.resetDefaultGroup()
        #expect(try group("four") == "red")
        withExtendedLifetime(client) {}
    }

    @Test func anAuthorIsAskedForOnceAndOnlyOfWhoMayWrite() async throws {
        let server = try plainServer()
        let (client, descriptor) = try await open(server)
        let document = descriptor.editableDocument
        #expect(kind { try document.add(note("whose?")) } == .authorNeeded)
        #expect(try document.annotationCount == 0)
        client.rememberedAuthor = "Ana"
        let remembered = try document.record(try document.add(note("mine")))
        #expect(remembered?.author == "Ana")
        document.defaultAnnotationUsername = "Ana M."
        #expect(try document.record(try document.add(note("of the document")))?.author == "Ana M.")
        #expect(try document.record(try document.add(note("given"), author: "A"))?.author == "A")
    }

    @Test func aReaderIsNotAskedForAName() async throws {
        let server = try plainServer()
        let (client, descriptor) = try await open(server, token(permissions: #"["read-document"]"#))
        #expect(kind { try descriptor.editableDocument.add(note("x")) } == .accessDenied)
        withExtendedLifetime(client) {}
    }

    @Test func identifiersLeadToAnnotationsAndBack() async throws {
        let server = try plainServer()
        let (client, descriptor) = try await open(server)
        let document = descriptor.editableDocument
        let id = try document.add(note("here"), author: "Ana")
        let found = try descriptor.annotation(with: id, for: document)
        #expect(try descriptor.identifier(for: found.annotation) == id)
        let stranger = Annotation(id: "elsewhere", content: note("x"))
        #expect(kind { _ = try descriptor.identifier(for: stranger) } == .unmanagedAnnotation)
        #expect(kind { _ = try descriptor.annotation(with: "elsewhere", for: document) } == .noSuchAnnotation)
        let other = try client.documentDescriptor(forJWT: token(layer: "other"))
        #expect(kind { _ = try descriptor.annotation(with: id, for: other.editableDocument) } == .unmanagedDocument)
    }

    @Test func aConflictIsReadAndSettledFromOutside() async throws {
        let server = try plainServer(instead: { request in
            guard let push = try? PushRequest(bytes: request.body), let change = push.changes.first,
                request.path.hasSuffix("/changes"), change.kind == .create
            else { return nil }
            let answer = PushAnswer(
                results: [ChangeResult(n: change.n, status: .conflict, reason: "Bo was first")], delta: nil)
            return .json(answer.bytes)
        })
        let (client, descriptor) = try await open(server)
        let document = descriptor.editableDocument
        try document.add(note("mine"), author: "Ana")
        #expect(try descriptor.unsentEdits().map(\.state) == [.waiting])
        try await sync(descriptor)
        #expect(try descriptor.unsentEdits().map(\.state) == [.conflict("Bo was first")])
        let conflict = try #require(try descriptor.conflicts().first)
        #expect(conflict.mine?["text"]?.string == "mine")
        #expect(conflict.base == nil && conflict.theirs == nil)
        try document.resolve(conflict.id, .merged(note("both")))
        let edit = try #require(try descriptor.unsentEdits().first)
        #expect((edit.kind, edit.state, edit.content?["text"]?.string) == (.create, .waiting, "both"))
        try document.discard(edit.id)
        #expect(try descriptor.unsentEdits().isEmpty)
        #expect(kind { try document.discard(edit.id) } == .invalidRequest)
        withExtendedLifetime(client) {}
    }

    private func sync(_ descriptor: InstantDocumentDescriptor) async throws {
        let events = descriptor.events
        descriptor.sync()
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
    }
}
