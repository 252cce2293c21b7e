import Annotations
import Authorization
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Instant

@Suite struct LocalSQLiteStoreTests {
    @Test(arguments: LocalStoreContract.steps)
    func keepsTheContract(_ step: LocalStoreContract.Step) throws {
        let folder = try TemporaryFolder()
        try step.run(try store(in: folder))
        try step.run(try LocalSQLiteStore(inMemory: LocalStoreContract.metadata))
    }

    /// SQLite's value 2 is FULL. With 1 a commit survives a crash of the process but not of the machine.
    @Test func aCommitWaitsForTheDisk() throws {
        let folder = try TemporaryFolder()
        let store = try store(in: folder)
        #expect(try store.write { try ($0 as? LocalSQLiteTransaction)?.number("PRAGMA synchronous") } == 2)
    }

    @Test func findsEverythingAgainAfterReopening() throws {
        let folder = try TemporaryFolder()
        let first = try store(in: folder)
        let entry = try first.write {
            try $0.append(OutboxEntry(id: "a", kind: .delete, baseRevision: 1, madeAt: Timestamp(seconds: 1)))
        }
        first.close()
        let second = try LocalSQLiteStore(path: folder.path + "/layer.sqlite")
        #expect(try second.read { try $0.entries(of: "a") } == [entry])
        #expect(try second.read { try $0.metadata() } == LocalStoreContract.metadata)
    }

