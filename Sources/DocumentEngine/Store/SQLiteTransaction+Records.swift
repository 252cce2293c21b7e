import Annotations
import Authorization
import EngineCore
import SQLite
import SyncProtocol

extension SQLiteTransaction {
    func record(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord? {
        let own = try first(.record, Self.ownRecord, .integer(layer.id), .text(id), read: Self.stored)
        if own != nil { return own }
        return try first(.baseRecord, Self.baseRecord, .integer(layer.base), .text(id), read: Self.stored)
    }

    func subject(of id: Record.ID, in layer: ServerLayer) throws -> Subject? {
        try statements.prepared(composed: Self.subjects)
            .rows([.integer(layer.id), .integer(layer.base), .text(id)]) { row in
                Subject(try Self.type(row.text(0)), createdBy: row.optionalText(1), group: row.optionalText(2))
            }.first
    }

    func changed(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [ServerRecord] {
        try intact(
            .record, Self.changedRecords, .integer(layer.id), .integer(revision), limit: limit, read: Self.stored)
    }

    func departures(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [Departure] {
        try intact(.departure, Self.departures, .integer(layer.id), .integer(revision), limit: limit) { row in
            Departure(
                id: row.text(2), revision: row.integer(1),
                subject: Subject(
                    try Self.type(row.text(3)), createdBy: row.optionalText(4), group: row.optionalText(5)),
                at: Timestamp(milliseconds: row.integer(6)))
        }
    }

    func thread(of root: Record.ID, in layer: ServerLayer) throws -> [ServerRecord] {
        try intact(
            .record, Self.thread, .integer(layer.id), .integer(layer.base), .text(root), read: Self.stored)
    }

    func marks(ofThread root: Record.ID, in layer: ServerLayer) throws -> [RecordMark] {
        try statements.prepared(composed: Self.threadMarks)
            .rows([.integer(layer.id), .integer(layer.base), .text(root)]) { row in
                let type = try Self.type(row.text(2))
                let subject = Subject(type, createdBy: row.optionalText(3), group: row.optionalText(4))
                return RecordMark(id: row.text(0), revision: row.integer(1), subject: subject)
            }
    }

    func cascade(of revision: Revision, in layer: ServerLayer) throws -> [ServerRecord] {
        try intact(.record, Self.cascade, .integer(layer.id), .integer(revision), read: Self.stored)
    }

    func put(_ stored: ServerRecord, in layer: ServerLayer) throws {
        let values: [SQLValue] = [
            .integer(layer.id), .text(stored.id), .text(stored.record.content.text),
            .text(stored.contentType.rawValue), .text(stored.rootID), .text(stored.record.createdBy),
            .text(stored.record.updatedBy), .text(stored.record.group), .integer(stored.revision),
            .text(stored.run.client), .integer(stored.run.start), .integer(stored.removal?.at.milliseconds),
            .text(stored.removal?.by), .text(stored.removal?.client), .integer(stored.removal?.cascade),
            .text(stored.record.content.attachmentID?.hex), .integer(stored.isCommentThreadRoot),
        ]
        try statements.prepared(composed: Self.putRecord).run(values + [.integer(RowChecksum.of(values))])
        // A damaged row may have had any checksum, so what it added to the layer's is unknown.
        if !damage.isEmpty, damage.forget(StoredRow(.record, ["\(layer.id)", stored.id])) { try recombine(layer.id) }
    }

    func add(_ departure: Departure, in layer: ServerLayer) throws {
        try put(
            .departure, .integer(layer.id), .integer(departure.revision), .text(departure.id),
            .text(departure.subject.contentType.rawValue), .text(departure.subject.createdBy),
            .text(departure.subject.group), .integer(departure.at.milliseconds))
    }

    /// Replaces the layer's combined checksum.
    private func recombine(_ layer: Int64) throws {
        var tally = RowTally()
        try statements.prepared("SELECT checksum FROM record WHERE layer = ?").each([.integer(layer)]) { row in
            tally.add(row.integer(0))
        }
        try run("UPDATE layer SET sums = ? WHERE id = ?", .integer(tally.sums), .integer(layer))
    }

    // MARK: Rows

    private static let ownColumns = StoredTable.record.all
    private static let baseColumns = StoredTable.baseRecord.all

    /// Updates an existing row in place, so that a trigger sees its earlier checksum.
    private static let putRecord: String = {
        let changed = StoredTable.record.columns.dropFirst(2) + ["checksum"]
        let assignments = changed.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let values = repeatElement("?", count: StoredTable.record.columns.count + 1).joined(separator: ", ")
        return """
            INSERT INTO record (\(ownColumns)) VALUES (\(values))
            ON CONFLICT (layer, id) DO UPDATE SET \(assignments)
            """
    }()
    static let ownRecord = "SELECT \(ownColumns) FROM record WHERE layer = ? AND id = ?"
    static let baseRecord = "SELECT \(baseColumns) FROM base_record WHERE base = ? AND id = ?"

    /// Both tables are read, whether or not the first one has the record.
    private static let subjects = """
        SELECT type, created_by, grp, 0 AS place FROM record WHERE layer = ?1 AND id = ?3
        UNION ALL
        SELECT type, created_by, grp, 1 FROM base_record WHERE base = ?2 AND id = ?3
        ORDER BY place
        """

    private static let changedRecords =
        "SELECT \(ownColumns) FROM record WHERE layer = ? AND revision > ? ORDER BY revision"

    private static let departures = """
        SELECT \(StoredTable.departure.all) FROM departure WHERE layer = ? AND revision > ? ORDER BY revision
        """

    /// The indexes are named here and for cascades: otherwise SQLite would scan the whole layer to avoid sorting a few
    /// rows.
    private static func thread(_ columns: String, ofBase baseColumns: String) -> String {
        """
        SELECT \(columns) FROM record INDEXED BY record_root WHERE layer = ?1 AND root = ?3 AND removed_at IS NULL
        UNION ALL
        SELECT \(baseColumns) FROM base_record INDEXED BY base_record_root WHERE base = ?2 AND root = ?3
        AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
        ORDER BY id
        """
    }
    private static let thread = thread(ownColumns, ofBase: baseColumns)
    private static let threadMarks = thread(
        "id, revision, type, created_by, grp", ofBase: "id, 0, type, created_by, grp")
    private static let cascade =
        "SELECT \(ownColumns) FROM record INDEXED BY record_cascade WHERE layer = ? AND cascade = ? ORDER BY revision"

    /// Reads the columns of ``StoredTable/record``.
    static func stored(_ row: Columns) throws -> ServerRecord {
        var stored = ServerRecord(
            Record(
                id: row.text(1), content: Content(checked: row.text(2)), createdBy: row.optionalText(5),
                updatedBy: row.optionalText(6), group: row.optionalText(7)),
            revision: row.integer(8), contentType: try type(row.text(3)), rootID: row.optionalText(4),
            isCommentThreadRoot: row.flag(16),
            run: ServerRecord.Run(client: row.optionalText(9), start: row.integer(10)))
        if let at = row.optionalInteger(11) {
            stored.removal = ServerRecord.Removal(
                by: row.optionalText(12), client: row.optionalText(13), cascade: row.optionalInteger(14),
                at: Timestamp(milliseconds: at))
        }
        return stored
    }

    static func type(_ name: String) throws -> ContentType {
        guard let type = ContentType(rawValue: name) else { throw StoreError.unusable("a record", "unknown type") }
        return type
    }
}
