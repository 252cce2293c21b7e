import EngineCore
import TestSupport
import Testing

@testable import DocumentEngine

@Suite("SQLite store") struct SQLiteStoreTests {
    @Test("keeps the contract", arguments: LayerStoreContract.steps)
    func contract(_ step: LayerStoreContract.Step) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        try step.run(store)
        try store.close()
    }

    /// SQLite's 2 is FULL. With 1 a commit outlives the process, but not the machine.
    @Test func aCommitWaitsForTheDisk() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        let level = try store.write { try ($0 as? SQLiteTransaction)?.number("PRAGMA synchronous") }
        #expect(level == 2)
        try store.close()
    }
}
