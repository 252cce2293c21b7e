import Annotations
import Foundation
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@testable import Instant

@Suite struct SQLiteStoreTests {
    @Test(arguments: LocalStoreContract.steps)
    func keepsTheContract(_ step: LocalStoreContract.Step) throws {
        let folder = try TemporaryFolder()
        try step.run(try store(in: folder))
    }

    /// SQLite's 2 is FULL. With 1 a commit outlives the process, but not the machine.
    @Test func aCommitWaitsForTheDisk() throws {
        let folder = try TemporaryFolder()
        let store = try store(in: folder)
        #expect(try store.write { try ($0 as? SQLiteTransaction)?.number("PRAGMA synchronous") } == 2)
    }

    @Test func findsEverythingAgainAfterReopening() throws {
        let folder = try TemporaryFolder()
        let first = try store(in: folder)
        let entry = try first.write {
            try $0.append(OutboxEntry(id: "a", kind: .delete, baseRevision: 1, madeAt: Timestamp(seconds: 1)))
        }
        first.close()
        let second = try SQLiteStore(path: folder.path + "/layer.sqlite")
        #expect(try second.read { try $0.entries(of: "a") } == [entry])
        #expect(try second.read { try $0.facts() } == LocalStoreContract.facts)
    }

    @Test func refusesAFileOfANewerProgramAndLeavesItAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/layer.sqlite"
        let first = try store(in: folder)
        try first.write { store in
            try (store as? SQLiteTransaction)?.run("PRAGMA user_version = 99")
        }
        first.close()
        #expect(throws: StoreError.newerSchema(path: path, found: 99, known: Schema.current.version)) {
            _ = try SQLiteStore(path: path)
        }
    }

    @Test func callsADamagedFileDamagedAndLeavesItAlone() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/layer.sqlite"
        let junk = Data("this is no database, and long enough to be sure of it".utf8) + Data(count: 4096)
        try junk.write(to: URL(fileURLWithPath: path))
        do {
            _ = try SQLiteStore(path: path)
            Issue.record("it was opened")
        } catch StoreError.corrupt(path, _) {}
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == junk)
    }

    @Test func noticesWhatAnotherOpeningWrote() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try store(in: folder), try SQLiteStore(path: folder.path + "/layer.sqlite"))
        let before = one.foreignVersion()
        try one.write { try $0.setUnread(["x"], true) }
        #expect(one.foreignVersion() == before)
        try other.write { try $0.set(LocalStoreContract.facts) }
        #expect(one.foreignVersion() != before)
    }

    /// Two programs with the same layer: what one of them knows of the facts is what stands in the file.
    @Test func whatAnotherOpeningMovedOrSetIsSeen() throws {
        let folder = try TemporaryFolder()
        let (one, other) = (try store(in: folder), try SQLiteStore(path: folder.path + "/layer.sqlite"))
        func seen(by store: SQLiteStore) throws -> [LayerFacts] {
            [try store.read { try $0.facts() }, try store.readByWriter { try $0.facts() }]
        }
        var facts = LocalStoreContract.facts
        facts.cursor = Cursor(epoch: "e", revision: 1)
        try one.write { [facts] in try $0.set(facts) }
        #expect(try seen(by: other) == [facts, facts])
        try other.write { try $0.moveCursor(to: 4) }
        facts.cursor?.revision = 4
        #expect(try seen(by: one) == [facts, facts])
        facts.title = "T"
        facts.cursor?.epoch = "f"
        try other.write { [facts] in try $0.set(facts) }
        try one.write { layer in
            try layer.moveCursor(to: 6)
            try layer.setLastN(2)
        }
        facts.cursor?.revision = 6
        facts.lastN = 2
        #expect(try seen(by: one) == [facts, facts])
        #expect(try seen(by: other) == [facts, facts])
        one.close()
        other.close()
        #expect(try seen(by: SQLiteStore(path: folder.path + "/layer.sqlite")) == [facts, facts])
    }

    private func store(in folder: TemporaryFolder) throws -> SQLiteStore {
        let store = try SQLiteStore(path: folder.path + "/layer.sqlite")
        try store.write { try $0.set(LocalStoreContract.facts) }
        return store
    }
}
