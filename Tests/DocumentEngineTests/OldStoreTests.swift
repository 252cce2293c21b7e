import Annotations
import Foundation
import GRDB
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// `Resources/vectors/store-v1.sql` is a store of the first version; schema changes never edit that file.
@Suite("Old stores", .timeLimit(.minutes(15))) struct OldStoreTests {
    /// A data folder with this store.
    private static func folder(and more: String = "") throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let data = folder.path + "/data"
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let sql = try String(contentsOfFile: Repository.root + "/Resources/vectors/store-v1.sql", encoding: .utf8)
        let queue = try DatabaseQueue(path: data + "/postilla.sqlite")
        try queue.writeWithoutTransaction { try $0.execute(sql: sql + more) }
        try queue.close()
        return folder
    }

    @Test func whatAnOlderVersionLeftIsServed() async throws {
        let clock = TestClock()
        try await RunningServer.run(folder: try Self.folder(), clock: clock) { server in
            let token = try server.mint.token(TokenClaims())
            let session = try await server.session(token)
            #expect((session.head, session.title, session.generation) == (3, "Report", "3d07a66bdcdf0e8e"))
            let page: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(page.records.map(\.id) == ["4", "n1"])
            // Old changes get the same results as then, and only new ones are applied.
            let changes = [Samples.create(1, "n1"), Samples.create(2, "n2"), Samples.create(4, "n4")]
            let again: PushAnswer = try await server.push(token, [changes[0], changes[1]]).message()
            #expect(again.results.map(\.revision) == [1, 2])
            let new: PushAnswer = try await server.push(token, [changes[2]]).message()
            #expect(new.results.map(\.revision) == [4])
            // Tables of later versions exist.
            let name = String(repeating: "0", count: 64)
            #expect(try await server.client(token, "PUT", "attachments/\(name)", body: [1]).status == 422)
            let one = "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"
            #expect(try await server.client(token, "PUT", "attachments/\(one)", body: [1]).status == 200)
        }
    }

    /// Older stores do not state whether a root was created for its thread, so only comment markers count.
    @Test func rootsOfAnOlderStoreStayUnlessTheyAreMarkers() async throws {
        let records = [("m", "comment-marker", 4), ("h", "markup/highlight", 5)].map { id, type, revision in
            let content =
                #"{"v":2,"type":"pspdfkit/\#(type)","pageIndex":0,"bbox":[1,2,3,4],"isCommentThreadRoot":true}"#
            return """
                INSERT INTO record VALUES(1,'\(id)','\(content)','annotations',NULL,'ana','ana',NULL,\(revision),'c1',0,NULL,NULL,NULL,NULL);
                INSERT INTO record VALUES(1,'of-\(id)','{"v":2,"rootId":"\(id)","text":"said"}','comments','\(id)','ana','ana',NULL,\(revision + 2),'c1',0,NULL,NULL,NULL,NULL);
                """
        }
        try await RunningServer.run(folder: try Self.folder(and: records.joined(separator: "\n"))) { server in
            let token = try server.mint.token(TokenClaims())
            let deletions = [
                Change(n: 1, kind: .delete, id: "of-m", baseRevision: 6, threadRevision: 7),
                Change(n: 2, kind: .delete, id: "of-h", baseRevision: 7, threadRevision: 7),
            ]
            let answer: PushAnswer = try await server.push(token, client: "new", deletions).message()
            #expect(answer.results.map { $0.reason ?? $0.status.rawValue } == ["applied", "applied"])
            let page: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(page.records.map(\.id) == ["4", "h", "n1"])
        }
    }

    /// Where a group has no meaning, an absent one equals the null group that older versions stored.
    @Test(arguments: ["", #","group":null"#]) func aStoredAnswerToADeletionStillMatches(_ group: String) async throws {
        try await RunningServer.run(folder: try Self.folder()) { server in
            let token = try server.mint.token(TokenClaims())
            let change = #"{"n":3,"op":"delete","id":"n2","baseRevision":2\#(group)}"#
            let push = #"{"clientID":"c1","acked":0,"changes":[\#(change)]}"#
            let answer: PushAnswer = try await server.client(token, "POST", "changes", body: Array(push.utf8)).message()
            #expect(answer.results == [ChangeResult(n: 3, status: .applied, revision: 3)])
        }
    }

    @Test func whatANewerVersionWroteIsLeftAlone() throws {
        let folder = try Self.folder(and: "INSERT INTO grdb_migrations VALUES('of tomorrow');")
        let path = folder.path + "/data/postilla.sqlite"
        let before = try Self.everything(in: path)
        #expect(throws: StoreError.newerSchema(path)) { try SQLiteStore(path: path) }
        #expect(try Self.everything(in: path) == before)
    }

    /// The heads of this store come from its records. An older program, unaware of that, would assign revisions twice.
    @Test func anOlderProgramLeavesWhatThisOneWroteAlone() throws {
        let folder = try Self.folder()
        let path = folder.path + "/data/postilla.sqlite"
        try SQLiteStore(path: path).close()
        let steps = try DatabaseQueue(path: path).read {
            try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations")
        }
        #expect(steps.contains("heads from records"))
    }

    /// The tables, the applied migrations and the records.
    private static func everything(in path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { database in
            try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
                + String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY 1")
                + String.fetchAll(database, sql: "SELECT id || content FROM record ORDER BY 1")
        }
    }

    @Test func whatIsNoDatabaseIsLeftAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/postilla.sqlite"
        for text in [
            "Dear Sir or Madam, this is no database, and it is long enough to be looked at twice.",
            "SQLite format 3\u{0}",
        ] {
            let bytes = Data((text + String(repeating: " ", count: 4096)).utf8)
            try bytes.write(to: URL(fileURLWithPath: path))
            #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }
}
