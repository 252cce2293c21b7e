import Annotations
import EngineCore
import Foundation
import GRDB
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// Bytes of the database change on disk. Each row that is read is what was written, or it is left out and named.
@Suite("A damaged store", .timeLimit(.minutes(60))) struct DamagedStoreTests {
    /// How many bytes to flip, and the seed of the first one: `FLIPS=2000 FLIPS_FROM=0 swift test --filter …`.
    private static let flips = ProcessInfo.processInfo.environment["FLIPS"].flatMap(Int.init) ?? 150
    private static let first = ProcessInfo.processInfo.environment["FLIPS_FROM"].flatMap(UInt64.init) ?? 0

    @Test func aFlippedByteIsNeverReadAsARow() throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.path + "/store.sqlite", folder.path + "/copy.sqlite")
        try DamagedStore.make(path)
        #expect(try StoreCheck(path: path).problems().isEmpty)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let whole = try SQLiteStore(path: path)
        let truth = try whole.read { try DamagedStore.look($0) }
        try whole.close()
        #expect(truth.count > 300 && !truth.values.contains(DamagedStore.failed))
        var (unread, named, refused) = (0, 0, 0)
        for seed in Self.first..<Self.first + UInt64(Self.flips) {
            var random = SeededRandom(seed: seed)
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            changed[place] ^= UInt8.random(in: 1...255, using: &random)
            for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) }
            try changed.write(to: URL(fileURLWithPath: copy))
            let damage = Self.damage(copy)
            guard let store = try? SQLiteStore(path: copy) else {
                #expect(!damage.isEmpty, "seed \(seed), byte \(place): the store does not open, but nothing is named")
                refused += 1
                continue
            }
            defer { try? store.close() }
            let found = (try? store.read { try DamagedStore.look($0) }) ?? [:]
            let differing = Set(truth.keys).union(found.keys).filter { truth[$0] != found[$0] }
            if differing.isEmpty { unread += 1 } else { named += 1 }
            #expect(
                differing.isEmpty || !damage.isEmpty,
                "seed \(seed), byte \(place): \(differing.sorted().prefix(3)) differ, but nothing is named")
            // A record is what was written, or it fails. If the index of ids is damaged, it may be that of the PDF.
            for name in differing where name.hasPrefix("record ") || name.hasPrefix("answer ") {
                let id = String(name.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).last ?? "")
                let allowed = [nil, DamagedStore.failed, "nil", truth["record untouched \(id)"]]
                #expect(allowed.contains(found[name]), "seed \(seed), byte \(place): \(name) is \(found[name] ?? "")")
            }
        }
        print("\(Self.flips) flipped bytes: \(unread) in no row that was read, \(named) named, \(refused) not opened")
    }

    /// What the check names; also if the file cannot be opened.
    private static func damage(_ path: String) -> [String] {
        do { return try StoreCheck(path: path).problems().map(\.description) } catch { return ["\(error)"] }
    }

    /// Changes a file behind the store's back, without updating the checksums.
    private static func change(_ path: String, _ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    @Test func rowsThatAreMissingAreCounted() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        try DamagedStore.make(path)
        let trigger = try DatabaseQueue(path: path).read {
            try String.fetchOne($0, sql: "SELECT sql FROM sqlite_master WHERE name = 'record_removed'")
        }
        try Self.change(
            path,
            """
            DROP TRIGGER record_removed; DROP TRIGGER base_record_removed;
            DELETE FROM record WHERE rowid = (SELECT max(rowid) FROM record);
            DELETE FROM base_record WHERE rowid = 1;
            \(try #require(trigger));
            """)
        let damage = try StoreCheck(path: path).problems().map(\.description)
        #expect(damage.count == 2 && damage[0].hasPrefix(#"layer "other" of document "doc": "#), "\(damage)")
        #expect(damage.last == #"the PDF of document "doc": 20 records were written, but 19 are there"#)
    }

    /// The program that changes a row without its checksum is an earlier version, which does not open the file, or a
    /// person.
    @Test func aRowOfEveryTableIsNamed() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        try DamagedStore.make(path)
        let rows = [
            "document": "title = 'x'", "layer": "generation = 'x'", "deleted_layer": "at = at + 1",
            "record": "content = substr(content, 1, length(content) - 3)", "base_record": "content = '{}'",
            "departure": "grp = 'x'", "client": "last_n = 1", "answer": "status = 'applied'",
            "attachment": "bytes = 1", "upload": "user_id = 'x'", "revoked": "expires_at = 1",
            "lineage": "head = head + 1",
        ]
        #expect(Set(rows.keys) == Set(StoredTable.tables.map(\.name) + [StoredTable.lineage.name]))
        for (table, change) in rows {
            let copy = folder.path + "/\(table).sqlite"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let key = table == "record" || table == "base_record" ? "rowid = 2" : "1"
            try Self.change(copy, "UPDATE \(table) SET \(change) WHERE \(key)")
            let damage = try StoreCheck(path: copy).problems().map(\.description)
            #expect(!damage.isEmpty && damage.allSatisfy { $0.hasPrefix("damaged: ") }, "\(table): \(damage)")
        }
    }

    /// The finding that led to the checksums: the last three bytes of one content were cut off.
    @Test func theRestOfTheLayerWorks() async throws {
        let (folder, log) = (try TemporaryFolder(), RecordedLog())
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let changes = (1...3).map { Samples.create(Int64($0), "n\($0)") }
            #expect(try await server.push(token, changes).status == 200)
        }
        let path = folder.path + "/data/postilla.sqlite"
        try Self.change(
            path, "UPDATE record SET content = substr(content, 1, length(content) - 3) WHERE id = 'n2'")
        try await RunningServer.run(folder: folder) {
            $0.logger = log.logger
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            let token = try server.mint.token(TokenClaims())
            let page: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(page.records.map(\.id) == ["6", "7", "n1", "n3"])
            #expect(try await server.figures().contains("postilla_damaged_rows 1\n"))
            #expect(try server.server.findDamage().map(\.description) == [Self.n2])

            // A change of the row itself is refused for good; the changes behind it are applied.
            let update = Change(n: 4, kind: .update, id: "n2", baseRevision: 2, content: Samples.note("new"))
            let answer: PushAnswer = try await server.push(token, [update, Samples.create(5, "n5")]).message()
            #expect(answer.results.map(\.status) == [.invalid, .applied])
            #expect(answer.results[0].reason?.contains("record is damaged") == true, "\(answer.results)")

            let place = "/api/documents/doc/layers/review/annotations"
            let read = try await server.backend("GET", place + "/n2")
            #expect((read.status, read.reason) == (503, "storage_damaged"), "\(read.text)")
            #expect(try await server.backend("GET", place).status == 200)

            // The backend can replace the row.
            let content = #"{"content":{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[0,0,1,1],"text":"again"}}"#
            #expect(try await server.backend("PUT", place + "/n2", json: content).status == 200)
            let again: SnapshotPage = try await server.client(token, "GET", "records").message()
            #expect(again.records.map(\.id) == ["6", "7", "n1", "n2", "n3", "n5"])
            #expect(try server.server.findDamage().isEmpty)
            #expect(try await server.figures().contains("postilla_damaged_rows 0\n"))
        }
        let lines = log.text.split(separator: "\n").filter { $0.contains("damaged") }
        #expect(lines.count == 1 && lines[0].contains("table=record") && !lines[0].contains("n2"), "\(lines)")
    }

    private static let n2 = #"damaged: record "n2" of layer "review" of document "doc""#

    @Test func aBackupOfDamagedRowsIsNotMade() throws {
        let folder = try TemporaryFolder()
        let (data, copy) = (folder.path + "/data", folder.path + "/copy")
        try PrivateFiles.make(folder: data)
        try DamagedStore.make(data + "/postilla.sqlite")
        try Self.change(data + "/postilla.sqlite", "UPDATE record SET content = '{}' WHERE rowid = 2")
        let error = #expect(throws: StoreError.self) { try Backup(of: data, to: copy).make() }
        #expect(error?.description.contains("damaged: record ") == true, "\(error?.description ?? "")")
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy).filter { $0.hasPrefix("postilla.sq") } == [])
    }

    @Test func aDamagedLayerLeavesTheOthersUsable() async throws {
        let folder = try TemporaryFolder()
        let other = TokenClaims(layer: "other")
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            for claims in [TokenClaims(), other] {
                #expect(try await server.push(server.mint.token(claims), [Samples.create(1, "n1")]).status == 200)
            }
        }
        try Self.change(folder.path + "/data/postilla.sqlite", "UPDATE layer SET head = head + 7 WHERE name = 'review'")
        try await RunningServer.run(folder: folder) { server in
            let damaged = try await server.client(server.mint.token(TokenClaims()), "GET", "records")
            #expect((damaged.status, damaged.reason) == (503, "storage_damaged"), "\(damaged.text)")
            #expect(damaged.headers["retry-after"] == "60")
            #expect(try await server.client(server.mint.token(other), "GET", "records").status == 200)
            try await server.server.tidy()
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
        }
    }

    /// A token stays revoked if the note of it is damaged.
    @Test func aDamagedRevocationHolds() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        try DamagedStore.make(path)
        try Self.change(path, "UPDATE revoked SET expires_at = 0")
        let store = try SQLiteStore(path: path)
        #expect(try store.read { try $0.isRevoked(tokenID: "jti 1") })
        // Revoking it again replaces the row.
        try store.write { try $0.removeRevocations(before: DamagedStore.now) }
        #expect(try store.read { try $0.isRevoked(tokenID: "jti 1") })
        try store.write { try $0.revoke(tokenID: "jti 1", until: DamagedStore.now) }
        #expect(try store.check.problems().isEmpty)
        try store.close()
    }

    /// A page of the file that SQLite cannot use.
    @Test func aDamagedPageIsSaid() async throws {
        let (folder, log) = (try TemporaryFolder(), RecordedLog())
        try await RunningServer.run(folder: folder) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            for start in stride(from: Int64(1), to: 400, by: 100) {
                let changes = (start..<start + 100).map { Samples.create($0, "n\($0)") }
                #expect(try await server.push(token, changes).status == 200)
            }
        }
        let path = folder.path + "/data/postilla.sqlite"
        let page = try await DatabaseQueue(path: path).read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'record'") ?? 0
        }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64((page - 1) * 4096))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 100))
        try file.close()
        try await RunningServer.run(folder: folder) {
            $0.logger = log.logger
        } _: { server in
            let answer = try await server.client(server.mint.token(TokenClaims()), "GET", "records")
            #expect((answer.status, answer.reason) == (503, "storage_damaged"), "\(answer.text)")
            #expect(try !server.server.findDamage().isEmpty)
        }
        #expect(log.text.contains("the database is damaged"), "\(log.text)")
    }
}
