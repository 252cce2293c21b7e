import Annotations
import Authorization
import EngineCore
import GRDB
import SyncProtocol

extension SQLiteTransaction {
    func record(_ id: Record.ID, in layer: StoredLayer) throws -> StoredRecord? {
        try one(Self.ownRecord, [layer.id, id], Self.stored) ?? one(Self.baseRecord, [layer.base, id], Self.stored)
    }

    func live(in layer: StoredLayer, after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try all(Self.liveRecords, [layer.id, layer.base, id ?? "", limit], Self.stored)
    }

    func marks(in layer: StoredLayer, after id: Record.ID?, limit: Int) throws -> [RecordMark] {
        try all(
            """
            SELECT id, revision, type, created_by, grp FROM record
            WHERE layer = ?1 AND id > ?3 AND removed_at IS NULL
            UNION ALL
            SELECT id, 0, type, created_by, grp FROM base_record WHERE base = ?2 AND id > ?3
            AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
            ORDER BY id LIMIT ?4
            """, [layer.id, layer.base, id ?? "", limit]
        ) { row in
            RecordMark(
                id: row["id"], revision: row["revision"],
                subject: Subject(try Self.type(row), createdBy: row["created_by"], group: row["grp"]))
        }
    }

    func changed(in layer: StoredLayer, after revision: Revision, limit: Int) throws -> [StoredRecord] {
        try all(Self.changedRecords, [layer.id, revision, limit], Self.stored)
    }

    func departures(in layer: StoredLayer, after revision: Revision, limit: Int) throws -> [Departure] {
        try all(
            "SELECT * FROM departure WHERE layer = ? AND revision > ? ORDER BY revision LIMIT ?",
            [layer.id, revision, limit]
        ) { row in
            Departure(
                id: row["id"], revision: row["revision"],
                subject: Subject(
                    try Self.type(row), createdBy: row["created_by"], group: row["grp"]),
                at: Timestamp(milliseconds: row["at"]))
        }
    }

    func thread(of root: Record.ID, in layer: StoredLayer) throws -> [StoredRecord] {
        try all(Self.thread, [layer.id, layer.base, root], Self.stored)
    }

    func cascade(of revision: Revision, in layer: StoredLayer) throws -> [StoredRecord] {
        try all(Self.cascade, [layer.id, revision], Self.stored)
    }

    func put(_ stored: StoredRecord, in layer: StoredLayer) throws {
        try run(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                layer.id, stored.id, stored.record.content.text, stored.contentType.rawValue, stored.rootID,
                stored.record.createdBy, stored.record.updatedBy, stored.record.group, stored.revision,
                stored.run.client, stored.run.start, stored.removal?.at.milliseconds, stored.removal?.by,
                stored.removal?.client, stored.removal?.cascade, stored.record.content.attachmentID?.hex,
            ])
    }

    func add(_ departure: Departure, in layer: StoredLayer) throws {
        try run(
            "INSERT OR REPLACE INTO departure VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                layer.id, departure.revision, departure.id, departure.subject.contentType.rawValue,
                departure.subject.createdBy, departure.subject.group, departure.at.milliseconds,
            ])
    }

    // MARK: Rows

    /// What makes a record, in the order in which ``stored(_:)`` takes it. By place: a row looks a name up among all of
    /// its columns each time, and a snapshot has a hundred thousand rows.
    static let ownColumns = """
        id, content, type, root, created_by, updated_by, grp, revision, run_client, run_start,
        removed_at, removed_by, removed_client, cascade
        """
    /// The same of a record of the PDF itself.
    static let baseColumns = "id, content, type, root, created_by, updated_by, grp, 0, NULL, 0, NULL, NULL, NULL, NULL"

    private static let ownRecord = "SELECT \(ownColumns) FROM record WHERE layer = ? AND id = ?"
    private static let baseRecord = "SELECT \(baseColumns) FROM base_record WHERE base = ? AND id = ?"

    /// The two are merged as they come out of their indexes: not wrapped in a further SELECT, which would sort them all.
    private static let liveRecords = """
        SELECT \(ownColumns) FROM record WHERE layer = ?1 AND id > ?3 AND removed_at IS NULL
        UNION ALL
        SELECT \(baseColumns) FROM base_record WHERE base = ?2 AND id > ?3
        AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
        ORDER BY id LIMIT ?4
        """
    private static let changedRecords =
        "SELECT \(ownColumns) FROM record WHERE layer = ? AND revision > ? ORDER BY revision LIMIT ?"

    /// Named indexes, here and for cascades: to save a sort of a few rows SQLite would walk the whole layer.
    private static let thread = """
        SELECT \(ownColumns) FROM record INDEXED BY record_root WHERE layer = ?1 AND root = ?3 AND removed_at IS NULL
        UNION ALL
        SELECT \(baseColumns) FROM base_record INDEXED BY base_record_root WHERE base = ?2 AND root = ?3
        AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
        ORDER BY id
        """
    private static let cascade =
        "SELECT \(ownColumns) FROM record INDEXED BY record_cascade WHERE layer = ? AND cascade = ? ORDER BY revision"

    static func stored(_ row: Row) throws -> StoredRecord {
        guard let type = ContentType(rawValue: row[2]) else { throw StoreError.unusable("a record", "unknown type") }
        var stored = StoredRecord(
            Record(
                id: row[0], content: Content(checked: row[1]), createdBy: row[4], updatedBy: row[5], group: row[6]),
            revision: row[7], contentType: type, rootID: row[3],
            run: StoredRecord.Run(client: row[8], start: row[9]))
        if let at: Int64 = row[10] {
            stored.removal = StoredRecord.Removal(
                by: row[11], client: row[12], cascade: row[13], at: Timestamp(milliseconds: at))
        }
        return stored
    }

    private static func type(_ row: Row) throws -> ContentType {
        guard let type = ContentType(rawValue: row["type"]) else {
            throw StoreError.unusable("a record", "unknown type")
        }
        return type
    }
}
