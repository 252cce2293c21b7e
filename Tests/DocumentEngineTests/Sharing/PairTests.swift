import Annotations
import DocumentEngine
import EngineCore
import Postgres
import PostgresSupport
import SyncProtocol
import TestThreads
import Testing

/// Two servers on one database behave like one server.
@Suite("Two servers, one database", .serialized, .onDatabaseThreads, .timeLimit(.minutes(15))) struct PairTests {
    @Test func everyEditReachesTheListenersOfBothInOneUnbrokenRow() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            let epoch = try await pair.one.session(ana).epoch
            let start = Cursor(epoch: epoch, revision: 0)
            var listeners = [
                try await EventReader(pair.one, ana, from: start), try await EventReader(pair.other, ana, from: start),
            ]
            let edits: Revision = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (server, client) in [(pair.one, "c1"), (pair.other, "c2")] {
                    group.addTask {
                        for n in 1...edits / 2 {
                            let change = Samples.create(n, "\(client)-\(n)")
                            let answer: PushAnswer = try await server.push(ana, client: client, [change]).message()
                            #expect(answer.results.map(\.status) == [.applied])
                        }
                    }
                }
                try await group.waitForAll()
            }
            for index in listeners.indices {
                var reached: Revision = 0
                var seen: Set<String> = []
                while reached < edits {
                    let event = try #require(try await listeners[index].change())
                    #expect(event.previous <= reached && event.revision > reached, "nothing is skipped")
                    reached = event.revision
                    seen.formUnion(event.changes.map(\.id))
                }
                #expect(seen.count == Int(edits))
            }
        }
    }

    @Test func aChangeSentTwiceToTwoServersCountsOnce() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            for n in 1...10 as ClosedRange<Int64> {
                let change = Samples.create(n, "n\(n)")
                async let here: PushAnswer = pair.one.push(ana, [change]).message()
                async let there: PushAnswer = pair.other.push(ana, [change]).message()
                let answers = try await [here, there].map(\.results)
                #expect(answers == Array(repeating: [ChangeResult(n: n, status: .applied, revision: n)], count: 2))
            }
            #expect(try await pair.other.session(ana).head == 10)
        }
    }

    /// The state of one server also applies at the other: change numbers, client ids and visibility.
    @Test func whatWasRefusedAtOneServerIsRefusedAtTheOther() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            let guest = try pair.one.mint.token(
                TokenClaims(user: "guest", collaboration: ["annotations:view:group=open", "annotations:edit:all"]))
            _ = try await pair.one.push(ana, [Samples.create(1, "a", "one", group: "open")])
            func status(_ token: String, _ client: String, _ change: Change) async throws -> String? {
                let answer = try await pair.other.push(token, client: client, [change])
                return try answer.reason ?? answer.message(PushAnswer.self).results.first?.status.rawValue
            }
            #expect(try await status(ana, "c1", Samples.create(1, "a", "two", group: "open")) == "mismatch")
            #expect(try await status(ana, "c1", Samples.create(3, "c")) == "gap")
            #expect(try await status(guest, "c1", Samples.create(2, "b")) == "client_id_taken")
            // Removed from the group at one server and immediately out of sight at the other.
            let hidden = Change(
                n: 2, kind: .update, id: "a", baseRevision: 1, group: "shut", content: Samples.note("two"))
            _ = try await pair.one.push(ana, [hidden])
            let late = Change(
                n: 1, kind: .update, id: "a", baseRevision: 1, group: "open", content: Samples.note("three"))
            #expect(try await status(guest, "g", late) == "gone")
            let seen: SnapshotPage = try await pair.other.client(guest, "GET", "records").message()
            #expect(seen.records.isEmpty)
        }
    }

    @Test func aLayerThatTwoServersMakeAtOnceIsOneLayer() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            for n in 1...8 {
                let token = try pair.one.mint.token(TokenClaims(layer: "layer \(n)"))
                async let here = pair.one.session(token)
                async let there = pair.other.session(token)
                let sessions = try await [here, there]
                #expect(sessions[0].generation == sessions[1].generation)
            }
        }
    }

    @Test func oneOfTwoUploadsUnderOneNameIsRefused() async throws {
        try await Pair.run { pair in
            for n in 1...4 {
                async let here = pair.one.upload("doc\(n)").status
                async let there = pair.other.upload("doc\(n)").status
                let statuses = try await [here, there]
                #expect(statuses.sorted() == [200, 400])
            }
        }
    }

    @Test func aRevokedTokenEndsItsStreamsOnBoth() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let token = try pair.one.mint.token(TokenClaims(id: "gone"))
            let stays = try pair.one.mint.token(TokenClaims(id: "stays"))
            var here = try await EventReader(pair.one, token)
            var there = try await EventReader(pair.other, token)
            var other = try await EventReader(pair.other, stays)
            #expect(try await here.session()?.kind == .open)
            #expect(try await there.session()?.kind == .open)
            #expect(try await other.session()?.kind == .open)
            let answer = try await pair.one.backend("POST", "/api/revoke", json: #"{"jwts":["gone"]}"#)
            #expect(answer.status == 200)
            #expect(try await here.session()?.kind == .revoked)
            #expect(try await there.session()?.kind == .revoked)
            #expect(try await there.next() == nil)
            #expect(try await pair.other.client(token, "GET", "session").reason == "token_revoked")
            _ = try await pair.one.push(stays, [Samples.create(1, "n1")])
            #expect(try await other.change()?.revision == 1, "the other token's stream continues")
        }
    }

    @Test func aLayerThatIsDeletedOrReplacedEndsTheStreamsOfBoth() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let token = try pair.one.mint.token(TokenClaims())
            var replaced = try await EventReader(pair.other, token)
            #expect(try await replaced.session()?.kind == .open)
            let again = try await pair.one.send(
                "POST", "/api/documents?document_id=doc&overwrite_existing_document=true",
                headers: [
                    ("Authorization", #"Token token="\#(RunningServer.secret)""#), ("Content-Type", "application/pdf"),
                ], body: Samples.pdf)
            #expect(again.status == 200)
            #expect(try await replaced.session()?.kind == .behind)
            var deleted = try await EventReader(pair.other, token)
            #expect(try await deleted.session()?.kind == .open)
            #expect(try await pair.one.backend("DELETE", "/api/documents/doc/layers/review").status == 200)
            #expect(try await deleted.session()?.kind == .lost)
            #expect(try await pair.other.client(token, "GET", "session").reason == "layer_deleted")
        }
    }

    @Test func aPDFThatOneTookInComesFromTheOther() async throws {
        try await Pair.run { pair in
            try await pair.one.upload()
            let token = try pair.one.mint.token(TokenClaims())
            let whole = try await pair.other.client(token, "GET", "document")
            #expect(whole.body == Samples.pdf)
            let part = try await pair.other.client(
                token, "GET", "document", headers: [("Range", "bytes=7-99"), ("If-Range", whole.headers["etag"] ?? "")])
            #expect((part.status, part.body) == (206, Array(Samples.pdf[7..<100])))
            // The file is deleted with its last document, whichever server deletes that.
            #expect(try await pair.other.upload("second").status == 200)
            #expect(try await pair.other.backend("DELETE", "/api/documents/doc").status == 200)
            #expect(
                try await pair.one.backend("GET", "/api/documents/second/pdf?source=true").body == Samples.pdf)
        }
    }

    @Test func whoLosesOneServerGoesOnAtTheOther() async throws {
        let address = try TestDatabase().address
        let change = { (options: inout Server.Options) in options.postgres = address }
        try await RunningServer.run(change) { stays in
            var claims = TokenClaims()
            claims.user = "ana"
            let ana = try stays.mint.token(claims)
            let cursor = try await RunningServer.run(clock: stays.clock, change) { leaves in
                try await leaves.upload()
                _ = try await leaves.push(ana, [Samples.create(1, "n1")])
                return Cursor(epoch: try await leaves.session(ana).epoch, revision: 1)
            }
            var events = try await EventReader(stays, ana, from: cursor)
            #expect(try await events.session()?.kind == .open)
            // The response to the first change was lost with the server, so it is sent again with the next.
            let answer: PushAnswer = try await stays.push(ana, [Samples.create(1, "n1"), Samples.create(2, "n2")])
                .message()
            #expect(answer.results.map(\.revision) == [1, 2])
            let event = try #require(try await events.change())
            #expect((event.previous, event.revision, event.changes.map(\.id)) == (1, 2, ["n2"]))
        }
    }

    /// A server may crash between commit and notification, and a notification may be lost.
    @Test func whatNobodyToldIsFoundByLooking() async throws {
        let address = try TestDatabase().address
        try await Pair.run(on: address, lookEvery: .milliseconds(50)) { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims(id: "jti"))
            let epoch = try await pair.one.session(ana).epoch
            var events = try await EventReader(pair.other, ana, from: Cursor(epoch: epoch, revision: 0))
            #expect(try await events.session()?.kind == .open)
            let silent = try PostgresStore(address, patience: .seconds(60))
            try silent.write { store in
                let layer = try #require(try store.layer(LayerKey(document: "doc", name: "review")))
                var writer = BackendWriter(layer, in: store, now: TestClock.start)
                try writer.create("silent", Samples.note("words"), user: nil, group: nil)
            }
            #expect(try await events.change()?.changes.map(\.id) == ["silent"])
            try silent.write { try $0.revoke(tokenID: "jti", until: TestClock.start + 9_999_999) }
            #expect(try await events.session()?.kind == .revoked)
        }
    }
}
