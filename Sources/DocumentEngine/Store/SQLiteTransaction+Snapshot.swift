import Annotations
import Authorization
import EngineCore
import Glibc
import SQLite

/// The live records of a layer: its own, and the base records that they do not replace, in id order.
extension SQLiteTransaction {
    func live(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [ServerRecord] {
        try rows(in: layer, after: id, limit: limit, Self.stored)
    }

    func marks(
        in layer: ServerLayer, after id: Record.ID?, limit: Int, where isVisible: ((Subject) -> Bool)?
    ) throws -> [RecordMark] {
        try rows(in: layer, after: id, limit: limit, where: isVisible) { row in
            let type = try Self.type(row.text(3))
            let subject = Subject(type, createdBy: row.optionalText(5), group: row.optionalText(7))
            return RecordMark(id: row.text(1), revision: row.integer(8), subject: subject)
        }
    }

    func visitLive(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: ((Subject) -> Bool)?,
        _ visit: (LiveRow) throws -> Bool
    ) throws {
        let none = LiveRow.Text(start: nil, count: 0)
        try walk(in: layer, after: id, where: isVisible) { row in
            try visit(
                LiveRow(
                    id: row.bytes(1) ?? none, content: row.bytes(2) ?? none, createdBy: row.bytes(5),
                    updatedBy: row.bytes(6), group: row.bytes(7), revision: row.integer(8),
                    type: row.bytes(3) ?? none))
        }
    }

    private func rows<Row>(
        in layer: ServerLayer, after id: Record.ID?, limit: Int, where isVisible: ((Subject) -> Bool)? = nil,
        _ read: (Columns) throws -> Row
    ) throws -> [Row] {
        var rows: [Row] = []
        guard limit > 0 else { return rows }
        try walk(in: layer, after: id, where: isVisible) { row in
            rows.append(try read(row))
            return rows.count < limit
        }
        return rows
    }

    /// Merges the two tables here; the layer's own record replaces the base record with the same id, even if it is
    /// damaged. In a single statement, SQLite would look up the layer's own record for each base record, alternate
    /// between the tables, and copy each row.
    private func walk(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: ((Subject) -> Bool)?,
        _ visit: (Columns) throws -> Bool
    ) throws {
        if let isVisible { return try walkSubjects(in: layer, after: id, where: isVisible, visit) }
        let after = SQLValue.text(id ?? "")
        var own = try statements.prepared(composed: Self.ownLive).walk([.integer(layer.id), after])
        var base = try statements.prepared(composed: Self.baseLive).walk([.integer(layer.base), after])
        // The ids in damaged rows may be out of order, so these rows do not take part in the merge.
        var damaged: Set<ByteOrdered> = []
        var ownRow = try next(&own, .record) { damaged.insert(ByteOrdered($0)) }
        var baseRow = try next(&base, .baseRecord)
        while true {
            let order = Self.order(ownRow, baseRow, at: 1)
            guard let row = order <= 0 ? ownRow : baseRow else { return }
            let isShown =
                order <= 0
                ? row.isNull(Self.removedAt) : damaged.isEmpty || !damaged.contains(ByteOrdered(row.text(1)))
            if isShown, try !visit(row) { return }
            if order <= 0 { ownRow = try next(&own, .record) { damaged.insert(ByteOrdered($0)) } }
            if order >= 0 { baseRow = try next(&base, .baseRecord) }
        }
    }

    /// The same for a view that sees a part. Does not read the contents of the other records.
    private func walkSubjects(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: (Subject) -> Bool,
        _ visit: (Columns) throws -> Bool
    ) throws {
        let after = SQLValue.text(id ?? "")
        var own = try statements.prepared(composed: Self.ownSubjects).walk([.integer(layer.id), after])
        var base = try statements.prepared(composed: Self.baseSubjects).walk([.integer(layer.base), after])
        var (ownRow, baseRow) = (try own.next(), try base.next())
        while true {
            let order = Self.order(ownRow, baseRow, at: 0)
            guard let row = order <= 0 ? ownRow : baseRow else { return }
            let subject = Subject(
                try Self.type(row.text(1)), createdBy: row.optionalText(2), group: row.optionalText(3))
            if isVisible(subject) {
                let (sql, table, set) =
                    order <= 0
                    ? (Self.ownRecord, StoredTable.record, layer.id)
                    : (Self.baseRecord, StoredTable.baseRecord, layer.base)
                let goesOn = try statements.prepared(composed: sql).first([.integer(set), .text(row.text(0))]) { row in
                    guard isIntact(row, table), row.isNull(Self.removedAt) else { return true }
                    return try visit(row)
                }
                if goesOn == false { return }
            }
            if order <= 0 { ownRow = try own.next() }
            if order >= 0 { baseRow = try base.next() }
        }
    }

    private static let ownSubjects = """
        SELECT id, type, created_by, grp FROM record WHERE layer = ? AND id > ? ORDER BY id
        """
    private static let baseSubjects = """
        SELECT id, type, created_by, grp FROM base_record WHERE base = ? AND id > ? ORDER BY id
        """

    /// - Parameter skipped: called with the id in each damaged row before the next intact one.
    private func next(
        _ rows: inout PreparedStatement.Rows, _ table: StoredTable, skipped: (Record.ID) -> Void = { _ in }
    ) throws -> Columns? {
        while let row = try rows.next() {
            if isIntact(row, table) { return row }
            skipped(row.text(1))
        }
        return nil
    }

    /// Returns a negative number if `one` comes before `other`; a missing row comes last.
    ///
    /// - Parameter id: the column of the ids.
    private static func order(_ one: Columns?, _ other: Columns?, at id: Int32) -> Int {
        guard let two = other?.bytes(id), let there = two.baseAddress else { return -1 }
        guard let one = one?.bytes(id), let here = one.baseAddress else { return 1 }
        let order = memcmp(here, there, min(one.count, two.count))
        return order == 0 ? one.count - two.count : Int(order)
    }

    private static let ownLive =
        "SELECT \(StoredTable.record.all) FROM record WHERE layer = ? AND id > ? ORDER BY id"
    private static let baseLive =
        "SELECT \(StoredTable.baseRecord.all) FROM base_record WHERE base = ? AND id > ? ORDER BY id"
    /// The column that is not NULL in the layer's own removed records.
    private static let removedAt: Int32 = 11
}
