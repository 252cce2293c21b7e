import InstantCore
import TestSupport
import Testing

@Suite struct LayerMachineTests {
    @Test func theDocumentedCycle() {
        var layer = LayerMachine(isKnown: true)
        #expect(layer.edited(backlog: .sendable) == [.announceState(.dirty)])
        #expect(
            layer.cycleRequested(backlog: .sendable) == [.announceBegin, .announceState(.sendingChanges)])
        #expect(layer.edited(backlog: .sendable) == [])
        #expect(layer.sent() == [.announceState(.receivingChanges)])
        // An edit was made in the meantime.
        #expect(layer.received(backlog: .sendable) == [.announceState(.sendingChanges)])
        #expect(layer.sent() == [.announceState(.receivingChanges)])
        #expect(layer.received(backlog: .none) == [.announceState(.clean), .announceFinish])
    }

    @Test func withoutEditsItOnlyReceives() {
        var layer = LayerMachine(isKnown: false)
        #expect(
            layer.cycleRequested(backlog: .none) == [.announceBegin, .announceState(.receivingChanges)])
        #expect(layer.received(backlog: .none) == [.announceState(.clean), .announceFinish])
    }

    @Test func aSecondRequestMakesTheCycleLongerNotDouble() {
        var layer = LayerMachine(isKnown: true)
        _ = layer.cycleRequested(backlog: .none)
        #expect(layer.cycleRequested(backlog: .sendable) == [])
        #expect(layer.received(backlog: .none) == [])
        #expect(layer.received(backlog: .none) == [.announceState(.clean), .announceFinish])
    }

    @Test(arguments: [(Backlog.sendable, DocumentState.dirty), (.kept, .dirty), (.none, .clean)])
    func aFailureFallsBack(backlog: Backlog, to state: DocumentState) {
        var layer = LayerMachine(isKnown: true)
        _ = layer.cycleRequested(backlog: .sendable)
        #expect(layer.failed(backlog: backlog) == [.announceState(state), .announceFailure])
        #expect(layer.failed(backlog: backlog) == [])
    }

    @Test func aLiveChangeIsAShortCycleOfItsOwn() {
        var layer = LayerMachine(isKnown: true)
        #expect(
            layer.changeArrived(backlog: .none) == [
                .announceBegin, .announceState(.receivingChanges), .announceState(.clean), .announceFinish,
            ])
        _ = layer.cycleRequested(backlog: .none)
        #expect(layer.changeArrived(backlog: .none) == [])
    }

    @Test func removedStorageEndsTheCycleAndEverything() {
        var layer = LayerMachine(isKnown: true)
        _ = layer.cycleRequested(backlog: .none)
        #expect(layer.storageRemoved() == [.announceState(.invalid), .announceFailure])
        #expect(layer.cycleRequested(backlog: .sendable) == [])
        #expect(layer.edited(backlog: .sendable) == [])
    }

    /// Each begin has exactly one finish or failure, and there are never two begins in a row.
    @Test(arguments: 0..<200)
    func randomEvents(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var layer = LayerMachine(isKnown: false)
        var open = 0
        for _ in 0..<200 {
            let backlog = random.pick([Backlog.none, .kept, .sendable])
            let actions =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: layer.edited(backlog: backlog)
                case 1: layer.cycleRequested(backlog: backlog)
                case 2: layer.sent()
                case 3: layer.received(backlog: backlog)
                case 4: layer.changeArrived(backlog: backlog)
                default: layer.failed(backlog: backlog)
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
