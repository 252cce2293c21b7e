import EngineCore
import GRDB
import Logging
import Postgres
import Synchronization

/// The damaged rows that were read since the start. Each one is logged once.
final class DamageLog: Sendable {
    private struct State {
        var rows: Set<StoredRow> = []
    }

    private let state = Mutex(State())
    private let hasRows = Atomic<Bool>(false)
    private let logger: Logger?
    /// Further rows are not distinguished.
    private static let maxRows = 10_000

    init(_ logger: Logger? = nil) { self.logger = logger }

    /// Whether no damaged row is known, without a lock.
    var isEmpty: Bool { !hasRows.load(ordering: .acquiring) }

    var count: Int { state.withLock { $0.rows.count } }

    func note(_ row: StoredRow) {
        let isNew = state.withLock { state in
            guard state.rows.count < Self.maxRows else { return false }
            return state.rows.insert(row).inserted
        }
        hasRows.store(true, ordering: .releasing)
        guard isNew else { return }
        // Ids are never logged; the number of a layer or of a PDF's records is the store's own.
        var details: Logger.Metadata = ["table": "\(row.table)"]
        if row.belongsToSet, let number = row.key.first { details["set"] = "\(number)" }
        logger?.error(
            "a stored row is damaged and is left out: stop the server, run serve --check, restore a backup",
            metadata: details)
    }

    /// Whether a row of the layer, or of the PDF's records, is known as damaged.
    func has(_ layer: ServerLayer) -> Bool {
        guard !isEmpty else { return false }
        let sets = [(StoredTable.record.name, "\(layer.id)"), (StoredTable.baseRecord.name, "\(layer.base)")]
        return state.withLock { state in
            state.rows.contains { row in sets.contains { $0 == (row.table, row.key.first ?? "") } }
        }
    }

    /// Removes a row that was replaced.
    ///
    /// - Returns: whether it was known as damaged.
    func forget(_ row: StoredRow) -> Bool {
        state.withLock { state in
            let wasKnown = state.rows.remove(row) != nil
            hasRows.store(!state.rows.isEmpty, ordering: .releasing)
            return wasKnown
        }
    }
}

extension APIError {
    /// - Returns: nil if the error has another cause than damage.
    static func damage(after error: any Error) -> APIError? {
        var damage = error as? DamagedRow
        if (error as? DatabaseError)?.isDamage == true || (error as? PostgresError)?.isDamage == true {
            damage = DamagedRow("data")
        }
        return damage.map {
            APIError(.storageDamaged, "\($0); the rest of the server still works", retryAfter: .seconds(60))
        }
    }
}

extension DatabaseError {
    /// Whether SQLite found the file damaged.
    fileprivate var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode.primaryResultCode) }
}
