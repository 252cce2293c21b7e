import Annotations
import SyncProtocol
import Testing

/// The backend creates, copies and deletes layers.
@Suite("Layers", .timeLimit(.minutes(15))) struct LayerRouteTests {
    @Test func layersAreMadeByTheBackendOrByAToken() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let made = try await server.backend("POST", "/api/documents/doc/layers", json: #"{"name":"draft"}"#)
            #expect(made.text == #"{"data":{"name":"draft","errors":[]}}"#)
            _ = try await server.session(server.mint.token(TokenClaims(layer: "by token")))
            _ = try await server.session(server.mint.token(TokenClaims(layer: nil)))
            let list = try await server.backend("GET", "/api/documents/doc/layers")
            #expect(list.text == #"{"data":["","by token","draft"]}"#)
            let again = try await server.backend("POST", "/api/documents/doc/layers", json: #"{"name":"draft"}"#)
            #expect((again.status, again.reason) == (400, "already_exists"))
            for name in [#""a*b""#, "7", #""a\u0000b""#, "\"" + String(repeating: "x", count: 257) + "\""] {
                let answer = try await server.backend("POST", "/api/documents/doc/layers", json: "{\"name\":\(name)}")
                #expect(answer.status == 400, "\(name)")
            }
        }
    }

    @Test func aCopyHoldsWhatTheSourceHeld() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            _ = try await server.push(
                ana, [Samples.create(1, "n1"), Change(n: 2, kind: .delete, id: "6", baseRevision: 0)])
            let made = try await server.backend(
                "POST", "/api/documents/doc/layers", json: #"{"name":"copy","source_layer_name":"review"}"#)
            #expect(made.status == 200)
            let copy = try server.mint.token(TokenClaims(layer: "copy"))
            let page: SnapshotPage = try await server.client(copy, "GET", "records").message()
            #expect(page.records.map(\.id) == ["7", "n1"])
            let wrong = try await server.backend(
                "POST", "/api/documents/doc/layers", json: #"{"name":"x","source_layer_name":"nowhere"}"#)
            #expect(wrong.status == 404)
        }
    }

    @Test func aDeletedLayerIsNotMadeAgainByAnOldToken() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let old = try server.mint.token(TokenClaims())
            _ = try await server.push(old, [Samples.create(1, "n1")])
            var events = try await EventReader(server, old)
            #expect(try await events.session()?.kind == .open)
            server.clock.advance(seconds: 10)
            #expect(try await server.backend("DELETE", "/api/documents/doc/layers/review").status == 200)
            #expect(try await events.session()?.kind == .lost)
            #expect(try await events.next() == nil)
            for path in ["session", "records", "document", "events"] {
                let answer = try await server.client(old, "GET", path)
                #expect((answer.status, answer.reason) == (404, "layer_deleted"), "\(path)")
            }
            #expect(try await server.push(old, [Samples.create(2, "n2")]).status == 404)
            var claims = TokenClaims()
            claims.issued = server.clock.now + 1000
            let new = try server.mint.token(claims)
            let page: SnapshotPage = try await server.client(new, "GET", "records").message()
            #expect(page.records.map(\.id) == ["6", "7"])
            #expect(try await server.backend("DELETE", "/api/documents/doc/layers/nowhere").status == 404)
        }
    }
}
