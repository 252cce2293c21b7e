import Annotations
import Authorization
import EngineCore
import SQLite
import SyncProtocol

extension SQLiteTransaction {
    func record(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord? {
        let own = try statements.prepared(composed: Self.ownRecord)
            .first([.integer(layer.id), .text(id)], Self.stored)
        if own != nil { return own }
        return try statements.prepared(composed: Self.baseRecord).first([.integer(layer.base), .text(id)], Self.stored)
    }

    func subject(of id: Record.ID, in layer: ServerLayer) throws -> Subject? {
        try statements.prepared(composed: Self.subjects)
            .rows([.integer(layer.id), .integer(layer.base), .text(id)]) { row in
                Subject(try Self.type(row.text(0)), createdBy: row.optionalText(1), group: row.optionalText(2))
            }.first
    }

    func changed(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [ServerRecord] {
        try statements.prepared(composed: Self.changedRecords)
            .rows([.integer(layer.id), .integer(revision), .integer(limit)], Self.stored)
    }

    func departures(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [Departure] {
        try all(
            """
            SELECT id, revision, type, created_by, grp, at FROM departure
            WHERE layer = ? AND revision > ? ORDER BY revision LIMIT ?
            """, .integer(layer.id), .integer(revision), .integer(limit)
        ) { row in
            Departure(
                id: row.text(0), revision: row.integer(1),
                subject: Subject(
                    try Self.type(row.text(2)), createdBy: row.optionalText(3), group: row.optionalText(4)),
                at: Timestamp(milliseconds: row.integer(5)))
        }
    }

    func thread(of root: Record.ID, in layer: ServerLayer) throws -> [ServerRecord] {
        try statements.prepared(composed: Self.thread)
            .rows([.integer(layer.id), .integer(layer.base), .text(root)], Self.stored)
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
        try statements.prepared(composed: Self.cascade).rows([.integer(layer.id), .integer(revision)], Self.stored)
    }

    func put(_ stored: ServerRecord, in layer: ServerLayer) throws {
        try run(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            .integer(layer.id), .text(stored.id), .text(stored.record.content.text),
            .text(stored.contentType.rawValue), .text(stored.rootID), .text(stored.record.createdBy),
            .text(stored.record.updatedBy), .text(stored.record.group), .integer(stored.revision),
            .text(stored.run.client), .integer(stored.run.start), .integer(stored.removal?.at.milliseconds),
            .text(stored.removal?.by), .text(stored.removal?.client), .integer(stored.removal?.cascade),
            .text(stored.record.content.attachmentID?.hex), .integer(stored.isCommentThreadRoot))
    }

    func add(_ departure: Departure, in layer: ServerLayer) throws {
        try run(
            "INSERT OR REPLACE INTO departure VALUES (?, ?, ?, ?, ?, ?, ?)", .integer(layer.id),
            .integer(departure.revision), .text(departure.id), .text(departure.subject.contentType.rawValue),
            .text(departure.subject.createdBy), .text(departure.subject.group), .integer(departure.at.milliseconds))
    }

    // MARK: Rows

    /// The columns of a record, in the order in which ``stored(_:)`` reads them.
    static let ownColumns = """
        id, content, type, root, created_by, updated_by, grp, revision, run_client, run_start,
        removed_at, removed_by, removed_client, cascade, thread_root
        """
    /// The same for a base record.
    static let baseColumns =
        "id, content, type, root, created_by, updated_by, grp, 0, NULL, 0, NULL, NULL, NULL, NULL, 0"

    private static let ownRecord = "SELECT \(ownColumns) FROM record WHERE layer = ? AND id = ?"
    private static let baseRecord = "SELECT \(baseColumns) FROM base_record WHERE base = ? AND id = ?"

    /// Reads only indexes: type, creator and group follow the content in a row, and skipping large content takes time.
    /// Reads both tables, whether or not the first one has the record.
    private static let subjects = """
        SELECT type, created_by, grp, 0 AS place FROM record INDEXED BY record_subject WHERE layer = ?1 AND id = ?3
        UNION ALL
        SELECT type, created_by, grp, 1 FROM base_record INDEXED BY base_record_subject WHERE base = ?2 AND id = ?3
        ORDER BY place
        """

    private static let changedRecords =
        "SELECT \(ownColumns) FROM record WHERE layer = ? AND revision > ? ORDER BY revision LIMIT ?"

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

    static func stored(_ row: Columns) throws -> ServerRecord {
        var stored = ServerRecord(
            Record(
                id: row.text(0), content: Content(checked: row.text(1)), createdBy: row.optionalText(4),
                updatedBy: row.optionalText(5), group: row.optionalText(6)),
            revision: row.integer(7), contentType: try type(row.text(2)), rootID: row.optionalText(3),
            isCommentThreadRoot: row.flag(14),
            run: ServerRecord.Run(client: row.optionalText(8), start: row.integer(9)))
        if let at = row.optionalInteger(10) {
            stored.removal = ServerRecord.Removal(
                by: row.optionalText(11), client: row.optionalText(12), cascade: row.optionalInteger(13),
                at: Timestamp(milliseconds: at))
        }
        return stored
    }

    static func type(_ name: String) throws -> ContentType {
        guard let type = ContentType(rawValue: name) else { throw StoreError.unusable("a record", "unknown type") }
        return type
    }
}
