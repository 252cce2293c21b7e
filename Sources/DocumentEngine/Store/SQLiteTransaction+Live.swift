import Annotations
import Authorization
import EngineCore
import SQLite

/// The live records of a layer, its own and those of the PDF that no own one stands for, in id order.
extension SQLiteTransaction {
    func live(in layer: StoredLayer, after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try rows(Self.whole, in: layer, after: id, limit: limit)
    }

    func shown(in layer: StoredLayer, after id: Record.ID?, limit: Int) throws -> [ShownRecord] {
        try rows(Self.shown, in: layer, after: id, limit: limit)
    }

    func marks(in layer: StoredLayer, after id: Record.ID?, limit: Int) throws -> [RecordMark] {
        try rows(Self.marks, in: layer, after: id, limit: limit)
    }

    /// The two kinds are merged here: as one statement SQLite would walk them by turns, and carry each row across.
    private func rows<Row>(
        _ what: LiveRows<Row>, in layer: StoredLayer, after id: Record.ID?, limit: Int
    ) throws -> [Row] {
        let after = SQLValue.text(id ?? "")
        let own = try statements.prepared(composed: what.own)
            .rows([.integer(layer.id), after, .integer(limit)], what.read)
        // What lies behind a full page of them is not needed.
        let end = own.count == limit ? own.last.map(what.id) : nil
        let base = try statements.prepared(composed: what.base)
            .rows([.integer(layer.id), .integer(layer.base), after, .integer(limit), .text(end)], what.read)
        guard !base.isEmpty else { return own }
        var merged: [Row] = []
        merged.reserveCapacity(own.count + base.count)
        var rest = own[...]
        for row in base {
            let id = what.id(row)
            let next = rest.firstIndex { id.utf8.lexicographicallyPrecedes(what.id($0).utf8) } ?? rest.endIndex
            merged += rest[..<next]
            merged.append(row)
            rest = rest[next...]
        }
        return Array((merged + rest).prefix(limit))
    }

    private static let whole = LiveRows(ownColumns, ofBase: baseColumns, id: \.id, read: stored)

    private static let shown = LiveRows(
        "id, type, created_by, grp, revision, content, updated_by",
        ofBase: "id, type, created_by, grp, 0, content, updated_by", id: \.record.id
    ) { row in
        let record = Record(
            id: row.text(0), content: Content(checked: row.text(5)), createdBy: row.optionalText(2),
            updatedBy: row.optionalText(6), group: row.optionalText(3))
        return ShownRecord(record, revision: row.integer(4), contentType: try type(row.text(1)))
    }

    private static let marks = LiveRows(
        "id, type, created_by, grp, revision", ofBase: "id, type, created_by, grp, 0", id: \.id
    ) { row in
        let subject = Subject(try type(row.text(1)), createdBy: row.optionalText(2), group: row.optionalText(3))
        return RecordMark(id: row.text(0), revision: row.integer(4), subject: subject)
    }
}

/// One way to read live records: which of their columns, and what is made of them.
private struct LiveRows<Row: Sendable>: Sendable {
    let own: String
    let base: String
    let id: @Sendable (Row) -> Record.ID
    let read: @Sendable (Columns) throws -> Row

    init(
        _ columns: String, ofBase baseColumns: String, id: @escaping @Sendable (Row) -> Record.ID,
        read: @escaping @Sendable (Columns) throws -> Row
    ) {
        own = """
            SELECT \(columns) FROM record WHERE layer = ? AND id > ? AND removed_at IS NULL ORDER BY id LIMIT ?
            """
        base = """
            SELECT \(baseColumns) FROM base_record WHERE base = ?2 AND id > ?3 AND (?5 IS NULL OR id < ?5)
            AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
            ORDER BY id LIMIT ?4
            """
        self.id = id
        self.read = read
    }
}
