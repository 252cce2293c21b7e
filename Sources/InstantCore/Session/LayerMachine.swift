/// The state of a layer's data on this machine (guide: document state).
public enum DocumentState: String, Hashable, Sendable, CaseIterable {
    /// Nothing is known of it: nothing was ever downloaded.
    case unknown
    /// The local store is an older program's and has to be brought up to date before anything is changed.
    case needsContentMigration
    case migratingContent
    /// The same, and what the server can send again has to be dropped for it.
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

/// What of ours is not at the server.
package enum Backlog: Hashable, Sendable {
    case none
    /// Edits that may not be sent at present.
    case kept
    case sendable
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
    /// Something was downloaded once: without edits it is clean and not unknown.
    private var isKnown: Bool

    package init(isKnown: Bool, backlog: Backlog = .none) {
        self.isKnown = isKnown
        state = backlog != .none ? .dirty : isKnown ? .clean : .unknown
    }

    /// - Parameter facts: nil when they cannot be read.
    package init(_ facts: LayerMetadata?, backlog: Backlog) {
        self.init(isKnown: facts?.cursor != nil, backlog: backlog)
        guard let facts, facts.needsMigration else { return }
        state = facts.wasReset ? .needsResetForDatabaseMigration : .needsContentMigration
    }

    package var isSyncing: Bool { state == .sendingChanges || state == .receivingChanges }

    /// Something waits now, or nothing does any more (an undo).
    package mutating func edited(backlog: Backlog) -> [Action] {
        switch state {
        case .unknown, .clean, .dirty: move(to: rest(backlog))
        default: []
        }
    }

    package mutating func cycleRequested(backlog: Backlog) -> [Action] {
        switch state {
        case .sendingChanges, .receivingChanges:
            again = true
            return []
        case .unknown, .clean, .dirty:
            again = false
            return [.announceBegin] + move(to: backlog == .sendable ? .sendingChanges : .receivingChanges)
        default: return []
        }
    }

    /// All that could be sent was answered.
    package mutating func sent() -> [Action] {
        guard state == .sendingChanges else { return [] }
        return move(to: .receivingChanges)
    }

    /// Everything up to the server's head is here: begun anew when more can be sent. When another cycle was asked for meanwhile, this one goes on.
    package mutating func received(backlog: Backlog) -> [Action] {
        guard state == .receivingChanges else { return [] }
        isKnown = true
        if backlog == .sendable { return move(to: .sendingChanges) }
        if again {
            again = false
            return []
        }
        return move(to: rest(backlog)) + [.announceFinish]
    }

    /// The cycle ends here; what waits goes on waiting.
    package mutating func failed(backlog: Backlog) -> [Action] {
        guard isSyncing else { return [] }
        again = false
        return move(to: rest(backlog)) + [.announceFailure]
    }

    /// A change came by the live stream, outside any cycle.
    package mutating func changeArrived(backlog: Backlog) -> [Action] {
        guard state == .clean || state == .dirty || state == .unknown else { return [] }
        return [.announceBegin] + move(to: .receivingChanges) + move(to: rest(backlog)) + [.announceFinish]
    }

    /// The rows to show are those of an older program: readable, and not to be changed.
    package var isMigrating: Bool {
        switch state {
        case .needsContentMigration, .migratingContent, .needsResetForDatabaseMigration,
            .resettingForDatabaseMigration:
            true
        default: false
        }
    }

    package mutating func migrationBegan() -> [Action] {
        switch state {
        case .needsContentMigration: move(to: .migratingContent)
        case .needsResetForDatabaseMigration: move(to: .resettingForDatabaseMigration)
        default: []
        }
    }

    package mutating func migrated(backlog: Backlog) -> [Action] { isMigrating ? move(to: rest(backlog)) : [] }

    package mutating func storageRemoved() -> [Action] {
        let ending: [Action] = isSyncing ? [.announceFailure] : []
        return move(to: .invalid) + ending
    }

    /// Edits that may not be sent keep a layer dirty: they are only here.
    private func rest(_ backlog: Backlog) -> DocumentState {
        backlog != .none ? .dirty : isKnown ? .clean : .unknown
    }

    private mutating func move(to next: DocumentState) -> [Action] {
        guard next != state else { return [] }
        state = next
        return [.announceState(next)]
    }
}
