import Annotations
import EngineCore
import Foundation
import GRDB
import SyncProtocol
import Testing

@testable import DocumentEngine

/// What a restore must not undo: revocations, and deletions unless they are to be undone.
@Suite("Revocations and deletions in a restore", .timeLimit(.minutes(15))) struct RestoredDeletionTests {
    /// A folder with a backup, and the data of a server that ran on after it.
    private final class Scene {
        let folder: TemporaryFolder
        let clock = TestClock()
        var data: String { folder.path + "/place/data" }
        var copy: String { folder.path + "/backup" }
        let database: String?

        init(elsewhere: Bool = false) throws {
            folder = try TemporaryFolder()
            database = elsewhere ? folder.path + "/stores/main.sqlite" : nil
            for name in ["place", "stores"] { try PrivateFiles.make(folder: "\(folder.path)/\(name)") }
        }

        /// Takes what another scene has now.
        init(_ other: Scene) throws {
            folder = try TemporaryFolder()
            database = other.database == nil ? nil : folder.path + "/stores/main.sqlite"
            for name in ["place", "stores", "backup"] {
                try FileManager.default.copyItem(
                    atPath: "\(other.folder.path)/\(name)", toPath: "\(folder.path)/\(name)")
            }
        }

        func run<Result: Sendable>(_ body: (RunningServer) async throws -> Result) async throws -> Result {
            try await RunningServer.run(folder: folder, clock: clock) {
                ($0.dataFolder, $0.database) = (data, database)
            } _: { server in
                try await body(server)
            }
        }

        func restore(_ answer: DeletedAnswer? = nil) -> Restore {
            Restore(
                of: copy, to: data, database: database, replacing: true, deleted: answer, now: clock.now)
        }

        var store: String { database ?? data + "/postilla.sqlite" }

        func change(_ sql: String) throws {
            let queue = try DatabaseQueue(path: store)
            try queue.write { try $0.execute(sql: sql) }
            try queue.close()
        }

        /// A digest of every file of the server.
        func files() throws -> [String: Data] {
            var found: [String: Data] = [:]
            for name in ["place", "stores"] {
                for path in try FileManager.default.subpathsOfDirectory(atPath: "\(folder.path)/\(name)") {
                    found["\(name)/\(path)"] = try? Data(
                        contentsOf: URL(fileURLWithPath: "\(folder.path)/\(name)/\(path)"))
                }
            }
            return found
        }
    }

    private static let later = Samples.pdf + [0x20]

    private static func token(
        _ server: RunningServer, _ document: String, layer: String? = "review", id: String? = nil, after: Int64 = 0
    ) throws -> String {
        try server.mint.token(
            TokenClaims(
                document: document, layer: layer, expires: TestClock.start + 86_400_000,
                issued: TestClock.start + after * 1000, id: id))
    }

    private static func reason(_ server: RunningServer, _ token: String) async throws -> String? {
        try await server.client(token, "GET", "session").reason
    }

    /// Backs up documents with layers, then revokes, deletes and overwrites; ends at second 20.
    private func ran(elsewhere: Bool = false) async throws -> Scene {
        let scene = try Scene(elsewhere: elsewhere)
        try await scene.run { server in
            for id in ["kept", "gone", "again", "over", "before"] {
                try await server.upload(id)
                for layer in ["review", "other"] {
                    #expect(
                        try await server.push(Self.token(server, id, layer: layer), [Samples.create(1, "n")]).status
                            == 200)
                }
            }
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["before"]}"#)
            _ = try await server.backend("DELETE", "/api/documents/before")
            #expect(try Backup(of: scene.data, database: scene.database, to: scene.copy).make().documents == 4)
            scene.clock.advance(seconds: 10)
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["since"]}"#)
            _ = try await server.backend("DELETE", "/api/documents/gone")
            _ = try await server.backend("DELETE", "/api/documents/kept/layers/other")
            _ = try await server.backend("DELETE", "/api/documents/again")
            try await server.upload("again", Self.later)
            _ = try await server.send(
                "POST", "/api/documents?document_id=over&overwrite_existing_document=true",
                headers: [
                    ("Authorization", #"Token token="\#(RunningServer.secret)""#), ("Content-Type", "application/pdf"),
                ], body: Self.later)
            // Never in the backup.
            try await server.upload("new")
            _ = try await server.backend("DELETE", "/api/documents/new")
            scene.clock.advance(seconds: 10)
        }
        return scene
    }

    private static let listed = [
        #"deleted and created again since the backup: document "again", at 2027-01-15T08:00:10.000Z"#,
        #"deleted since the backup: document "gone", at 2027-01-15T08:00:10.000Z"#,
        #"overwritten since the backup: document "over""#,
        #"deleted since the backup: layer "other" of document "kept", at 2027-01-15T08:00:10.000Z"#,
    ]

    /// What holds after every restore.
    private func checkRevocations(_ server: RunningServer) async throws {
        for id in ["before", "since"] {
            #expect(try await Self.reason(server, Self.token(server, "kept", id: id)) == "token_revoked")
        }
        #expect(try await server.session(Self.token(server, "kept", id: "another")).head == 1)
        // Documents that neither comes back nor is in the backup.
        for id in ["before", "new"] {
            try await server.upload(id)
            #expect(try await Self.reason(server, Self.token(server, id)) == "layer_deleted", "\(id)")
            #expect(try await server.session(Self.token(server, id, after: 30)).head == 0)
        }
    }

    @Test(arguments: [false, true]) func nothingIsChangedBeforeItIsDecided(elsewhere: Bool) async throws {
        let scene = try await ran(elsewhere: elsewhere)
        let before = try scene.files()
        var found: [String] = []
        var restore = scene.restore()
        restore.found = { found = $0.list.map(\.description) }
        #expect {
            try restore.make()
        } throws: { ($0 as? BackupError)?.isUsage == true && "\($0)".contains("--deleted return") }
        #expect(found == Self.listed)
        #expect(try scene.files() == before)
    }

    @Test(arguments: [false, true]) func whatWasDeletedStaysDeleted(elsewhere: Bool) async throws {
        let scene = try await ran(elsewhere: elsewhere)
        let report = try scene.restore(.stay).make()
        #expect((report.documents, report.uncertainty) == (2, nil))
        try await scene.run { server in
            let ids = try await server.backend("GET", "/api/documents").json["data"]?.array?.compactMap {
                $0["document_id"]?.string
            }
            #expect(ids.map(Set.init) == ["kept", "over"])
            try await checkRevocations(server)
            for id in ["gone", "again"] {
                #expect(try await Self.reason(server, Self.token(server, id)) == "document_not_found")
                try await server.upload(id)
                #expect(try await Self.reason(server, Self.token(server, id)) == "layer_deleted")
                #expect(try await server.session(Self.token(server, id, after: 11)).head == 0)
            }
            #expect(try await Self.reason(server, Self.token(server, "kept", layer: "other")) == "layer_deleted")
            // The newer PDF, with the layers of the backup.
            #expect(try await server.client(Self.token(server, "over"), "GET", "document").body == Self.later)
            let page: SnapshotPage = try await server.client(Self.token(server, "over"), "GET", "records").message()
            #expect(page.records.map(\.id) == ["6", "7", "n"])
            try await server.server.tidy()
            #expect(try server.server.findDamage() == [])
        }
    }

    @Test(arguments: [false, true]) func whatWasDeletedComesBack(elsewhere: Bool) async throws {
        let scene = try await ran(elsewhere: elsewhere)
        let report = try scene.restore(.comeBack).make()
        #expect((report.documents, report.uncertainty) == (4, nil))
        try await scene.run { server in
            try await checkRevocations(server)
            for (id, layer) in [("gone", "review"), ("gone", "other"), ("kept", "other"), ("over", "review")] {
                #expect(try await server.session(Self.token(server, id, layer: layer)).head == 1, "\(id) \(layer)")
                #expect(try await server.client(Self.token(server, id), "GET", "document").body == Samples.pdf)
            }
            // Tokens for either document of this name are refused, because both were issued for another one.
            for seconds in [0, 11, 20] as [Int64] {
                #expect(try await Self.reason(server, Self.token(server, "again", after: seconds)) == "layer_deleted")
            }
            #expect(try await server.session(Self.token(server, "again", after: 21)).head == 1)
        }
    }

    @Test func withoutDeletionsNothingIsAsked() async throws {
        let scene = try Scene()
        try await scene.run { server in
            try await server.upload("kept")
            _ = try Backup(of: scene.data, to: scene.copy).make()
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["since"]}"#)
            try await server.upload("new")
        }
        #expect(try scene.restore().make().uncertainty == nil)
        try await scene.run { server in
            let reason = try await Self.reason(server, Self.token(server, "kept", id: "since"))
            #expect(reason == "token_revoked")
        }
        // Nor the second time, after which the earlier data is a restored one.
        #expect(try scene.restore().make().uncertainty == nil)
        try await scene.run { server in
            let reason = try await Self.reason(server, Self.token(server, "kept", id: "since"))
            #expect(reason == "token_revoked")
        }
    }

    // MARK: Interruptions

    /// The same command, without the answer: an interrupted restore remembers it.
    @Test(arguments: [(DeletedAnswer.stay, false), (.comeBack, true)])
    func anInterruptedRestoreRemembersTheAnswer(_ answer: DeletedAnswer, elsewhere: Bool) async throws {
        let scene = try await ran(elsewhere: elsewhere)
        var snapshots: [Scene] = []
        var restore = scene.restore(answer)
        restore.didStep = { snapshots.append(try Scene(scene)) }
        let expected = try restore.make().documents
        var told = 0
        for (step, snapshot) in snapshots.enumerated() {
            snapshot.clock.advance(seconds: 20)
            let isDecided = [snapshot.data, snapshot.data + ".restoring"].contains {
                UnfinishedRestore.memory(of: $0) != nil
            }
            do {
                #expect(try snapshot.restore().make().documents == expected, "step \(step)")
                told += 1
            } catch BackupError.undecided {
                // Killed before it was decided, or after the restore.
                #expect(!isDecided, "step \(step)")
                #expect(try snapshot.restore(answer).make().documents == expected, "step \(step)")
            }
            try await snapshot.run { server in
                #expect(try await Self.reason(server, Self.token(server, "kept", id: "since")) == "token_revoked")
                #expect(
                    try await Self.reason(server, Self.token(server, "gone"))
                        == (answer == .stay ? "document_not_found" : nil), "step \(step)")
                let pdf = try await server.client(Self.token(server, "over"), "GET", "document").body
                #expect(pdf == (answer == .stay ? Self.later : Samples.pdf), "step \(step)")
                try await server.upload("new")
                #expect(try await Self.reason(server, Self.token(server, "new")) == "layer_deleted", "step \(step)")
            }
        }
        #expect(told > 5)
    }

    /// What was decided for one list is not decided for a longer one.
    @Test func anAnswerCountsForWhatWasListed() async throws {
        let scene = try await ran()
        var interrupted: Scene?
        var restore = scene.restore(.comeBack)
        restore.didStep = {
            if UnfinishedRestore.memory(of: scene.data + ".restoring") != nil, interrupted == nil {
                interrupted = try Scene(scene)
            }
        }
        _ = try restore.make()
        let later = try #require(interrupted)
        try await later.run { server in _ = try await server.backend("DELETE", "/api/documents/kept") }
        #expect {
            try later.restore().make()
        } throws: { if case BackupError.undecided = $0 { true } else { false } }
        #expect(try later.restore(.stay).make().documents == 1)
    }

    @Test func aMarkThatWasCutSaysNothing() {
        let change = ChangesSinceBackup.Change(
            kind: .recreated, document: "a\"\u{E9}", layer: "l", at: TestClock.start)
        let all = ChangesSinceBackup([change, .init(kind: .overwritten, document: "b")])
        let memory = RestoreMemory(.stay, all)
        #expect(RestoreMemory(memory.text) == memory)
        for count in 0..<memory.text.utf8.count {
            #expect(RestoreMemory(String(decoding: memory.text.utf8.prefix(count), as: UTF8.self)) == nil)
        }
    }

    // MARK: Damage

    @Test func damagedRowsCountAndAreReported() async throws {
        let scene = try await ran()
        try scene.change(
            """
            UPDATE revoked SET expires_at = 5 WHERE jti = 'since';
            UPDATE deleted_layer SET at = 5 WHERE document = 'new' AND name = '*';
            """)
        let report = try scene.restore(.stay).make()
        let uncertainty = try #require(report.uncertainty)
        #expect(uncertainty.reason == "some rows of the earlier data are damaged")
        #expect(abs(uncertainty.since - Server.systemClock()) < 3_600_000)
        try await scene.run { try await checkRevocations($0) }
    }

    /// A document whose row is damaged was not deleted.
    @Test func damageIsNoDeletion() async throws {
        let scene = try await ran()
        try scene.change("UPDATE document SET id = 'x' WHERE id = 'kept'")
        var found: [String] = []
        var restore = scene.restore(.stay)
        restore.found = { found = $0.list.map(\.description) }
        let report = try restore.make()
        #expect(!found.contains { $0.contains(#"document "kept""#) && !$0.contains("layer") }, "\(found)")
        #expect(report.documents == 2 && report.uncertainty != nil)
    }

    @Test(arguments: ["empty", "noise", "cut"]) func aDatabaseThatCannotBeReadIsNamed(_ damage: String) async throws {
        let scene = try await ran()
        let file = URL(fileURLWithPath: scene.store)
        let bytes = try Data(contentsOf: file)
        switch damage {
        case "empty": try Data().write(to: file)
        case "noise": try Data((0..<bytes.count).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: file)
        default: try bytes.prefix(bytes.count / 2).write(to: file)
        }
        var restore = scene.restore(.comeBack)
        var found: [String] = []
        restore.found = { found = $0.list.map(\.description) }
        let report = try restore.make()
        #expect(report.documents == 4)
        #expect(report.uncertainty != nil, "\(damage)")
        if damage != "cut" { #expect(found == []) }
        try await scene.run { server in
            let head = try await server.session(Self.token(server, "kept")).head
            #expect(head == 1)
        }
    }

    /// The newer PDF of an overwritten document cannot be kept if it cannot be read.
    @Test func aNewerPDFThatIsDamagedIsNotLostSilently() async throws {
        let scene = try await ran()
        try scene.change(
            "UPDATE base_record SET content = '{}' WHERE base = (SELECT base FROM document WHERE id = 'over')")
        let before = try scene.files()
        #expect {
            try scene.restore(.stay).make()
        } throws: { "\($0)".contains(#"the newer PDF of document "over" cannot be read"#) }
        #expect(try scene.files() == before)
        #expect(try scene.restore(.comeBack).make().documents == 4)
    }

    /// A server that was killed left its log beside the database, with the last revocations.
    @Test func theLogIsReadToo() async throws {
        let scene = try await ran()
        let writer = try SQLiteStore(path: scene.store)
        try writer.write { try $0.revoke(tokenID: "in the log", until: TestClock.start + 86_400_000) }
        let killed = try Scene(scene)
        try writer.close()
        #expect(FileStatus(link: killed.store + "-wal")?.bytes ?? 0 > 0)
        _ = try killed.restore(.stay).make()
        try await killed.run { server in
            let reason = try await Self.reason(server, Self.token(server, "kept", id: "in the log"))
            #expect(reason == "token_revoked")
        }
    }

    /// Versions before the checksums noted deletions of layers only.
    @Test func dataOfAnEarlierVersionIsCompared() async throws {
        let scene = try Scene()
        let old = scene.folder.path + "/old.sqlite"
        let queue = try DatabaseQueue(path: old)
        let migrator = SQLiteSchema.migrator
        try migrator.migrate(queue, upTo: "thread roots")
        try await queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO document (id, title, sha256, bytes, created_at, base, pages, page_count)
                    VALUES ('kept', 't', '', 0, 0, 1, '[]', 0);
                    INSERT INTO layer (id, document, name, generation, head, horizon)
                    VALUES (1, 'kept', 'there', 'g', 0, 0);
                    INSERT INTO deleted_layer (document, name, at) VALUES ('kept', 'gone', 7);
                    INSERT INTO revoked (jti, expires_at) VALUES ('jti', 9);
                    """)
        }
        try queue.close()
        let data = EarlierData(of: old, now: TestClock.start)
        #expect(data.problem == nil && data.hasAllDocuments && data.hasAllLayers)
        #expect(data.documents.keys.map(\.text) == ["kept"] && data.layers.map(\.name) == ["there"])
        #expect(data.deletions == [LayerKey(document: "kept", name: "gone"): Timestamp(milliseconds: 7)])
        #expect(data.revocations == [ByteOrdered("jti"): Timestamp(milliseconds: 9)])
    }
}
