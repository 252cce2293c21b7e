import Annotations
import Foundation
import Postgres
import PostgresSupport
import SyncProtocol
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// Backups made and restored with PostgreSQL's own tools, by the commands in docs/several-servers.md.
@Suite("Backups of a PostgreSQL store", .serialized, .onDatabaseThreads, .timeLimit(.minutes(15)))
struct PostgresBackupTests {
    private let postgres: PostgresServer
    private let folder: TemporaryFolder
    private let clock = TestClock()

    init() throws {
        postgres = try PostgresServer()
        folder = try TemporaryFolder()
    }

    private static func address(_ text: String) throws -> PostgresAddress { try #require(PostgresAddress(text)) }

    private static func image(_ n: Int64, _ id: String) -> Change {
        let content = Samples.note("").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(RestoreScene.pictureName)
        }
        return Change(n: n, kind: .create, id: id, baseRevision: 0, content: content)
    }

    /// Runs a server with its folder on a database.
    private func run<Result: Sendable>(
        _ database: String, folder: TemporaryFolder? = nil, _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        let address = try Self.address(database)
        return try await RunningServer.run(folder: folder ?? self.folder, clock: clock) {
            $0.postgres = address
        } _: { server in
            try await body(server)
        }
    }

    /// Backs up a running server that has a record, a PDF and an attachment, and adds a later record.
    private func fill(backup: () throws -> Void) async throws -> SessionAnswer {
        try await run(postgres.address("postgres")) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let path = "attachments/\(RestoreScene.pictureName)"
            #expect(try await server.client(token, "PUT", path, body: RestoreScene.picture).status == 200)
            let first: PushAnswer = try await server.push(token, [Self.image(1, "i1"), Samples.create(2, "n2")])
                .message()
            #expect(first.results.map(\.status) == [.applied, .applied])
            try backup()
            #expect(try await server.push(token, [Samples.create(3, "n3")]).status == 200)
            return try await server.session(token)
        }
    }

    /// Everything is there, in another generation, and what the backup lacks can be sent again.
    private static func check(_ server: RunningServer, after before: SessionAnswer) async throws {
        let token = try server.mint.token(TokenClaims())
        let session = try await server.session(token)
        #expect(session.generation != before.generation && session.epoch != before.epoch)
        #expect((session.head, before.head) == (2, 3))
        #expect(try await server.client(token, "GET", "document").body == Samples.pdf)
        let attachment = try await server.client(token, "GET", "attachments/\(RestoreScene.pictureName)")
        #expect(attachment.body == RestoreScene.picture)
        let page: SnapshotPage = try await server.client(token, "GET", "records").message()
        #expect(Set(page.records.map(\.id)).isSuperset(of: ["i1", "n2"]) && !page.records.contains { $0.id == "n3" })
        // The server has forgotten the client, which starts again under another id.
        let stale: PushAnswer = try await server.push(token, [Samples.create(4, "n4")]).message()
        #expect(stale.results.map(\.status) == [.gap])
        let resent: PushAnswer = try await server.push(token, client: "c2", [Samples.create(1, "n3")]).message()
        #expect(resent.results.map(\.status) == [.applied])
    }

    @Test func aDumpIsLoadedIntoANewDatabase() async throws {
        let before = try await fill { try postgres.dump("postgres", to: "postilla.dump") }
        for (name, folder) in [("kept", folder), ("fresh", try TemporaryFolder())] {
            try postgres.load("postilla.dump", into: name)
            try await run(postgres.address(name), folder: folder) { try await Self.check($0, after: before) }
        }
        // The original is not restored.
        let token = try await Mint.es256().token(TokenClaims())
        let now = try await run(postgres.address("postgres"), folder: try TemporaryFolder()) {
            try await $0.session(token)
        }
        #expect(now == before)
    }

    // MARK: Revocations and deletions

    /// The code block of the page's section.
    private static func commands() throws -> String {
        let page = try Repository.text("docs/several-servers.md")
        let section = try #require(page.firstRange(of: "### Revocations and deletions")).upperBound
        return String(try #require(page[section...].firstMatch(of: /```\n((?s:.*?))```/)).1)
    }

    /// Runs a server by the true time and the database's clock, which the page's statements use.
    private func runNow(_ database: String, _ body: (RunningServer) async throws -> Void) async throws {
        let address = try Self.address(database)
        try await RunningServer.run(folder: try TemporaryFolder()) {
            $0.postgres = address
            $0.usesDatabaseClock = true
            $0.now = Server.systemClock
        } _: { server in
            try await body(server)
        }
    }

    @Test func whatWasRevokedAndDeletedIsTakenOverByThePagesStatements() async throws {
        func token(
            _ server: RunningServer, _ document: String, layer: String = "review", id: String? = nil, after: Int64 = -60
        ) throws -> String {
            let now = Server.systemClock()
            return try server.mint.token(
                TokenClaims(
                    document: document, layer: layer, expires: now + 3_600_000, issued: now + after * 1000, id: id))
        }
        func reason(_ server: RunningServer, _ token: String) async throws -> String? {
            try await server.client(token, "GET", "session").reason
        }
        try await runNow(postgres.address("postgres")) { server in
            for id in ["doc", "gone"] {
                try await server.upload(id)
                for layer in ["review", "other"] {
                    _ = try await server.push(token(server, id, layer: layer), [Samples.create(1, "n")])
                }
            }
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["before"]}"#)
            try postgres.dump("postgres", to: "postilla.dump")
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["since","a\"\\\tb"]}"#)
            _ = try await server.backend("DELETE", "/api/documents/gone")
            _ = try await server.backend("DELETE", "/api/documents/doc/layers/other")
            try await server.upload("new")
            _ = try await server.backend("DELETE", "/api/documents/new")
        }
        try postgres.load("postilla.dump", into: "restored")
        let commands = try Self.commands().replacing("db.example/postilla", with: "db.example/postgres")
        let output = try postgres.play(commands, in: folder.path)
        let listed = output.split(separator: "\n").map { $0.filter { $0 != " " } }
        #expect(listed.contains("gone|*") && listed.contains("doc|other") && !listed.contains("new|*"), "\(output)")
        try await runNow(postgres.address("restored")) { server in
            for id in ["before", "since", "a\"\\\tb"] {
                #expect(try await reason(server, token(server, "doc", id: id)) == "token_revoked")
            }
            #expect(try await reason(server, token(server, "doc")) == nil)
            for (document, layer) in [("gone", "review"), ("doc", "other")] {
                #expect(try await reason(server, token(server, document, layer: layer)) == "layer_deleted")
                #expect(try await server.session(token(server, document, layer: layer, after: 30)).head == 1)
            }
            #expect(try await server.backend("DELETE", "/api/documents/gone").status == 200)
            for id in ["gone", "new"] {
                try await server.upload(id)
                #expect(try await reason(server, token(server, id)) == "layer_deleted")
                #expect(try await server.session(token(server, id, after: 30)).head == 0)
            }
        }
        // Played twice, it changes nothing more.
        #expect(throws: Never.self) { try postgres.play(commands, in: folder.path) }
    }

    /// A server that kept its folder has seen a higher count.
    @Test func aPhysicalCopyIsNoticedByAServerThatSawMore() async throws {
        var copy: PostgresServer?
        let before = try await fill { copy = try PostgresServer(copyOf: postgres) }
        // As the server does every ten seconds while it writes.
        let store = try PostgresStore(Self.address(postgres.address("postgres")))
        try RestoreStampRow(store: store, folder: folder.path + "/data", now: { TestClock.start }).draw()
        store.close()
        let address = try #require(copy).address("postgres")
        try await run(address) { try await Self.check($0, after: before) }
    }

    /// To a server with a new folder it is the original, unless it is told.
    @Test func aPhysicalCopyIsMarkedAsRestored() async throws {
        var copy: PostgresServer?
        let before = try await fill { copy = try PostgresServer(copyOf: postgres) }
        let restored = try #require(copy)
        let unaware = try await run(restored.address("postgres"), folder: try TemporaryFolder()) { server in
            try await server.session(try server.mint.token(TokenClaims()))
        }
        #expect((unaware.generation, unaware.head) == (before.generation, 2))
        try restored.execute("UPDATE mark SET place = ''", in: "postgres")
        try await run(restored.address("postgres"), folder: try TemporaryFolder()) { server in
            try await Self.check(server, after: before)
        }
    }
}
