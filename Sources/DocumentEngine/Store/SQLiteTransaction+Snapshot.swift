import Annotations
import Authorization
import EngineCore
import Glibc
import SQLite

/// The live records of a layer: its own, and the base records that they do not replace, in id order.
extension SQLiteTransaction {
    func live(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [ServerRecord] {
        try rows(Self.whole, in: layer, after: id, limit: limit, Self.stored)
    }

    func marks(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [RecordMark] {
        try rows(Self.marks, in: layer, after: id, limit: limit) { row in
            let type = try Self.type(row.text(1))
            let subject = Subject(type, createdBy: row.optionalText(2), group: row.optionalText(3))
            return RecordMark(id: row.text(0), revision: row.integer(4), subject: subject)
        }
    }

    func visitLive(in layer: ServerLayer, after id: Record.ID?, _ visit: (LiveRow) throws -> Bool) throws {
        let none = LiveRow.Text(start: nil, count: 0)
        try walk(Self.shown, in: layer, after: id) { row in
            try visit(
                LiveRow(
                    id: row.bytes(0) ?? none, content: row.bytes(5) ?? none, createdBy: row.bytes(2),
                    updatedBy: row.bytes(6), group: row.bytes(3), revision: row.integer(4),
                    type: row.bytes(1) ?? none))
        }
    }

    private func rows<Row>(
        _ live: LiveRows, in layer: ServerLayer, after id: Record.ID?, limit: Int, _ read: (Columns) throws -> Row
    ) throws -> [Row] {
        var rows: [Row] = []
        guard limit > 0 else { return rows }
        try walk(live, in: layer, after: id) { row in
            rows.append(try read(row))
            return rows.count < limit
        }
        return rows
    }

    /// Merges the two tables here; the layer's own record replaces the base record with the same id. In a single
    /// statement, SQLite would look up the layer's own record for each base record, alternate between the tables, and
    /// copy each row.
    private func walk(
        _ live: LiveRows, in layer: ServerLayer, after id: Record.ID?, _ visit: (Columns) throws -> Bool
    ) throws {
        let after = SQLValue.text(id ?? "")
        var own = try statements.prepared(composed: live.own).walk([.integer(layer.id), after])
        var base = try statements.prepared(composed: live.base).walk([.integer(layer.base), after])
        var (ownRow, baseRow) = (try own.next(), try base.next())
        while true {
            let order = Self.order(ownRow, baseRow)
            guard let row = order <= 0 ? ownRow : baseRow else { return }
            let isRemoved = order <= 0 && !row.isNull(live.removal)
            if !isRemoved, try !visit(row) { return }
            if order <= 0 { ownRow = try own.next() }
            if order >= 0 { baseRow = try base.next() }
        }
    }

    /// Returns a negative number if `one` comes before `other`; a missing row comes last.
    private static func order(_ one: Columns?, _ other: Columns?) -> Int {
        guard let two = other?.bytes(0), let there = two.baseAddress else { return -1 }
        guard let one = one?.bytes(0), let here = one.baseAddress else { return 1 }
        let order = memcmp(here, there, min(one.count, two.count))
        return order == 0 ? one.count - two.count : Int(order)
    }

    private static let whole = LiveRows(ownColumns, ofBase: baseColumns, removal: 10)
    private static let shown = LiveRows(
        "id, type, created_by, grp, revision, content, updated_by, removed_at",
        ofBase: "id, type, created_by, grp, 0, content, updated_by", removal: 7)
    private static let marks = LiveRows(
        "id, type, created_by, grp, revision, removed_at", ofBase: "id, type, created_by, grp, 0", removal: 5)
}

/// The columns to read from live records, with the id first.
private struct LiveRows: Sendable {
    let own: String
    let base: String
    /// The column that is not NULL in the layer's own removed records.
    let removal: Int32

    init(_ columns: String, ofBase baseColumns: String, removal: Int32) {
        own = "SELECT \(columns) FROM record WHERE layer = ? AND id > ? ORDER BY id"
        base = "SELECT \(baseColumns) FROM base_record WHERE base = ? AND id > ? ORDER BY id"
        self.removal = removal
    }
}
