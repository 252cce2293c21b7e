import Annotations
import SyncProtocol
import TestThreads
import Testing

/// How event streams open, continue and end.
@Suite("Streams", .timeLimit(.minutes(15))) struct StreamTests {
    private func note(_ n: Int64, group: String? = nil) -> Change { Samples.create(n, "n\(n)", group: group) }

    @Test func aListenerThatComesBackIsToldWhatItMissed() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let epoch = try await server.session(ana).epoch
            _ = try await server.push(ana, [note(1), note(2), Change(n: 3, kind: .delete, id: "n1", baseRevision: 1)])
            var events = try await EventReader(server, ana, from: Cursor(epoch: epoch, revision: 1))
            #expect(try await events.session()?.kind == .open)
            let missed = try #require(try await events.change())
            #expect((missed.revision, missed.previous) == (3, 1))
            #expect(missed.changes.map(\.id) == ["n2", "n1"])
            _ = try await server.push(ana, [note(4)])
            let next = try #require(try await events.change())
            #expect((next.revision, next.previous) == (4, 3))
        }
    }

    @Test func aMomentThatIsNotOfThisLayerIsToldToPull() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let epoch = try await server.session(ana).epoch
            for cursor in [Cursor(epoch: "other-1-2", revision: 0), Cursor(epoch: epoch, revision: 99)] {
                var events = try await EventReader(server, ana, from: cursor)
                #expect(try await events.session()?.kind == .open)
                #expect(try await events.session()?.kind == .behind)
                #expect(try await events.next() == nil)
            }
            let garbage = try await server.client(ana, "GET", "events", headers: [("Last-Event-ID", "garbage")])
            #expect((garbage.status, garbage.reason) == (400, "bad_request"))
        }
    }

    @Test func aViewHearsOnlyWhatItMaySee() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let guest = try server.mint.token(
                TokenClaims(user: "guest", collaboration: ["annotations:view:group=open"]))
            let epoch = try await server.session(guest).epoch
            var events = try await EventReader(server, guest, from: Cursor(epoch: epoch, revision: 0))
            #expect(try await events.session()?.kind == .open)
            _ = try await server.push(ana, [note(1, group: "secret")])
            _ = try await server.push(ana, [note(2, group: "open")])
            let seen = try #require(try await events.change())
            #expect((seen.revision, seen.previous, seen.changes.map(\.id)) == (2, 0, ["n2"]))
            // It moves out of sight: the listener receives a removal without the new content.
            _ = try await server.push(
                ana,
                [
                    Change(
                        n: 3, kind: .update, id: "n2", baseRevision: 2, group: "secret", content: Samples.note("hush"))
                ])
            let gone = try #require(try await events.change())
            #expect(gone.changes == [.removed("n2", 3)])
            #expect(!events.text.contains("hush") && !events.text.contains("n1"))
        }
    }

    @Test func aStreamEndsWithItsToken() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            var claims = TokenClaims()
            claims.expires = server.clock.now + 300
            var events = try await EventReader(server, server.mint.token(claims))
            #expect(try await events.session()?.kind == .open)
            let ending = try #require(try await events.session())
            #expect((ending.kind, ending.at) == (.expiring, claims.expires))
            server.clock.advance(seconds: 1)
            #expect(try await events.session()?.kind == .expired)
            #expect(try await events.next() == nil)
        }
    }

    @Test func aTokenToTheEndOfTimeIsFine() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(
                #"{"document_id":"doc","layer":"review","permissions":"all","exp":253402300799}"#)
            var events = try await EventReader(server, token)
            #expect(try await events.session()?.kind == .open)
            _ = try await server.push(token, [note(1)])
            #expect(try await events.change()?.revision == 1)
        }
    }

    @Test func aRevokedTokenEndsAtOnceAndForGood() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let bad = try server.mint.token(TokenClaims(id: "one"))
            let good = try server.mint.token(TokenClaims(id: "two"))
            var events = try await EventReader(server, bad)
            #expect(try await events.session()?.kind == .open)
            let answer = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["\#(bad)","spare"]}"#)
            #expect(answer.text == #"{"data":{"revoked":2}}"#)
            #expect(try await events.session()?.kind == .revoked)
            #expect(try await events.next() == nil)
            for path in ["session", "records", "document", "events"] {
                let answer = try await server.client(bad, "GET", path)
                #expect((answer.status, answer.reason) == (401, "token_revoked"), "\(path)")
            }
            let push = try await server.push(bad, [note(1)])
            #expect((push.status, push.reason) == (401, "token_revoked"))
            #expect(try await server.push(good, [note(1)]).status == 200)
        }
    }

    /// Swift treats the two ids as equal strings.
    @Test func idsThatLookTheSameAreRevokedEachForItself() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ids = ["caf\u{E9}", "cafe\u{301}"]
            let answer = try await server.backend(
                "POST", "/api/revoke", json: #"{"jwts":["\#(ids[0])","\#(ids[1])"]}"#)
            #expect(answer.text == #"{"data":{"revoked":2}}"#)
            for id in ids {
                let token = try server.mint.token(TokenClaims(id: id))
                #expect(try await server.client(token, "GET", "session").reason == "token_revoked")
            }
        }
    }

    @Test(arguments: [#"{}"#, #"{"jwts":"x"}"#, #"{"jwts":[7]}"#, #"{"jwts":[""]}"#, "garbage"])
    func whatCannotBeRevokedIsTold(_ body: String) async throws {
        try await RunningServer.run { server in
            let answer = try await server.backend("POST", "/api/revoke", json: body)
            #expect(answer.status == 400)
            let nameless = try server.mint.token(TokenClaims())
            #expect(try await server.backend("POST", "/api/revoke", json: #"{"jwts":["\#(nameless)"]}"#).status == 422)
        }
    }

    @Test func aServerThatStopsSaysSo() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            var events = try await EventReader(server, server.mint.token(TokenClaims()))
            #expect(try await events.session()?.kind == .open)
            await server.server.stop()
            #expect(try await events.session()?.kind == .closing)
            #expect(try await events.next() == nil)
        }
    }

    @Test func aReplacedDocumentIsToldToPull() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            var events = try await EventReader(server, server.mint.token(TokenClaims()))
            #expect(try await events.session()?.kind == .open)
            try await server.upload("doc&overwrite_existing_document=true")
            #expect(try await events.session()?.kind == .behind)
        }
    }

    @Test func aLongPollAnswersWhenThereIsSomething() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let epoch = try await server.session(ana).epoch
            let nothing: Delta = try await server.client(
                ana, "GET", "events?wait=0&since=0&epoch=\(epoch)"
            ).message()
            #expect((nothing.changes.count, nothing.upTo) == (0, 0))
            async let waiting = server.client(ana, "GET", "events?wait=30&since=0&epoch=\(epoch)")
            // Once it listens, it cannot miss later writes.
            try await waitUntil("the server has a stream") { server.server.listenerCount > 0 }
            _ = try await server.push(ana, [note(1)])
            let delta: Delta = try await waiting.message()
            #expect(delta.changes.map(\.id) == ["n1"])
            #expect(try await server.client(ana, "GET", "events?wait=1").status == 400)
        }
    }

    @Test func aLongPollThatIsLeftIsForgotten() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let epoch = try await server.session(token).epoch
            let polling = Task { try await server.client(token, "GET", "events?wait=60&since=0&epoch=\(epoch)") }
            try await waitUntil("the server has a stream") { server.server.listenerCount > 0 }
            polling.cancel()
            try await waitUntil("the server has no stream left") { server.server.listenerCount == 0 }
            #expect(try await server.session(token).head == 0)
        }
    }

    @Test func aLongPollEndsWithItsToken() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims(id: "brief"))
            let epoch = try await server.session(token).epoch
            async let waiting = server.client(token, "GET", "events?wait=60&since=0&epoch=\(epoch)")
            try await waitUntil("the server has a stream") { server.server.listenerCount > 0 }
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["brief"]}"#)
            let answer = try await waiting
            #expect((answer.status, answer.reason) == (401, "token_revoked"))
        }
    }

    /// When a listener closes only its own half, the server closes the other half too.
    @Test(arguments: [true, false]) func whoEndsItsHalfIsDoneWithListening(_ atOnce: Bool) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let text = "GET /instant/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
            let heard = try await RawConnection.open(server) { connection in
                try await connection.send(text)
                if atOnce { connection.endInput() }
                let opened = try await connection.read(until: "event: session")
                if !atOnce { connection.endInput() }
                return try await opened + connection.rest()
            }
            #expect(heard.hasPrefix("HTTP/1.1 200"))
            #expect(heard.contains(#""open""#) && heard.hasSuffix("\r\n0\r\n\r\n"), "\(heard)")
            try await waitUntil("the server has no stream left") { server.server.listenerCount == 0 }
        }
    }

    /// The server reads nothing from a listener, neither another request nor garbage, and still detects the disconnect.
    @Test func whatAListenerSaysIsNotRead() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let text = "GET /instant/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
            try await RawConnection.open(server) { connection in
                try await connection.send(text)
                #expect(try await connection.read(until: #""open""#).hasPrefix("HTTP/1.1 200"))
                for more in [text, "\u{0}\r\n\r\n", String(repeating: "much ", count: 60_000)] {
                    try await connection.send(more)
                }
                #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
                let heard = try await connection.read(until: #""n1""#)
                #expect(!heard.contains("HTTP/1.1"), "\(heard)")
                #expect(server.server.listenerCount == 1)
            }
            try await waitUntil("the server has no stream left") { server.server.listenerCount == 0 }
        }
    }

    @Test func whoLeavesIsForgotten() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let listening = Task {
                var events = try await EventReader(server, token)
                while try await events.next() != nil {}
            }
            try await waitUntil("the server has a stream") { server.server.listenerCount > 0 }
            listening.cancel()
            try await waitUntil("the server has no stream left") { server.server.listenerCount == 0 }
            #expect(try await server.session(token).head == 0)
        }
    }
}