    /// A long log makes every start slower. A reader is not waited for.
    @Test func aLongLogIsEmptiedUnlessItIsRead() throws {
        let folder = try TemporaryFolder()
        let store = try store(in: folder)
        func logBytes() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: folder.path + "/layer.sqlite-wal")[.size] as? Int ?? 0
        }
        let text = String(repeating: "long ", count: 1000)
        func fill() throws {
            for number in 0..<400 {
                _ = try store.write(.recoverable) { layer in
                    try layer.append(
                        OutboxEntry(
                            id: "\(number)", kind: .create, baseRevision: 0,
                            content: .note(onPage: 0, at: Point(x: 0, y: 0), text: text),
                            madeAt: Timestamp(seconds: 1)))
                }
            }
        }
        try fill()
        #expect(try logBytes() > 1 << 20)
        try store.read { layer in
            _ = try layer.entries(of: "1")
            store.emptyLog()
        }
        store.emptyLog()
        #expect(try logBytes() == 0)
        store.close()
        let again = try LocalSQLiteStore(path: folder.path + "/layer.sqlite")
        #expect(try again.read { try $0.entries(of: "399").count } == 1)
        #expect(again.log.all.isEmpty)
    }

    @Test func refusesAFileOfANewerProgramAndLeavesItAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/layer.sqlite"
        let first = try store(in: folder)
        try first.write { store in
            try (store as? LocalSQLiteTransaction)?.run("PRAGMA user_version = 99")
        }
        first.close()
        #expect(throws: LocalStoreError.newerSchema(path: path, found: 99, known: LocalSchema.current.version)) {
            _ = try LocalSQLiteStore(path: path)
        }
    }

    @Test func callsADamagedFileDamagedAndLeavesItAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/layer.sqlite"
        let junk = Data("this is no database, and long enough to be sure of it".utf8) + Data(count: 4096)
        try junk.write(to: URL(fileURLWithPath: path))
        do {
            _ = try LocalSQLiteStore(path: path)
            Issue.record("it was opened")
        } catch LocalStoreError.corrupt(path, _) {}
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == junk)
    }

    @Test func noticesWhatAnotherOpeningWrote() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try store(in: folder), try LocalSQLiteStore(path: folder.path + "/layer.sqlite"))
        let before = one.foreignVersion()
        try one.write { try $0.setUnread(["x"], true) }
        #expect(one.foreignVersion() == before)
        try other.write { try $0.set(LocalStoreContract.metadata) }
        #expect(one.foreignVersion() != before)
    }

    /// Two programs with the same layer see each other's writes.
    @Test func whatAnotherOpeningMovedOrSetIsSeen() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try store(in: folder), try LocalSQLiteStore(path: folder.path + "/layer.sqlite"))
        func seen(by store: LocalSQLiteStore) throws -> [LayerMetadata] {
            [try store.read { try $0.metadata() }, try store.readByWriter { try $0.metadata() }]
        }
        var metadata = LocalStoreContract.metadata
        metadata.cursor = Cursor(epoch: "e", revision: 1)
        try one.write { [metadata] in try $0.set(metadata) }
        #expect(try seen(by: other) == [metadata, metadata])
        try other.write { try $0.moveCursor(to: 4) }
        metadata.cursor?.revision = 4
        #expect(try seen(by: one) == [metadata, metadata])
        metadata.title = "T"
        metadata.cursor?.epoch = "f"
        try other.write { [metadata] in try $0.set(metadata) }
        try one.write { layer in
            try layer.moveCursor(to: 6)
            try layer.setLastN(2)
        }
        metadata.cursor?.revision = 6
        metadata.lastN = 2
        #expect(try seen(by: one) == [metadata, metadata])
        #expect(try seen(by: other) == [metadata, metadata])
        one.close()
        other.close()
        #expect(try seen(by: LocalSQLiteStore(path: folder.path + "/layer.sqlite")) == [metadata, metadata])
    }

    /// Two open stores on one file, with rollbacks and with stores that are closed and reopened.
    @Test(arguments: 0..<10) func theFactsAreThoseThatWereWrittenLast(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.path + "/layer.sqlite"
        var stores = [try store(in: folder), try LocalSQLiteStore(path: path, checksMetadata: true)]
        var metadata = LocalStoreContract.metadata
        for step in 0..<60 {
            let index = Int.random(in: stores.indices, using: &random)
            if random.chance(1, of: 10) {
                stores[index].close()
                stores[index] = try LocalSQLiteStore(path: path, checksMetadata: true)
            }
            var changed = metadata
            let isTakenBack = random.chance(1, of: 4)
            do {
                try stores[index].write { store in
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0 where changed.cursor != nil:
                        let revision = Revision.random(in: 0...99, using: &random)
                        changed.cursor?.revision = revision
                        try store.moveCursor(to: revision)
                    case 1:
                        changed.lastN += 1
                        try store.setLastN(changed.lastN)
                    default:
                        Self.change(&changed, &random)
                        try store.set(changed)
                    }
                    #expect(try store.metadata() == changed, "step \(step)")
                    if isTakenBack { throw CancellationError() }
                }
            } catch is CancellationError {}
            if !isTakenBack { metadata = changed }
            for store in stores { #expect(try store.read { try $0.metadata() } == metadata, "step \(step)") }
        }
        for store in stores { store.close() }
    }

    private static func change(_ metadata: inout LayerMetadata, _ random: inout SeededRandom) {
        let text = random.pick(["a", "é", "e\u{301}", #""\"#, "\u{FEFF}\n", ""])
        switch Int.random(in: 0..<9, using: &random) {
        case 0: metadata.title = text
        case 1: metadata.cursor = Cursor(epoch: "g-1-\(Int.random(in: 0..<9, using: &random))", revision: 5)
        case 2: metadata.groupOverride = random.pick([nil, .init(group: nil), .init(group: text)])
        case 3:
            metadata.uploads = random.pick([
                [], Set(AttachmentID(String(repeating: "a", count: 64)).map { [$0] } ?? []),
            ])
        case 4: metadata.loading = random.pick([nil, .init(epoch: "e", at: 3, after: text, inPlace: true)])
        case 5: metadata.migratedTo = random.pick([nil, text])
        case 6: metadata.limits.batchChanges = Int.random(in: 1...9, using: &random)
        case 7: metadata.isRecovering.toggle()
        default:
            metadata.grant = Grant(
                documentID: "doc", layer: text, userID: "ana", general: [.readDocument, .write],
                collaboration: random.pick([nil, [], [Permission(.comments, .view, .group(text.isEmpty ? nil : text))]]
                ),
                defaultGroup: random.pick([nil, "crew"]), creatorName: random.pick([nil, text]),
                expiresAt: Timestamp(milliseconds: Int64.random(in: 0...99, using: &random)))
        }
    }

    private func store(in folder: TemporaryFolder) throws -> LocalSQLiteStore {
        let store = try LocalSQLiteStore(path: folder.path + "/layer.sqlite", checksMetadata: true)
        try store.write { try $0.set(LocalStoreContract.metadata) }
        return store
    }

    /// Other threads may read a layer at the moment when its client is closed.
    @Test(.onDatabaseThreads) func aStoreIsClosedWhileOthersReadIt() throws {
        let folder = try TemporaryFolder()
        for number in 0..<60 {
            let store = try LocalSQLiteStore(path: folder.path + "/\(number).sqlite")
            try store.write { try $0.set(LayerMetadata(identity: Self.someLayer, clientID: "c")) }
            let errors = Mutex<[any Error]>([])
            let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            for _ in 0..<4 {
                Thread.detachNewThread {
                    var reads = 0
                    do {
                        while true {
                            if reads == number { begun.signal() }
                            _ = try store.read { try $0.metadata() }
                            reads += 1
                        }
                    } catch { errors.withLock { $0.append(error) } }
                    ended.signal()
                }
            }
            // One thread has read as often; the others are anywhere.
            begun.wait()
            store.close()
            for _ in 0..<4 { #expect(ended.wait(timeout: .now() + 60) == .success, "all readers end") }
            #expect(errors.withLock { $0.count == 4 && $0.allSatisfy { $0 is LocalStoreError } })
        }
        #expect(openFiles(below: folder.path).isEmpty)
    }

    /// One thread creates the file, as two programs do that open a layer for the first time.
    @Test(.onDatabaseThreads) func aNewFileIsOpenedByAllThatComeAtOnce() throws {
        let folder = try TemporaryFolder()
        let errors = Mutex<[String]>([])
        for number in 0..<100 {
            let (gate, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            for _ in 0..<4 {
                Thread.detachNewThread {
                    gate.wait()
                    do { try LocalSQLiteStore(path: folder.path + "/\(number).sqlite").close() } catch {
                        errors.withLock { $0.append("\(error)") }
                    }
                    ended.signal()
                }
            }
            for _ in 0..<4 { gate.signal() }
            for _ in 0..<4 { #expect(ended.wait(timeout: .now() + 60) == .success) }
        }
        #expect(errors.withLock(\.self) == [])
    }

    private static let someLayer = LayerIdentity(server: "s", documentID: "d", layer: "l", userID: nil)
}
