import Annotations
import Authorization
import EngineCore
import GRDB
import SyncProtocol

extension SQLiteTransaction {
    func record(_ id: Record.ID, in layer: StoredLayer) throws -> StoredRecord? {
        try one("SELECT * FROM record WHERE layer = ? AND id = ?", [layer.id, id], Self.own)
            ?? one("SELECT * FROM base_record WHERE base = ? AND id = ?", [layer.base, id], Self.base)
    }

    /// The two are merged as they come out of their indexes: not wrapped in a further SELECT, which would sort them all.
    func live(in layer: StoredLayer, after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try all(
            """
            SELECT id, content, type, root, created_by, updated_by, grp, revision, run_client, run_start,
                removed_at, removed_by, removed_client, cascade
            FROM record WHERE layer = ?1 AND id > ?3 AND removed_at IS NULL
            UNION ALL
            SELECT id, content, type, root, created_by, updated_by, grp, 0, NULL, 0, NULL, NULL, NULL, NULL
            FROM base_record WHERE base = ?2 AND id > ?3
            AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
            ORDER BY id LIMIT ?4
            """, [layer.id, layer.base, id ?? "", limit], Self.own)
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
        try all(
            "SELECT * FROM record WHERE layer = ? AND revision > ? ORDER BY revision LIMIT ?",
            [layer.id, revision, limit], Self.own)
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

    /// Named indexes, here and for cascades: to save a sort of a few rows SQLite would walk the whole layer.
    func thread(of root: Record.ID, in layer: StoredLayer) throws -> [StoredRecord] {
        try all(
            """
            SELECT id, content, type, root, created_by, updated_by, grp, revision, run_client, run_start,
                removed_at, removed_by, removed_client, cascade
            FROM record INDEXED BY record_root WHERE layer = ?1 AND root = ?3 AND removed_at IS NULL
            UNION ALL
            SELECT id, content, type, root, created_by, updated_by, grp, 0, NULL, 0, NULL, NULL, NULL, NULL
            FROM base_record INDEXED BY base_record_root WHERE base = ?2 AND root = ?3
            AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
            ORDER BY id
            """, [layer.id, layer.base, root], Self.own)
    }

    func cascade(of revision: Revision, in layer: StoredLayer) throws -> [StoredRecord] {
        try all(
            "SELECT * FROM record INDEXED BY record_cascade WHERE layer = ? AND cascade = ? ORDER BY revision",
            [layer.id, revision], Self.own)
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

    static func own(_ row: Row) throws -> StoredRecord {
        var stored = StoredRecord(
            record(row), revision: row["revision"], contentType: try type(row), rootID: row["root"],
            run: StoredRecord.Run(client: row["run_client"], start: row["run_start"]))
        if let at: Int64 = row["removed_at"] {
            stored.removal = StoredRecord.Removal(
                by: row["removed_by"], client: row["removed_client"], cascade: row["cascade"],
                at: Timestamp(milliseconds: at))
        }
        return stored
    }

    private static func base(_ row: Row) throws -> StoredRecord {
        StoredRecord(
            record(row), revision: 0, contentType: try type(row), rootID: row["root"],
            run: StoredRecord.Run(client: nil, start: 0))
    }

    private static func record(_ row: Row) -> Record {
        Record(
            id: row["id"], content: Content(checked: row["content"]), createdBy: row["created_by"],
            updatedBy: row["updated_by"], group: row["grp"])
    }

    private static func type(_ row: Row) throws -> ContentType {
        guard let type = ContentType(rawValue: row["type"]) else {
            throw StoreError.unusable("a record", "unknown type")
        }
        return type
    }
}
