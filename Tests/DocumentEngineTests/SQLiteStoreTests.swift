import DocumentEngine
import EngineCore
import TestSupport
import Testing

@Suite("SQLite store") struct SQLiteStoreTests {
    @Test("keeps the contract", arguments: LayerStoreContract.steps)
    func contract(_ step: LayerStoreContract.Step) throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        try step.run(store)
        try store.close()
    }
}
