import Annotations
import Foundation
import Postgres
import PostgresSupport
import SyncProtocol
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

    /// A server that kept its folder has seen a higher count.
    @Test func aPhysicalCopyIsNoticedByAServerThatSawMore() async throws {
        var copy: PostgresServer?
        let before = try await fill { copy = try PostgresServer(copyOf: postgres) }
        // As the server does every ten seconds while it writes.
        let store = try PostgresStore(Self.address(postgres.address("postgres")))
        try RestoreStampRow(store: store, folder: folder.path + "/data").draw()
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
