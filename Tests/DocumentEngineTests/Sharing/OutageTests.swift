import Annotations
import DocumentEngine
import Postgres
import PostgresSupport
import SyncProtocol
import TestThreads
import Testing

/// PostgreSQL goes down and comes back.
@Suite("The database is down", .onDatabaseThreads, .timeLimit(.minutes(15))) struct OutageTests {
    @Test func requestsAreToldToComeBackStreamsEndAndNothingIsLost() async throws {
        let postgres = try PostgresServer(isDurable: true)
        let address = try #require(PostgresAddress(postgres.address("postgres")))
        try await Pair.run(on: address, lookEvery: .milliseconds(50), deafAfter: .milliseconds(200)) { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            let before = try await pair.one.session(ana)
            let changes = (1...20).map { Samples.create(Int64($0), "n\($0)") }
            #expect(try await pair.one.push(ana, changes).status == 200)
            var events = try await EventReader(pair.other, ana)
            #expect(try await events.session()?.kind == .open)

            try postgres.kill()
            #expect(try await events.session()?.kind == .closing)
            #expect(try await events.next() == nil)
            for server in [pair.one, pair.other] {
                for answer in [
                    try await server.client(ana, "GET", "session"), try await server.push(ana, changes),
                    try await server.client(ana, "GET", "events"),
                    try await server.backend("GET", "/api/documents"),
                ] {
                    #expect((answer.status, answer.reason) == (503, "unavailable"))
                    #expect(answer.headers["retry-after"] == "1")
                }
                #expect(try await server.send("GET", "/healthcheck").status == 200)
                #expect(try await server.send("GET", "/readiness").status == 503)
            }

            try postgres.start()
            // As a client does: retries until it succeeds.
            try await waitUntil("the first server is connected again") {
                try await pair.one.client(ana, "GET", "session").status == 200
            }
            try await waitUntil("the other server is connected again") {
                try await pair.other.client(ana, "GET", "session").status == 200
            }
            #expect(try await pair.other.session(ana).epoch == before.epoch, "an outage is not a restored backup")
            let again: PushAnswer = try await pair.other.push(ana, changes).message()
            #expect(again.results.allSatisfy { $0.status == .applied && $0.revision == $0.n })
            var later = try await EventReader(pair.one, ana, from: Cursor(epoch: before.epoch, revision: 20))
            #expect(try await later.session()?.kind == .open)
            _ = try await pair.other.push(ana, [Samples.create(21, "n21")])
            var change = try await later.change()
            while change == nil {
                // On a busy machine a server counts as deaf after so short a time, and ends its streams. As a client does:
                later = try await EventReader(pair.one, ana, from: Cursor(epoch: before.epoch, revision: 20))
                change = try await later.change()
            }
            #expect(change?.changes.map(\.id) == ["n21"], "the servers notify each other again")
        }
    }

    /// The kernel goes on accepting connections to it, and it goes on with what it has begun.
    @Test func aDatabaseThatHangsIsSaidToBeAwayAndNothingIsAppliedTwice() async throws {
        let postgres = try PostgresServer(isDurable: true)
        let address = try #require(PostgresAddress(postgres.address("postgres")))
        try await Pair.run(on: address, patience: .milliseconds(500)) { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            #expect(try await pair.one.push(ana, [Samples.create(1, "n1")]).status == 200)
            _ = try await pair.other.session(ana)
            let changes = (1...20).map { Samples.create(Int64($0), "n\($0)") }

            try postgres.hang()
            for server in [pair.one, pair.other] {
                for answer in [
                    try await server.push(ana, changes), try await server.client(ana, "GET", "session"),
                    try await server.push(ana, changes), try await server.backend("GET", "/api/documents"),
                ] {
                    #expect((answer.status, answer.reason) == (503, "unavailable"))
                    #expect(answer.headers["retry-after"] == "1")
                }
                #expect(try await server.send("GET", "/readiness").status == 503)
                #expect(try await server.send("GET", "/healthcheck").status == 200)
            }

            try postgres.goOn()
            for server in [pair.one, pair.other] {
                try await waitUntil("the server has its database again") {
                    try await server.push(ana, changes).status == 200
                }
                server.clock.advance(seconds: 2)
                try await waitUntil("it says so") { try await server.send("GET", "/readiness").status == 200 }
            }
            let again: PushAnswer = try await pair.other.push(ana, changes).message()
            #expect(again.results.allSatisfy { $0.status == .applied && $0.revision == $0.n })
            #expect(try await pair.one.session(ana).head == 20)
        }
    }

    /// A migration or a maintenance job of another program blocks all writes, while PostgreSQL answers everything else.
    @Test func aTableThatIsLockedHoldsUpNoRequest() async throws {
        let address = try TestDatabase().address
        try await Pair.run(on: address, patience: .milliseconds(500)) { pair in
            try await pair.one.upload()
            let ana = try pair.one.mint.token(TokenClaims())
            let change = [Samples.create(1, "n1")]
            let other = try PostgresConnection(address)
            try other.execute("BEGIN; LOCK TABLE record, revoked IN ACCESS EXCLUSIVE MODE")
            let answer = try await pair.one.push(ana, change)
            #expect((answer.status, answer.reason) == (503, "unavailable"))
            #expect(answer.headers["retry-after"] == "1")
            #expect(try await pair.one.send("GET", "/readiness").status == 503)
            try other.execute("ROLLBACK")
            try await waitUntil("the change is stored") { try await pair.one.push(ana, change).status == 200 }
            #expect(try await pair.one.session(ana).head == 1)
        }
    }
}
