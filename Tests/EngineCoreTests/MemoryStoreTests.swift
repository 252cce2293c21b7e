import EngineCore
import TestSupport
import Testing

@Suite("Memory store") struct MemoryStoreTests {
    @Test("fulfils the contract", arguments: LayerStoreContract.steps)
    func contract(_ step: LayerStoreContract.Step) throws { try step.run(MemoryLayerStore()) }
}
