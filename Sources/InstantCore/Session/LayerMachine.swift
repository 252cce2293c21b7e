/// The state of a layer's data on this machine (guide: document state).
public enum DocumentState: String, Hashable, Sendable, CaseIterable {
    /// Nothing has been downloaded yet.
    case unknown
    /// The local store is from an older program version and must be migrated before anything is changed.
    case needsContentMigration
    case migratingContent
    /// Like ``DocumentState/needsContentMigration``, but migration drops the server's rows and loads them again.
    case needsResetForDatabaseMigration
    case resettingForDatabaseMigration
    /// No local edits are pending.
    case clean
    /// Local edits are waiting to be sent.
    case dirty
    case sendingChanges
    case receivingChanges
    /// The local storage was removed.
    case invalid
}

/// The local edits that the server does not have.
package enum Backlog: Hashable, Sendable {
    case none
    /// Edits that the current token does not allow sending.
    case kept
    case sendable
}

/// The state machine of a sync cycle. It determines the next step and the announcements, with exactly one finish or
/// failure for each begin.
package struct LayerMachine: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        case announceBegin
        case announceState(DocumentState)
        case announceFinish
        case announceFailure
    }

    package private(set) var state: DocumentState
    /// Whether a cycle was requested during the current one.
    private var again = false
    /// Whether anything was ever downloaded. If so, a layer without edits is clean, not unknown.
    private var isKnown: Bool

    package init(isKnown: Bool, backlog: Backlog = .none) {
        self.isKnown = isKnown
        state = backlog != .none ? .dirty : isKnown ? .clean : .unknown
    }

    /// - Parameter metadata: nil if the metadata cannot be read.
    package init(_ metadata: LayerMetadata?, backlog: Backlog) {
        self.init(isKnown: metadata?.cursor != nil, backlog: backlog)
        guard let metadata, metadata.needsMigration else { return }
        state = metadata.wasReset ? .needsResetForDatabaseMigration : .needsContentMigration
    }

    package var isSyncing: Bool { state == .sendingChanges || state == .receivingChanges }

    /// Handles an edit, or an undo that leaves no pending edits.
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

    /// Ends the sending phase: every change that could be sent has been answered.
    package mutating func sent() -> [Action] {
        guard state == .sendingChanges else { return [] }
        return move(to: .receivingChanges)
    }

    /// Ends receiving at the server's head: sends again if it can, continues if another cycle was requested, and
    /// otherwise finishes.
    ///
    /// - Parameter isUnsent: Whether edits could not be sent that the token allows. Then the cycle ends with a failure.
    package mutating func received(backlog: Backlog, isUnsent: Bool = false) -> [Action] {
        guard state == .receivingChanges else { return [] }
        isKnown = true
        if backlog == .sendable { return move(to: .sendingChanges) }
        if again {
            again = false
            return []
        }
        return move(to: rest(backlog)) + [isUnsent ? .announceFailure : .announceFinish]
    }

    /// Ends the cycle; unsent edits remain in the outbox.
    package mutating func failed(backlog: Backlog) -> [Action] {
        guard isSyncing else { return [] }
        again = false
        return move(to: rest(backlog)) + [.announceFailure]
    }

    /// Handles a change on the live stream, outside any cycle.
    package mutating func changeArrived(backlog: Backlog) -> [Action] {
        guard state == .clean || state == .dirty || state == .unknown else { return [] }
        return [.announceBegin] + move(to: .receivingChanges) + move(to: rest(backlog)) + [.announceFinish]
    }

    /// Whether the shown rows are from an older program version: readable, but not editable.
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

    /// Edits that may not be sent keep a layer dirty, because the server does not have them.
    private func rest(_ backlog: Backlog) -> DocumentState {
        backlog != .none ? .dirty : isKnown ? .clean : .unknown
    }

    private mutating func move(to next: DocumentState) -> [Action] {
        guard next != state else { return [] }
        state = next
        return [.announceState(next)]
    }
}
