import EngineCore
import Postgres
import PostgresSupport
import TestSupport
import TestThreads
import Testing

@Suite("PostgreSQL store", .serialized, .onDatabaseThreads) struct PostgresStoreTests {
    @Test("fulfils the contract", arguments: LayerStoreContract.steps)
    func contract(_ step: LayerStoreContract.Step) throws {
        let store = try PostgresStore(TestDatabase().address, patience: .seconds(60))
        try step.run(store)
        store.close()
    }
}
