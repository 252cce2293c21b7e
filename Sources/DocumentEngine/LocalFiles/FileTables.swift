import Annotations
import EngineCore
import FileCore
import SQLite

/// What the database of a local PDF has besides the tables of its layer, within one transaction.
///
/// The document's set of base records has what the file had when it was taken in. Such a record has no row as long as file
/// and layer have it so, and nothing was written over it: a file with many annotations costs nothing more.
struct FileTables {
    typealias Row = LocalFileState.Row

    let transaction: SQLiteTransaction

    /// - Throws: ``StoreError`` if the store is of another kind.
    init(_ store: any StoreReading) throws {
        guard let transaction = store as? SQLiteTransaction else {
            throw StoreError.unusable("the store of a file", "it is not a database of its own")
        }
        self.transaction = transaction
    }

    /// Returns what an engine must know of the file. Damaged rows are left out, and noted.
    ///
    /// - Throws: ``DamagedRow`` if the facts that are there once are damaged.
    func state() throws -> LocalFileState {
        var state = try meta().state
        let intent = try intent()
        state.apply(.intent(intent))
        let conflicts = try conflicts()
        for (id, conflict) in conflicts { state.apply(.conflict(id, conflict)) }
        state.apply(.lost(try lost()))
        for (id, row) in try differing() { state.apply(.row(id, row)) }
        let others = Set(conflicts.keys).union(intent?.rows.keys.map { $0 } ?? [])
        for id in others.sorted() where state.rows[id] == nil {
            do { if let row = try row(id) { state.apply(.row(id, row)) } } catch is DamagedRow {}
        }
        return state
    }

    /// Reads the layer's own records, so that the damaged ones are noted.
    func checkLayer() throws {
        for layer in try transaction.layers(of: try document()) {
            _ = try transaction.changed(in: layer, after: 0, limit: .max >> 1)
        }
    }

    // MARK: Rows

    /// - Throws: ``DamagedRow``
    func row(_ id: ByteOrdered) throws -> Row? { try row(id, base: try base()) }

    /// Returns those of these rows that there are.
    ///
    /// - Throws: ``DamagedRow``
    func rows(_ ids: some Sequence<ByteOrdered>) throws -> [ByteOrdered: Row] {
        let base = try base()
        var rows: [ByteOrdered: Row] = [:]
        for id in ids { rows[id] = try row(id, base: base) }
        return rows
    }

    private func row(_ id: ByteOrdered, base: Int64?) throws -> Row? {
        if let stored = try storedRow(id) { return stored == Row() ? nil : stored }
        return try baseRecord(id, base).map { Row(base: $0, local: $0) }
    }

    /// Returns all rows that file and layer have alike. Damaged ones are left out, and noted.
    func writtenRows() throws -> [ByteOrdered: Row] {
        var rows: [ByteOrdered: Row] = [:]
        for (id, row) in try intactRows("WHERE NOT differs") where row != Row() { rows[id] = row }
        for record in try untouched() { rows[ByteOrdered(record.id)] = Row(base: record, local: record) }
        return rows
    }

    /// Returns what the file has, in the order of the ids. Damaged rows are left out, and noted.
    func bases() throws -> [Record] {
        let others = try intactRows().compactMap(\.row.base)
        return (others + (try untouched())).sorted { ByteOrdered($0.id) < ByteOrdered($1.id) }
    }

    /// How many records are not in the file as they are in the layer, or are in conflict. Damaged ones count.
    func unwritten() throws -> Int {
        var count = try transaction.number("SELECT count(*) FROM file_row WHERE differs")
        let settled = try transaction.all(
            "SELECT id FROM file_conflict WHERE id NOT IN (SELECT id FROM file_row WHERE differs)"
        ) { ByteOrdered($0.text(0)) }
        for id in settled where ((try? row(id)) ?? nil) != nil { count += 1 }
        return count
    }

    /// The rows that file and layer do not have alike.
    func differing() throws -> [(id: ByteOrdered, row: Row)] { try intactRows("WHERE differs ORDER BY id") }

    private func intactRows(_ condition: String = "") throws -> [(id: ByteOrdered, row: Row)] {
        try transaction.intact(.fileRow, "SELECT \(StoredTable.fileRow.all) FROM file_row \(condition)", read: Self.row)
    }

    /// Returns the row that is stored; an empty one says that a base record is gone.
    func storedRow(_ id: ByteOrdered) throws -> Row? {
        try transaction.first(.fileRow, Self.oneRow, .text(id.text), read: Self.row)?.row
    }

    private static let oneRow = "SELECT \(StoredTable.fileRow.all) FROM file_row WHERE id = ?"

    private static func row(_ columns: Columns) throws -> (id: ByteOrdered, row: Row) {
        var row = Row(base: try FileRecords.record(columns.optionalText(4)))
        row.local = columns.flag(2) ? row.base : try FileRecords.record(columns.optionalText(5))
        if let number = columns.optionalInteger(3) {
            let before = try FileRecords.list(columns.text(6))
            row.written = LocalFileState.Written(number: number, before: before)
        }
        return (ByteOrdered(columns.text(0)), row)
    }

    // MARK: Base records

    /// The number of the document's set; nil: there is no document yet.
    func base() throws -> Int64? {
        try transaction.first(.document, Self.document) { $0.integer(5) }
    }

    private static let document = "SELECT \(StoredTable.document.all) FROM document LIMIT 1"

    func baseRecord(_ id: ByteOrdered, _ base: Int64?) throws -> Record? {
        guard let base else { return nil }
        return try transaction.first(
            .baseRecord, SQLiteTransaction.baseRecord, .integer(base), .text(id.text), read: SQLiteTransaction.stored
        )?.record
    }

    /// The base records without a row.
    private func untouched() throws -> [Record] {
        guard let base = try base() else { return [] }
        return try transaction.intact(.baseRecord, Self.untouched, .integer(base), read: SQLiteTransaction.stored)
            .map(\.record)
    }

    private static let untouched = """
        SELECT \(StoredTable.baseRecord.all) FROM base_record WHERE base = ?
        AND NOT EXISTS (SELECT 1 FROM file_row WHERE file_row.id = base_record.id)
        """

    // MARK: Conflicts, and marks without words

    func conflicts() throws -> [ByteOrdered: LocalFileState.Conflict] {
        let rows = try transaction.intact(
            .fileConflict, "SELECT \(StoredTable.fileConflict.all) FROM file_conflict"
        ) { row in
            let conflict = LocalFileState.Conflict(
                base: try FileRecords.record(row.optionalText(2)), local: try FileRecords.record(row.optionalText(3)),
                remote: try FileRecords.record(row.optionalText(4)),
                daysLeft: row.optionalInteger(1).map(Int.init(clamping:)),
                further: try FileRecords.list(row.text(5)))
            return (ByteOrdered(row.text(0)), conflict)
        }
        return Dictionary(rows) { first, _ in first }
    }

    private func lost() throws -> [ByteOrdered: FileCore.LostMark] {
        let rows = try transaction.intact(.fileLost, "SELECT \(StoredTable.fileLost.all) FROM file_lost") { row in
            guard let json = try? JSONReader.parse(Array(row.text(1).utf8), maximumDepth: 64),
                let mark = FileCore.LostMark(json: json)
            else { throw DamagedRow(StoredTable.fileLost.noun) }
            return (ByteOrdered(row.text(0)), mark)
        }
        return Dictionary(rows) { first, _ in first }
    }
}
