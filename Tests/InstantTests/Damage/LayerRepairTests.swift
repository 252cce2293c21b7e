import Annotations
import Foundation
import GRDB
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Instant
@testable import InstantCore

@Suite("Repairing a layer", .onDatabaseThreads) struct LayerRepairTests {
    private let folder: TemporaryFolder
    private let path: String
    private let all: Set<Int64>

    init() throws {
        folder = try TemporaryFolder()
        try StoredClient(isKilled: false).put(in: folder.path)
        path = try StoredClient.database(in: folder.path)
        all = Set(StoredLook(at: path).edits.keys)
    }

    private func change(_ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    private func overwrite(_ place: Int, _ bytes: [UInt8]) throws {
        // They contain the first page again.
        for end in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + end) }
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    private func repair() throws -> LayerRepair.Outcome {
        try LayerRepair(path: path).run(identity: nil, clientID: "client-2")
    }

    /// SQLite refuses such a file; the label knows the layer and where its edits are.
    @Test(arguments: [100, 4096]) func aFileWithoutItsBeginningKeepsItsEdits(_ count: Int) throws {
        try overwrite(0, Array(repeating: 0x5A, count: count))
        let entry = try #require(InstantCacheEntry.all(in: Folders(root: folder.path)).first)
        #expect(entry.documentIdentifier == "doc" && entry.isRepairable && entry.problem?.contains("damaged") == true)
        let outcome = try repair()
        #expect(outcome.identity == StoredClient.identity && outcome.lost.isEmpty && outcome.damagedCopy == nil)
        let after = StoredLook(at: path)
        #expect(Set(after.edits.keys) == all && after.damage.isEmpty)
        #expect(try InstantClient.checkStorage(in: folder.url).allSatisfy { $0.problem == nil })
        let store = try LocalSQLiteStore(path: path)
        let metadata = try store.read { try $0.metadata() }
        #expect((metadata.clientID, metadata.lastN) == ("client-1", 3))
        #expect(metadata.cursor == nil && !metadata.isRecovering && !metadata.needsMigration)
        store.close()
    }

