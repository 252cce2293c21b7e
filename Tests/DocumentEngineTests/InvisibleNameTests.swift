import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

@testable import DocumentEngine

/// Clients and backends cannot create ids with invisible characters; records that have such ids stay usable.
@Suite("Invisible names", .timeLimit(.minutes(15))) struct InvisibleNameTests {
    static let characters = [
        "\u{85}", "\u{9B}", "\u{7F}", "\u{1B}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{200B}",
        "\u{200F}", "\u{AD}", "\u{E0041}",
    ]

    @Test(arguments: characters) func aClientCannotCreateThem(_ character: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer: PushAnswer = try await server.push(
                server.mint.token(TokenClaims()), [Samples.create(1, "a\(character)b")]
            ).message()
            #expect(answer.results.map(\.status) == [.invalid])
            #expect(answer.results.first?.reason == Record.idRule)
            let layer = try await server.client(
                server.mint.token(TokenClaims(layer: "a\(character)b")), "GET", "session")
            #expect((layer.status, layer.reason) == (400, "bad_request"), "\(layer.text)")
            let user = try await server.client(server.mint.token(TokenClaims(user: "a\(character)b")), "GET", "session")
            #expect((user.status, user.reason) == (401, "token_malformed"), "\(user.text)")
        }
    }

    @Test(arguments: characters) func aBackendCannotCreateThem(_ character: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let name = JSON.string("a\(character)b").text
            let encoded = PercentEncoding.encode("a\(character)b")
            let content = JSON.object(Samples.note("x").object).text
            let annotations = "/api/documents/doc/layers/review/annotations"
            for (method, path, body, status) in [
                ("POST", annotations, #"{"id":\#(name),"content":\#(content)}"#, 422),
                ("POST", annotations, #"{"user_id":\#(name),"content":\#(content)}"#, 422),
                ("POST", "/api/documents/doc/layers", #"{"name":\#(name)}"#, 400),
                ("POST", "/api/copy_document", #"{"document_id":"doc","new_document_id":\#(name)}"#, 400),
                ("POST", "/api/documents/doc/layers/\(encoded)/annotations", #"{"content":\#(content)}"#, 400),
            ] {
                let answer = try await server.backend(method, path, json: body)
                #expect(answer.status == status, "\(path): \(answer.text)")
            }
            #expect(try await server.upload(encoded).status == 400)
        }
    }

    /// An earlier version, which checked less, created these records: write them to the store directly.
    @Test func existingOnesCanBeReadChangedAndDeleted() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/x.sqlite")
        defer { try? store.close() }
        let key = LayerKey(document: "d\u{202E}", name: "l\u{200B}")
        let (id, user) = ("r\u{2028}", "u\u{FEFF}")
        try store.write { store in
            try store.put(
                ServerDocument(
                    id: key.document, title: "T", pdfSHA256: "a", pdfBytes: 1, createdAt: TestClock.start,
                    pages: [ServerDocument.Page(width: 10, height: 10)]))
            let layer = try store.addLayer(key, generation: "g")
            var writer = LayerWriter(layer, in: store, now: TestClock.start)
            let record = Record(id: id, content: Samples.note("old"), createdBy: user, updatedBy: user)
            try writer.write(record, contentType: .annotations, rootID: nil, over: nil, client: nil)
            // A backend replaces the record, and keeps its user.
            var backend = BackendWriter(try #require(try store.layer(key)), in: store, now: TestClock.start)
            try backend.replace(id, Samples.note("new"), user: user, group: nil)
            #expect(throws: APIError.self) { try backend.replace(id, Samples.note("x"), user: "v\u{FEFF}", group: nil) }
            // A client changes and deletes the record.
            let grant = Grant(documentID: key.document, layer: key.name, expiresAt: TestClock.start)
            let answer = try PushProcessor(grant: grant).perform(
                PushRequest(
                    clientID: "c", acked: 0, cursor: nil,
                    changes: [
                        Change(n: 1, kind: .update, id: id, baseRevision: 2, content: Samples.note("newer")),
                        Change(n: 2, kind: .delete, id: id, baseRevision: 3),
                        Change(n: 3, kind: .create, id: id + "x", baseRevision: 0, content: Samples.note("newer")),
                    ]), on: try #require(try store.layer(key)), in: store, now: TestClock.start
            ).answer
            #expect(answer.results.map(\.status) == [.applied, .applied, .invalid])
        }
    }

    // MARK: Attachments

    private static func image(_ name: String) -> String {
        #"{"v":2,"type":"pspdfkit/image","pageIndex":0,"bbox":[0,0,9,9],"imageAttachmentId":\#(name)}"#
    }

    @Test(arguments: [
        #""logo.png""#, #""""#, "7", #"{"a":1}"#, #""\#(String(repeating: "A", count: 64))""#,
        #""\#(String(repeating: "a", count: 63))""#,
    ])
    func anAttachmentHasTheNameOfItsBytes(_ name: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let content = try Content(Self.image(name))
            let change = Change(n: 1, kind: .create, id: "i", baseRevision: 0, content: content)
            let answer: PushAnswer = try await server.push(server.mint.token(TokenClaims()), [change]).message()
            #expect(answer.results.map(\.status) == [.invalid])
            #expect(answer.results.first?.reason == InvalidContent.badAttachmentName.description)
            let backend = try await server.backend(
                "POST", "/api/documents/doc/layers/review/annotations", json: #"{"content":\#(Self.image(name))}"#)
            #expect((backend.status, backend.reason) == (422, "invalid"), "\(backend.text)")
        }
    }

    @Test func nullMeansNoAttachment() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let change = Change(n: 1, kind: .create, id: "i", baseRevision: 0, content: try Content(Self.image("null")))
            let answer: PushAnswer = try await server.push(server.mint.token(TokenClaims()), [change]).message()
            #expect(answer.results.map(\.status) == [.applied], "\(answer.results)")
        }
    }

    /// Stored by an earlier version: an update may keep the name, but not replace it by another wrong one.
    @Test func aNameThatIsStoredStaysValid() throws {
        let (old, other) = (try Content(Self.image(#""logo.png""#)), try Content(Self.image(#""other.png""#)))
        let moved = old.changing { $0["bbox"] = [1, 1, 9, 9] }
        #expect(throws: Never.self) { try moved.checkAttachment(over: old) }
        #expect(throws: InvalidContent.badAttachmentName) { try other.checkAttachment(over: old) }
        #expect(throws: InvalidContent.badAttachmentName) { try old.checkAttachment(over: nil) }
        #expect(throws: Never.self) { try old.changing { $0["imageAttachmentId"] = nil }.checkAttachment(over: old) }
    }
}
