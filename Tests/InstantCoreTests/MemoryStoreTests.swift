import InstantCore
import TestSupport
import Testing

@Suite struct MemoryStoreTests {
    @Test(arguments: LocalStoreContract.steps)
    func keepsTheContract(_ step: LocalStoreContract.Step) throws {
        try step.run(MemoryStore(LocalStoreContract.metadata))
    }
}
