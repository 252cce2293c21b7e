import Annotations
import Foundation
import GRDB
import PostgresSupport
import SyncProtocol
import Synchronization
import Testing

@testable import DocumentEngine

/// A token opens only the document that had its id when the token was issued, never a later one.
@Suite("Deleted documents", .timeLimit(.minutes(15))) struct DeletedDocumentTests {
    private static let layers = "/api/documents/doc/layers"

    /// A token issued some seconds after the start; nil: without `iat`.
    private static func token(
        _ server: RunningServer, after seconds: Int64?, document: String = "doc", layer: String? = "review"
    ) throws -> String {
        let issued = seconds.map { TestClock.start + $0 * 1000 }
        return try server.mint.token(TokenClaims(document: document, layer: layer, issued: issued))
    }

    /// The refusals of every route that a token opens.
    private static func refusals(_ server: RunningServer, _ token: String) async throws -> Set<String> {
        let file = "attachments/" + RestoreScene.pictureName
        let requests: [(method: String, path: String, body: [UInt8]?)] = [
            ("GET", "session", nil), ("GET", "document", nil), ("GET", "records", nil),
            ("GET", "records?since=0&epoch=x", nil), ("GET", "digest?epoch=x", nil), ("GET", "events", nil),
            ("GET", "events?wait=1&since=0&epoch=x", nil), ("GET", file, nil), ("PUT", file, RestoreScene.picture),
            (
                "POST", "changes",
                PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [Samples.create(1, "n")]).bytes
            ),
            ("POST", "presence", PresenceSign(session: "s").bytes),
        ]
        var found: Set<String> = []
        for request in requests {
            let answer = try await server.client(token, request.method, request.path, body: request.body)
            found.insert("\(answer.status) \(answer.reason ?? answer.text)")
        }
        let verdict: TokenVerdict = try await server.client(token, "GET", "token").message()
        found.insert("404 \(verdict.refusal?.reason ?? "accepted")")
        return found
    }

    @Test(arguments: [false, true]) func anEarlierTokenOpensNothingOfTheNextDocument(isUsed: Bool) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let old = try Self.token(server, after: 0)
            if isUsed { #expect(try await server.push(old, [Samples.create(1, "n1")]).status == 200) }
            server.clock.advance(seconds: 10)
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(try await Self.refusals(server, old) == ["404 document_not_found"])
            #expect(try await server.upload().status == 200)
            // Issued before, in the same second, and at an unknown time.
            for seconds in [0, 9, 10, nil] as [Int64?] {
                let token = try Self.token(server, after: seconds)
                #expect(try await Self.refusals(server, token) == ["404 layer_deleted"], "\(seconds ?? -1)")
                let other = try Self.token(server, after: seconds, layer: "unheard of")
                #expect(try await server.client(other, "GET", "session").reason == "layer_deleted")
            }
            let text = try await server.client(Self.token(server, after: nil), "GET", "session").text
            #expect(text.contains("issue a token with iat"))
            let names = try await server.backend("GET", Self.layers).json["data"]?.array
            #expect(names == [], "no refused token creates a layer")
            let new = try Self.token(server, after: 11)
            #expect(try await server.session(new).head == 0)
            #expect(try await server.push(new, [Samples.create(1, "n1")]).status == 200)
            // Nor once the layer exists.
            #expect(try await Self.refusals(server, old) == ["404 layer_deleted"])
            // Housekeeping keeps the note: a token may be valid for years.
            server.clock.advance(seconds: 3_000)
            try await server.server.tidy()
            #expect(try await server.client(old, "GET", "session").reason == "layer_deleted")
        }
    }

    /// The layer is another one, too, also if the backend created it.
    @Test func anEarlierTokenOpensNothingOfTheNextLayer() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let old = try Self.token(server, after: 0)
            #expect(try await server.push(old, [Samples.create(1, "n1")]).status == 200)
            server.clock.advance(seconds: 10)
            #expect(try await server.backend("DELETE", Self.layers + "/review").status == 200)
            #expect(try await server.backend("POST", Self.layers, json: #"{"name":"review"}"#).status == 200)
            #expect(try await Self.refusals(server, old) == ["404 layer_deleted"])
            #expect(try await Self.refusals(server, Self.token(server, after: nil)) == ["404 layer_deleted"])
            #expect(try await server.session(Self.token(server, after: 11)).head == 0)
            #expect(try await server.session(Self.token(server, after: 0, layer: "other")).head == 0)
        }
    }

    @Test func overwritingAndCopyingEndNoTokens() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try Self.token(server, after: nil)
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            server.clock.advance(seconds: 10)
            let again = try await server.send(
                "POST", "/api/documents?document_id=doc&overwrite_existing_document=true",
                headers: [
                    ("Authorization", #"Token token="\#(RunningServer.secret)""#), ("Content-Type", "application/pdf"),
                ], body: Samples.pdf)
            #expect(again.status == 200)
            #expect(try await server.session(token).head == 1)
            func copy(to id: String) async throws -> Int {
                let names = #"{"document_id":"doc","new_document_id":"\#(id)"}"#
                return try await server.backend("POST", "/api/copy_document", json: names).status
            }
            #expect(try await copy(to: "copy") == 200)
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(try await server.session(Self.token(server, after: nil, document: "copy")).head == 1)
            // A copy under an id that was deleted is another document.
            #expect(try await server.backend("DELETE", "/api/documents/copy").status == 200)
            #expect(try await server.upload().status == 200)
            #expect(try await copy(to: "copy") == 200)
            #expect(
                try await Self.refusals(server, Self.token(server, after: 0, document: "copy")) == ["404 layer_deleted"]
            )
            #expect(try await server.session(Self.token(server, after: 11, document: "copy")).head == 0)
        }
    }

    /// `iat` is in whole seconds: a token issued right after the upload would look as old as the deletion.
    @Test func whatIsCreatedInTheSecondOfADeletionAnswersWhenTokensAreLater() async throws {
        let waits = Mutex<[Int64]>([])
        try await RunningServer.run {
            $0.wait = { time in waits.withLock { $0.append(time) } }
        } _: { server in
            try await server.upload()
            try await server.upload("other")
            #expect(waits.withLock(\.self) == [])
            _ = try await server.backend("DELETE", "/api/documents/doc")
            try await server.upload()
            #expect(waits.withLock(\.self) == [1000])
            _ = try await server.session(Self.token(server, after: 1))
            _ = try await server.backend("DELETE", "/api/documents/other")
            _ = try await server.backend(
                "POST", "/api/copy_document", json: #"{"document_id":"doc","new_document_id":"other"}"#)
            #expect(waits.withLock(\.count) == 2)
            // Layers, by their route and by a write.
            let note = #"{"content":\#(Samples.note("words").text)}"#
            for (path, json) in [("", #"{"name":"review"}"#), ("/review/annotations", note)] {
                _ = try await server.backend("DELETE", Self.layers + "/review")
                #expect(try await server.backend("POST", Self.layers + path, json: json).status == 200)
            }
            #expect(waits.withLock(\.count) == 4)
            #expect(try await server.backend("POST", Self.layers + "/review/annotations", json: note).status == 200)
            #expect(waits.withLock(\.count) == 4, "the layer was there")
            _ = try await server.backend("DELETE", Self.layers + "/review")
            server.clock.advance(seconds: 1)
            _ = try await server.backend("POST", Self.layers, json: #"{"name":"review"}"#)
            #expect(waits.withLock(\.count) == 4, "the second is over")
        }
    }

    @Test func streamsEndEvenIfTheDocumentIsThereAgain() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try Self.token(server, after: 0)
            var events = try await EventReader(server, token)
            #expect(try await events.session()?.kind == .open)
            server.clock.advance(seconds: 1)
            _ = try await server.backend("DELETE", "/api/documents/doc")
            try await server.upload()
            #expect(try await events.session()?.kind == .lost)
            #expect(try await events.next() == nil)
            #expect(try await server.client(token, "GET", "events").reason == "layer_deleted")
        }
    }

    /// The store cannot name the layer, but its streams are here.
    @Test func streamsOfADamagedLayerEndWithTheDocument() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            var events = try await EventReader(server, Self.token(server, after: 0))
            #expect(try await events.session()?.kind == .open)
            let other = try DatabaseQueue(path: folder.path + "/data/postilla.sqlite")
            try await other.write { try $0.execute(sql: "UPDATE layer SET generation = 'x'") }
            try other.close()
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(try await events.session()?.kind == .lost)
        }
    }

    /// A damaged note refuses every token, until the document is deleted again.
    @Test func aDamagedNoteHolds() async throws {
        let folder = try TemporaryFolder()
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            _ = try await server.backend("DELETE", "/api/documents/doc")
            try await server.upload()
            server.clock.advance(seconds: 9)
            let token = try Self.token(server, after: 9)
            #expect(try await server.session(token).head == 0)
            let other = try DatabaseQueue(path: folder.path + "/data/postilla.sqlite")
            try await other.write { try $0.execute(sql: "UPDATE deleted_layer SET at = 0 WHERE name = '*'") }
            try other.close()
            #expect(try await server.client(token, "GET", "session").reason == "storage_damaged")
            server.clock.advance(seconds: -1)
            _ = try await server.backend("DELETE", "/api/documents/doc")
            try await server.upload()
            #expect(try await server.session(token).head == 0)
        }
    }

    // MARK: Several servers

    @Test func anEarlierTokenIsRefusedByEveryServer() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let old = try Self.token(pair.one, after: 0)
            var events = try await EventReader(pair.other, old)
            #expect(try await events.session()?.kind == .open)
            pair.one.clock.advance(seconds: 10)
            #expect(try await pair.one.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(try await pair.other.upload().status == 200)
            #expect(try await events.session()?.kind == .lost)
            for server in [pair.one, pair.other] {
                #expect(try await Self.refusals(server, old) == ["404 layer_deleted"])
                #expect(try await server.session(Self.token(server, after: 11)).head == 0)
            }
        }
    }

    /// A server whose clock is ahead would otherwise refuse new tokens for as long.
    @Test func theDatabasesClockCounts() async throws {
        let address = try TestDatabase().address
        try await RunningServer.run {
            $0.postgres = address
            $0.usesDatabaseClock = true
            $0.now = { Server.systemClock() + 300_000 }
        } _: { server in
            try await server.upload()
            _ = try await server.backend("DELETE", "/api/documents/doc")
            try await server.upload()
            let now = Server.systemClock()
            func token(after seconds: Int64) throws -> String {
                try server.mint.token(TokenClaims(expires: now + 3_600_000, issued: now + seconds * 1000))
            }
            #expect(try await server.client(token(after: -600), "GET", "session").reason == "layer_deleted")
            #expect(try await server.client(token(after: 60), "GET", "session").status == 200)
            _ = try await server.backend("DELETE", Self.layers + "/review")
            #expect(try await server.client(token(after: -600), "GET", "session").reason == "layer_deleted")
            #expect(try await server.client(token(after: 60), "GET", "session").status == 200)
        }
    }
}
