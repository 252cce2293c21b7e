import Annotations
import InstantCore
import Synchronization

import struct Annotations.Record

/// The damage that was met while reading a store. What is damaged is left out of what is read, until it is replaced.
final class DamageLog: Sendable {
    private struct State {
        var known: Set<StoredDamage> = []
        /// The rows of the list that are left out, by their numbers in the table.
        var rows: [Int64: Record.ID] = [:]
    }

    private let state = Mutex(State())
    private let isEmpty = Atomic<Bool>(true)
    /// With more damaged rows than these, a list fails.
    static let maxRows = 500

    /// In order of their descriptions.
    var all: [StoredDamage] {
        guard !isEmpty.load(ordering: .acquiring) else { return [] }
        return state.withLock(\.known).sorted { $0.description < $1.description }
    }

    /// The numbers of the damaged rows of the list, ascending.
    var rows: [Int64] {
        guard !isEmpty.load(ordering: .acquiring) else { return [] }
        return state.withLock { $0.rows.keys.sorted() }
    }

    func note(_ damage: StoredDamage) {
        state.withLock { _ = $0.known.insert(damage) }
        isEmpty.store(false, ordering: .releasing)
    }

    func note(row number: Int64, of id: Record.ID) {
        state.withLock { state in
            state.known.insert(.row(id))
            state.rows[number] = id
        }
        isEmpty.store(false, ordering: .releasing)
    }

    /// Forgets damage that was replaced.
    func forget(_ damage: StoredDamage) {
        guard !isEmpty.load(ordering: .acquiring) else { return }
        state.withLock { state in
            state.known.remove(damage)
            if case .row(let id) = damage { state.rows = state.rows.filter { !$0.value.isExactly(id) } }
        }
    }
}
