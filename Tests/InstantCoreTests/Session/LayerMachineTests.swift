import InstantCore
import TestSupport
import Testing

@Suite struct LayerMachineTests {
    @Test func theDocumentedCycle() {
        var layer = LayerMachine(state: .clean)
        #expect(layer.edited(hasUnsent: true) == [.announceState(.dirty)])
        #expect(
            layer.cycleRequested(hasUnsent: true) == [.announceBegin, .announceState(.sendingChanges)])
        #expect(layer.edited(hasUnsent: true) == [])
        #expect(layer.sent() == [.announceState(.receivingChanges)])
        // An edit was made meanwhile.
        #expect(layer.received(hasUnsent: true) == [.announceState(.sendingChanges)])
        #expect(layer.sent() == [.announceState(.receivingChanges)])
        #expect(layer.received(hasUnsent: false) == [.announceState(.clean), .announceFinish])
    }

    @Test func withoutEditsItOnlyReceives() {
        var layer = LayerMachine(state: .unknown)
        #expect(
            layer.cycleRequested(hasUnsent: false) == [.announceBegin, .announceState(.receivingChanges)])
        #expect(layer.received(hasUnsent: false) == [.announceState(.clean), .announceFinish])
    }

    @Test func aSecondRequestMakesTheCycleLongerNotDouble() {
        var layer = LayerMachine(state: .clean)
        _ = layer.cycleRequested(hasUnsent: false)
        #expect(layer.cycleRequested(hasUnsent: true) == [])
        #expect(layer.received(hasUnsent: false) == [])
        #expect(layer.received(hasUnsent: false) == [.announceState(.clean), .announceFinish])
    }

    @Test(arguments: [(true, DocumentState.dirty), (false, .clean)])
    func aFailureFallsBack(hasUnsent: Bool, to state: DocumentState) {
        var layer = LayerMachine(state: .clean)
        _ = layer.cycleRequested(hasUnsent: true)
        #expect(layer.failed(hasUnsent: hasUnsent) == [.announceState(state), .announceFailure])
        #expect(layer.failed(hasUnsent: hasUnsent) == [])
    }

    @Test func aLiveChangeIsAShortCycleOfItsOwn() {
        var layer = LayerMachine(state: .clean)
        #expect(
            layer.changeArrived(hasUnsent: false) == [
                .announceBegin, .announceState(.receivingChanges), .announceState(.clean), .announceFinish,
            ])
        _ = layer.cycleRequested(hasUnsent: false)
        #expect(layer.changeArrived(hasUnsent: false) == [])
    }

    @Test func removedStorageEndsTheCycleAndEverything() {
        var layer = LayerMachine(state: .clean)
        _ = layer.cycleRequested(hasUnsent: false)
        #expect(layer.storageRemoved() == [.announceState(.invalid), .announceFailure])
        #expect(layer.cycleRequested(hasUnsent: true) == [])
        #expect(layer.edited(hasUnsent: true) == [])
    }

    /// Exactly one finish or fail for each begin, never two begins in a row.
    @Test(arguments: 0..<200)
    func randomEvents(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var layer = LayerMachine(state: .unknown)
        var open = 0
        for _ in 0..<200 {
            let hasUnsent = random.chance(1, of: 2)
            let actions =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: layer.edited(hasUnsent: hasUnsent)
                case 1: layer.cycleRequested(hasUnsent: hasUnsent)
                case 2: layer.sent()
                case 3: layer.received(hasUnsent: hasUnsent)
                case 4: layer.changeArrived(hasUnsent: hasUnsent)
                default: layer.failed(hasUnsent: hasUnsent)
                }
            for action in actions {
                if action == .announceBegin { open += 1 }
                if action == .announceFinish || action == .announceFailure { open -= 1 }
                #expect((0...1).contains(open), "seed \(seed)")
            }
            #expect(layer.isSyncing == (open == 1), "seed \(seed)")
        }
    }
}
