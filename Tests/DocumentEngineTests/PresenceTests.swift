import Annotations
import SyncProtocol
import TestThreads
import Testing

/// Presence over HTTP.
@Suite("Presence", .timeLimit(.minutes(15))) struct PresenceTests {
    private func sign(
        _ session: String, page: Int? = nil, record: String? = nil, presents: Bool = false, leaves: Bool = false
    ) -> PresenceSign {
        PresenceSign(
            session: session, whereabouts: Location(pageIndex: page, record: record), isPresenting: presents,
            hasLeft: leaves)
    }

    /// Opens a stream beside that of `events`, and announces its reader.
    ///
    /// - Returns: the task that reads the stream, and the reader's id.
    private func join(
        _ server: RunningServer, _ token: String, seenBy events: inout EventReader
    ) async throws -> (reading: Task<Void, any Error>, id: String) {
        let reading = Task {
            var events = try await EventReader(server, token, session: "a")
            while try await events.next() != nil {}
        }
        try await waitUntil("the server has two streams") { server.server.listenerCount >= 2 }
        _ = try await server.announce(token, sign("a"))
        return (reading, try #require(try await events.presence()?.people.first?.id))
    }

    @Test func everybodyIsToldOnOpeningAndThenWhatChanges() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims(creatorName: "Ana"))
            let bo = try server.mint.token(TokenClaims(user: "bo"))
            let reader = try server.mint.token(TokenClaims(user: "cy", permissions: #"["read-document"]"#))
            let first: PresenceAnswer = try await server.announce(ana, sign("a", page: 3)).message()
            let id = try #require(first.id)
            var events = try await EventReader(server, reader)
            let there = PresentPerson(id: id, userID: "ana", name: "Ana", whereabouts: Location(pageIndex: 3))
            #expect(try await events.presence() == PresenceEvent(isComplete: true, people: [there]))
            let second: PresenceAnswer = try await server.announce(bo, sign("b")).message()
            #expect(try await events.presence()?.people.map(\.userID) == ["bo"])
            _ = try await server.announce(ana, sign("a", page: 3, presents: true))
            #expect(try await events.presence()?.people.map(\.isPresenting) == [true])
            let refused: PresenceAnswer = try await server.announce(bo, sign("b", presents: true)).message()
            #expect((refused.id, refused.presenter) == (second.id, id), "the second one does not present")
            _ = try await server.announce(ana, sign("a", leaves: true))
            #expect(try await events.presence()?.left == [id])
            #expect(!events.text.contains("\"a\"") && !events.text.contains("session\":\"b"), "sessions are secrets")
        }
    }

    @Test func theEndOfAStreamTakesItsReaderAlongAfterAWhile() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let bo = try server.mint.token(TokenClaims(user: "bo"))
            var events = try await EventReader(server, bo)
            #expect(try await events.presence()?.isComplete == true)
            let (reading, id) = try await join(server, ana, seenBy: &events)
            reading.cancel()
            try await waitUntil("the stream has ended") { server.server.listenerCount < 2 }
            server.clock.advance(seconds: 9)
            _ = try await server.announce(bo, sign("b"))
            #expect(try await events.presence()?.people.map(\.userID) == ["bo"])
            server.clock.advance(seconds: 1)
            #expect(try await events.presence()?.left == [id])
        }
    }

    @Test func aRevokedTokenTakesItsReaderAlongAtOnce() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims(id: "anas"))
            let bo = try server.mint.token(TokenClaims(user: "bo"))
            var events = try await EventReader(server, bo)
            #expect(try await events.presence()?.isComplete == true)
            let (reading, id) = try await join(server, ana, seenBy: &events)
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["anas"]}"#)
            #expect(try await events.presence()?.left == [id])
            try await reading.value
        }
    }

    @Test func whoSaysNothingForTooLongIsGone() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            var events = try await EventReader(server, ana)
            #expect(try await events.presence()?.people == [])
            _ = try await server.announce(ana, sign("a"))
            let id = try #require(try await events.presence()?.people.first?.id)
            server.clock.advance(seconds: 30)
            _ = try await server.announce(ana, sign("a"))
            _ = try await server.announce(ana, sign("b"))
            #expect(try await events.presence()?.people.count == 1)
            server.clock.advance(seconds: 44)
            _ = try await server.announce(ana, sign("b", page: 1))
            #expect(try await events.presence()?.people.first?.whereabouts.pageIndex == 1)
            server.clock.advance(seconds: 1)
            #expect(try await events.presence()?.left == [id])
        }
    }

    /// The record under a participant's cursor is sent only to listeners that may see it, even after it moves.
    @Test func aRecordIsNamedOnlyToWhoMaySeeIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let guest = try server.mint.token(
                TokenClaims(user: "guest", collaboration: ["annotations:view:group=open"]))
            _ = try await server.push(ana, [Samples.create(1, "hidden", group: "secret")])
            _ = try await server.push(ana, [Samples.create(2, "seen", group: "open")])
            var all = try await EventReader(server, ana)
            var some = try await EventReader(server, guest)
            #expect(try await all.presence()?.isComplete == true)
            #expect(try await some.presence()?.isComplete == true)
            func record(_ event: PresenceEvent?) -> String? { event?.people.first?.whereabouts.record }
            for (name, seen) in [("hidden", nil), ("seen", "seen"), ("nothing", nil)] as [(String, String?)] {
                _ = try await server.announce(ana, sign("a", record: name))
                #expect(record(try await all.presence()) == (name == "nothing" ? nil : name))
                #expect(record(try await some.presence()) == seen)
            }
            // It moves out of sight while a participant points at it.
            _ = try await server.announce(ana, sign("a", record: "seen"))
            #expect(record(try await some.presence()) == "seen")
            _ = try await server.push(
                ana,
                [Change(n: 3, kind: .update, id: "seen", baseRevision: 2, group: "secret", content: Samples.note("x"))])
            let moved = try #require(try await some.presence())
            #expect(moved.people.count == 1 && record(moved) == nil)
            var late = try await EventReader(server, guest)
            #expect(record(try await late.presence()) == nil)
            #expect(!some.text.contains("hidden") && !late.text.contains("seen"))
            // A listener that sees no records still receives presence.
            let stranger = try server.mint.token(TokenClaims(user: "x", collaboration: []))
            var nothing = try await EventReader(server, stranger)
            #expect(try await nothing.presence()?.people.map(\.userID) == ["ana"])
        }
    }

    @Test func whatIsNoSignOfLifeIsRefused() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let reader = try server.mint.token(TokenClaims(user: "r", permissions: #"["read-document"]"#))
            let blind = try server.mint.token(TokenClaims(user: "b", permissions: #"["write","download"]"#))
            for (token, body, status, reason) in [
                (ana, "{}", 400, "bad_request"), (ana, #"{"session":7}"#, 400, "bad_request"),
                (ana, #"{"session":"a b"}"#, 400, "bad_request"),
                (ana, #"{"session":"a","session":"b"}"#, 400, "bad_request"),
                (ana, #"{"session":"a","pageIndex":-1}"#, 422, "invalid"),
                (ana, #"{"session":"a","pageIndex":1e99}"#, 400, "bad_request"),
                (ana, #"{"session":"a","record":"\u0000"}"#, 422, "invalid"),
                (ana, #"{"session":"a","selection":[{"pageIndex":0,"rects":[[0,0,1e999,1]]}]}"#, 400, "bad_request"),
                (ana, #"{"session":"a","selection":[{"pageIndex":0,"rects":[[0,0,-1,1]]}]}"#, 400, "bad_request"),
                (ana, #"{"session":"a","selection":[{"rects":[]}]}"#, 400, "bad_request"),
                (ana, #"{"session":"\#(String(repeating: "a", count: 17_000))"}"#, 413, "payload_too_large"),
                (reader, #"{"session":"a","presenting":true}"#, 403, "insufficient_scope"),
                (blind, #"{"session":"a"}"#, 403, "insufficient_scope"),
                ("nonsense", #"{"session":"a"}"#, 401, "token_malformed"),
            ] {
                let answer = try await server.client(token, "POST", "presence", body: Array(body.utf8))
                #expect((answer.status, answer.reason) == (status, reason), "\(body.prefix(80))")
            }
            #expect(try await server.client(ana, "GET", "presence").status == 405)
            #expect(try await server.client(ana, "GET", "events?session=a%20b").status == 400)
            #expect(try await server.announce(reader, sign("a", page: 1)).status == 200)
            var statuses: [Int] = []
            for _ in 0..<60 { statuses.append(try await server.announce(ana, sign("a")).status) }
            #expect(statuses == Array(repeating: 200, count: 40) + Array(repeating: 429, count: 20))
        }
    }

    @Test func presenceIsOfOneLayerAndEndsWithIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let here = try server.mint.token(TokenClaims())
            let there = try server.mint.token(TokenClaims(layer: "other"))
            _ = try await server.announce(here, sign("a"))
            var events = try await EventReader(server, there)
            #expect(try await events.presence()?.people == [])
            #expect(try await server.backend("DELETE", "/api/documents/doc/layers/review").status == 200)
            server.clock.advance(seconds: 1)
            var claims = TokenClaims()
            claims.issued = server.clock.now
            var again = try await EventReader(server, server.mint.token(claims))
            #expect(try await again.presence()?.people == [], "a new layer with the same name is a different layer")
        }
    }

    @Test func aLongPollBringsPeopleToo() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            let epoch = try await server.session(ana).epoch
            let path = "events?since=0&epoch=\(epoch)"
            let first: PollAnswer = try await server.client(ana, "GET", path + "&wait=30&presence=").message()
            let version = try #require(first.presence?.version)
            #expect(first.presence?.people == [])
            async let waiting = server.client(ana, "GET", path + "&wait=30&presence=\(version)")
            async let deaf = server.client(ana, "GET", path + "&wait=30")
            try await waitUntil("the server has two streams") { server.server.listenerCount >= 2 }
            _ = try await server.announce(ana, sign("a", page: 5))
            let second: PollAnswer = try await waiting.message()
            #expect(second.presence?.people.map(\.whereabouts.pageIndex) == [5])
            #expect(second.delta.changes.isEmpty)
            // A poll without presence waits for changes.
            #expect(server.server.listenerCount == 1)
            _ = try await server.push(ana, [Samples.create(1, "n1")])
            let changed: PollAnswer = try await deaf.message()
            #expect((changed.delta.changes.map(\.id), changed.presence) == (["n1"], nil))
        }
    }

    @Test func aSilentStreamGivesASignOfLife() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            var events = try await EventReader(server, server.mint.token(TokenClaims()))
            #expect(try await events.presence()?.isComplete == true)
            for _ in 0..<2 {
                server.clock.advance(seconds: 15)
                #expect(try await events.next() == .heartbeat)
            }
        }
    }
}