    /// Without its metadata, the store no longer knows what it has sent: every edit is compared with the server.
    @Test func aStoreWithoutMetadataComparesItsEditsWithTheServer() throws {
        try change("UPDATE facts SET json = '{}'")
        #expect(throws: LocalStoreError.self) {
            let store = try LocalSQLiteStore(path: path)
            defer { store.close() }
            _ = try store.read { try $0.metadata() }
        }
        _ = try repair()
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        let metadata = try store.read { try $0.metadata() }
        #expect((metadata.clientID, metadata.lastN, metadata.isRecovering) == ("client-2", 0, true))
        #expect(metadata.identity == StoredClient.identity && metadata.uploads.count == 1)
        #expect(try store.read { try $0.entries(in: [.sealed], limit: 9) }.isEmpty)
        #expect(Set(StoredLook(at: path).edits.keys) == all)
    }

    @Test func anEditThatCannotBeReadIsNamedAndTheDamagedFilesStay() throws {
        try change("UPDATE outbox SET content = substr(content, 1, length(content) - 3) WHERE seq = 5")
        let look = StoredLook(at: path)
        #expect(look.damage == [.edit(5, of: "id 4")])
        let outcome = try repair()
        #expect(outcome.lost == [.edit(5, of: "id 4")] && outcome.kept == all.count - 1)
        let copy = try #require(outcome.damagedCopy)
        #expect(Folders.isFile(copy + "/layer.sqlite"))
        #expect(try repair().damagedCopy == nil, "the new store is whole")
        // Removing the layer removes the damaged files too.
        try Folders.remove(layer: String(path.dropLast("/layer.sqlite".count)))
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    /// A record with an id that is a blob sorts after every text: a page of records would begin with it again and again.
    @Test func anIDThatIsABlobEndsNoLoop() throws {
        try change("UPDATE record SET id = CAST(id AS BLOB) WHERE id = 'id 7'")
        let look = StoredLook(at: path)
        #expect(look.lists["records"]?.count == 29)
        #expect(look.damage.contains(.record("id 7")), "\(look.damage)")
    }

    /// The finding that led to the checksums.
    @Test func aContentThatWasCutIsLeftOutAndNamed() throws {
        try change("UPDATE record SET content = substr(content, 1, length(content) - 3) WHERE id = 'id 28'")
        let look = StoredLook(at: path)
        #expect(look.values["server id 28"] == "nil" && look.damage == [.record("id 28")])
        let finding = try #require(try InstantClient.checkStorage(in: folder.url).first)
        #expect(finding.details == [#"record "id 28""#] && finding.entry?.documentIdentifier == "doc")
        // The comparison with the server loads the record again.
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        #expect(try store.read { try $0.digest() }.count == 29)
    }

    /// A list that leaves out a row keeps its order and its counts.
    @Test func aListWithoutADamagedRowIsWhole() throws {
        let whole = try #require(StoredLook(at: path).lists["page all"])
        try change("UPDATE shown SET text = text || '!' WHERE id IN ('id 3', 'id 12')")
        let store = try LocalSQLiteStore(path: path)
        defer { store.close() }
        try store.read { layer in
            let query = ListQuery()
            let all = try layer.rows(query, offset: 0, limit: 100).map(\.id)
            #expect(all == whole.filter { $0 != "id 3" && $0 != "id 12" } && all.count == whole.count - 2)
            #expect(try layer.count(query) == all.count)
            let parts = try (0..<6).flatMap { try layer.rows(query, offset: $0 * 7, limit: 7).map(\.id) }
            #expect(parts == all)
            for (index, id) in all.enumerated() { #expect(try layer.position(of: id, in: query) == index) }
        }
        #expect(store.damage == [.row("id 12"), .row("id 3")])
        // A new version of the record replaces the row.
        let record = try #require(try store.read { try $0.record("id 12") }?.record)
        try store.write { try $0.show(ShownRow(record, delivery: .delivered)) }
        #expect(store.damage == [.row("id 3")])
        #expect(try store.read { try $0.rows(ListQuery(), offset: 0, limit: 100) }.contains { $0.id == "id 12" })
    }

    @Test func anOpenLayerIsNotReplaced() throws {
        let store = try LocalSQLiteStore(path: path)
        let error = #expect(throws: InstantError.self) { _ = try repair() }
        #expect(error?.kind == .couldNotWriteToDisk && error?.message.contains("is open") == true)
        store.close()
        #expect(try repair().kept == all.count)
    }

    /// The disk after every step, as a kill would leave it: the old store or the new one, with every edit.
    @Test(arguments: [false, true]) func aRepairMayEndAtAnyStep(_ keepsOld: Bool) throws {
        // A row that no edit needs, and the beginning of the file if the damaged files are to stay.
        try change("UPDATE record SET content = '{}' WHERE id = 'id 28'")
        if keepsOld { try change("UPDATE outbox SET content = '{}' WHERE seq = 5") }
        let damaged = StoredLook(at: path)
        var copies: [String] = []
        let steps = try TemporaryFolder()
        let repair = LayerRepair(path: path) { [folder] in
            let copy = steps.path + "/\(copies.count)"
            try? FileManager.default.copyItem(atPath: folder.path, toPath: copy)
            copies.append(copy)
        }
        _ = try repair.run(identity: nil, clientID: "client-2")
        #expect(copies.count >= 7)
        var states: [Bool] = []
        for copy in copies {
            let path = try StoredClient.database(in: copy)
            // Before anything else, it is listed.
            #expect(try InstantCacheEntry.all(in: Folders(root: copy)).map(\.documentIdentifier) == ["doc"])
            let look = StoredLook(at: path)
            #expect(look.edits == damaged.edits)
            let isNew = look.damage.isEmpty
            #expect(isNew || look.damage == damaged.damage)
            states.append(isNew)
            #expect(!FileManager.default.fileExists(atPath: path + ".repaired"))
            let kept = try FileManager.default.contentsOfDirectory(atPath: copy + "/layers").count
            #expect(kept == 1)
            if isNew { #expect(FileManager.default.fileExists(atPath: path + ".damaged-1") == keepsOld) }
            // What an unfinished repair left is replaced.
            _ = try LayerRepair(path: path).run(identity: nil, clientID: "client-3")
            #expect(StoredLook(at: path).edits == damaged.edits)
        }
        #expect(states == states.sorted { !$0 && $1 } && states.first == false && states.last == true)
    }

    /// The new layer sends what was kept and loads the rest.
    @Test(.timeLimit(.minutes(5))) func whatWasKeptIsSent() async throws {
        let home = try TemporaryFolder()
        let server = try await LiveServer(folder: home)
        try await server.upload(SmallPDF(annotations: []).bytes)
        let jwt = try server.token()
        let folder = try TemporaryFolder()
        var ana: Person? = try await Person(server, jwt, folder: folder)
        let sent = try #require(try ana?.descriptor.create(note("sent before")).id)
        try await ana?.descriptor.syncAndWait()
        ana?.descriptor.delayForSyncingLocalChanges = nil
        ana?.descriptor.stopListeningForServerChanges()
        for number in 0..<20 {
            _ = try ana?.descriptor.create(note("waits \(number) " + String(repeating: "x", count: 900)))
        }
        let store = try #require(try ana?.descriptor.performer().open.store.path)
        ana?.descriptor.close(because: InstantError(.requestFailed, "closed"))
        ana = nil
        // Once nothing has the file open, one page of edits is overwritten.
        var page = 0
        try await waitUntil("the store is closed") {
            guard let lock = FileLock(path: LayerRepair.lock(besides: store)) else { return false }
            withExtendedLifetime(lock) {}
            return true
        }
        // Not in the write-ahead log, which would replace the damaged page.
        let closing = try LocalSQLiteStore(path: store)
        try closing.checkpoint()
        closing.close()
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store + end) }
        let image = try DatabaseImage(path: store)
        for number in 2...image.pageCount where page == 0 {
            guard let leaf = TreePage(image.page(number), number: number), leaf.kind == .tableLeaf else { continue }
            if leaf.contents(of: image).contains(where: { $0.values?.count == 15 }) { page = number }
        }
        let file = try #require(FileHandle(forUpdatingAtPath: store))
        try file.seek(toOffset: UInt64((page - 1) * 4096))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
        try file.close()
        let finding = try #require(try InstantClient.checkStorage(in: folder.url).first { $0.problem != nil })
        let repair = try InstantClient.repair(finding, in: folder.url)
        let kept = try #require(repair.keptEdits)
        #expect(kept + repair.lostEdits.count == 20 && kept >= 14 && !repair.lostEdits.isEmpty)
        #expect(repair.lostEdits.allSatisfy { $0.contains("unsent edit ") })
        let again = try await Person(server, jwt, folder: folder)
        try await again.descriptor.syncAndWait()
        #expect(try again.descriptor.unsentEdits().isEmpty)
        #expect(try again.descriptor.layer.count(ListQuery()) == kept + 1)
        #expect(try again.descriptor.layer.record(sent) != nil)
        #expect(try await server.record(sent, as: jwt) != nil)
        try await server.stop()
    }

    @Test func aStoreThatIsBeingRepairedIsNotOpened() throws {
        let repairing = FileLock(path: LayerRepair.lock(besides: path))
        for open in [
            { try LocalSQLiteStore(path: path).close() }, { try LocalSQLiteStore(lookingInto: path).close() },
        ] {
            let error = #expect(throws: LocalStoreError.self) { try open() }
            #expect("\(error.map { "\($0)" } ?? "")".contains("is being repaired by another process"))
        }
        withExtendedLifetime(repairing) {}
    }

    /// A call that opens the store waits for its repair; other calls do not wait for that call.
    @Test func aCallThatOpensHoldsNoOtherUp() async throws {
        let client = try InstantClient(
            serverURL: #require(URL(string: "https://a.example")), dataDirectory: folder.url)
        let descriptor = client.descriptor(StoredClient.identity)
        let repairing = Mutex(FileLock(path: LayerRepair.lock(besides: path)))
        let hasReturned = Mutex(false)
        let opening = Task.detached {
            while (try? descriptor.performer()) == nil {}
            return hasReturned.withLock { $0 }
        }
        try await waitUntil("the store is being opened") {
            FileLock.isHeld(Folders.use(in: descriptor.stores.main))
        }
        descriptor.delayForSyncingLocalChanges = nil
        #expect(descriptor.end == nil)
        hasReturned.withLock { $0 = true }
        repairing.withLock { $0 = nil }
        #expect(await opening.value)
        #expect(try !descriptor.unsentEdits().isEmpty)
        await client.close()
    }
}
