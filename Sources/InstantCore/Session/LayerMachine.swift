/// The state of a layer's data on this machine (guide: document state).
public enum DocumentState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known of it: nothing was ever downloaded.
    case unknown
    case needsContentMigration
    case migratingContent
    case needsResetForDatabaseMigration
    case resettingForDatabaseMigration
    /// Nothing of ours waits.
    case clean
    /// Local edits wait to be sent.
    case dirty
    case sendingChanges
    case receivingChanges
    /// The local storage was removed.
    case invalid
}

/// Decides what a sync cycle does next, and what is told of it: exactly one finish or fail for each begin.
package struct LayerMachine: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case announceBegin
        case announceState(DocumentState)
        case announceFinish
        case announceFailure
    }

    package private(set) var state: DocumentState
    /// A cycle was asked for while one was under way.
    private var again = false

    package init(state: DocumentState) { self.state = state }

    package var isSyncing: Bool { state == .sendingChanges || state == .receivingChanges }

    /// Something waits now, or nothing does any more (an undo).
    package mutating func edited(hasUnsent: Bool) -> [Action] {
        switch state {
        case .unknown, .clean, .dirty: move(to: rest(hasUnsent))
        default: []
        }
    }

    package mutating func cycleRequested(hasUnsent: Bool) -> [Action] {
        switch state {
        case .sendingChanges, .receivingChanges:
            again = true
            return []
        case .unknown, .clean, .dirty:
            again = false
            return [.announceBegin] + move(to: hasUnsent ? .sendingChanges : .receivingChanges)
        default: return []
        }
    }

    /// All that could be sent was answered.
    package mutating func sent() -> [Action] {
        guard state == .sendingChanges else { return [] }
        return move(to: .receivingChanges)
    }

    /// Everything up to the server's head is here. When another cycle was asked for meanwhile, this one goes on.
    package mutating func received(hasUnsent: Bool) -> [Action] {
        guard state == .receivingChanges else { return [] }
        if hasUnsent { return move(to: .sendingChanges) }
        if again {
            again = false
            return []
        }
        return move(to: .clean) + [.announceFinish]
    }

    /// The cycle ends here; what waits goes on waiting.
    package mutating func failed(hasUnsent: Bool) -> [Action] {
        guard isSyncing else { return [] }
        again = false
        return move(to: rest(hasUnsent)) + [.announceFailure]
    }

    /// A change came by the live stream, outside any cycle.
    package mutating func changeArrived(hasUnsent: Bool) -> [Action] {
        guard state == .clean || state == .dirty || state == .unknown else { return [] }
        return [.announceBegin] + move(to: .receivingChanges) + move(to: rest(hasUnsent)) + [.announceFinish]
    }

    package mutating func storageRemoved() -> [Action] {
        let ending: [Action] = isSyncing ? [.announceFailure] : []
        return move(to: .invalid) + ending
    }

    private func rest(_ hasUnsent: Bool) -> DocumentState { hasUnsent ? .dirty : .clean }

    private mutating func move(to next: DocumentState) -> [Action] {
        guard next != state else { return [] }
        state = next
        return [.announceState(next)]
    }
}
