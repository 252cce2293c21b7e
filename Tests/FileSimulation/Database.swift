import Annotations
import FileCore

/// The database of one PDF.
final class Database {
    private(set) var meta = LocalFileState()
    private(set) var records: [ByteOrdered: LocalFileState.Row] = [:]
    /// The engine that has opened it last.
    var fence = 0

    func commit(_ changes: [LocalFileState.Change]) {
        for change in changes {
            if case .row(let id, let row) = change {
                records[id] = row == LocalFileState.Row() ? nil : row
            } else {
                meta.apply(change)
            }
        }
    }

    /// What an engine reads when it starts.
    var state: LocalFileState {
        var state = meta
        for (id, row) in records where meta.isNeeded(id, row) { state.apply(.row(id, row)) }
        return state
    }

    func synced(_ ids: [ByteOrdered]) -> [ByteOrdered: LocalFileState.Row] {
        var rows: [ByteOrdered: LocalFileState.Row] = [:]
        for id in ids { rows[id] = records[id] }
        return rows
    }

    var written: [ByteOrdered: LocalFileState.Row] { records.filter(\.value.isWritten) }
}
