import Annotations
import EngineCore
import FileCore
import SQLite

// Storing what the core has decided.
extension FileTables {
    /// Stores the changes in these tables. The layer's records are the caller's.
    func apply(_ changes: [LocalFileState.Change]) throws {
        let base = try base()
        var meta: FileMeta?
        for change in changes {
            switch change {
            case .row(let id, let row): try store(id, row, base: base)
            case .conflict(let id, let conflict): try store(id, conflict)
            case .lost(let marks): try store(marks)
            case .intent(let intent): try put(intent)
            case .version, .hidden, .owners, .madePrivate, .shared, .counted, .tookOver, .takenIn:
                var changed = try meta ?? self.meta()
                changed.state.apply(change)
                meta = changed
            }
        }
        if let meta { try put(meta) }
    }

    private func store(_ id: ByteOrdered, _ row: Row, base: Int64?) throws {
        let (isBase, record) = try known(id, base)
        // What the set of base records says needs no row.
        let isUntouched = record != nil && row == Row(base: record, local: record)
        if isUntouched || (row == Row() && !isBase) {
            try transaction.run("DELETE FROM file_row WHERE id = ?", .text(id.text))
        } else {
            let isSame = row.base == row.local
            try transaction.put(
                .fileRow, .text(id.text), .integer(!row.isWritten), .integer(isSame), .integer(row.written?.number),
                .text(FileRecords.text(row.base)), .text(isSame ? nil : FileRecords.text(row.local)),
                .text(row.written.map { FileRecords.text(list: $0.before) }))
        }
        forget(.fileRow, id)
    }

    /// Whether the set of base records has a record of this id, and which; nil: it is damaged.
    private func known(_ id: ByteOrdered, _ base: Int64?) throws -> (isBase: Bool, record: Record?) {
        do {
            let record = try baseRecord(id, base)
            return (record != nil, record)
        } catch is DamagedRow { return (true, nil) }
    }

    private func store(_ id: ByteOrdered, _ conflict: LocalFileState.Conflict?) throws {
        if let conflict {
            try transaction.put(
                .fileConflict, .text(id.text), .integer(conflict.daysLeft.map(Int64.init)),
                .text(FileRecords.text(conflict.base)), .text(FileRecords.text(conflict.local)),
                .text(FileRecords.text(conflict.remote)), .text(FileRecords.text(list: conflict.further)))
        } else {
            try transaction.run("DELETE FROM file_conflict WHERE id = ?", .text(id.text))
        }
        forget(.fileConflict, id)
    }

    private func store(_ marks: [ByteOrdered: FileCore.LostMark]) throws {
        for id in try transaction.all("DELETE FROM file_lost RETURNING id", read: { ByteOrdered($0.text(0)) }) {
            forget(.fileLost, id)
        }
        for (id, mark) in marks {
            try transaction.put(
                .fileLost, .text(id.text), .text(JSONWriter.text(capacity: 512) { mark.write(to: &$0) }))
        }
    }

    /// A row that was replaced is not damaged any more.
    private func forget(_ table: StoredTable, _ id: ByteOrdered) {
        guard !transaction.damage.isEmpty else { return }
        _ = transaction.damage.forget(StoredRow(table, [id.text]))
    }
}
