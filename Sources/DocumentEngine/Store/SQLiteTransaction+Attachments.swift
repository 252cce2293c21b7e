import Annotations
import EngineCore
import GRDB

extension SQLiteTransaction {
    func attachment(_ id: AttachmentID, of document: String) throws -> StoredAttachment? {
        try one(
            "SELECT * FROM attachment WHERE document = ? AND sha256 = ?", [document, id.hex], Self.attachment
        ) ?? nil
    }

    func attachments(of document: String) throws -> [StoredAttachment] {
        try all("SELECT * FROM attachment WHERE document = ? ORDER BY sha256", [document], Self.attachment)
            .compactMap(\.self)
    }

    func unnamedAttachments(before moment: Timestamp, limit: Int) throws -> [StoredAttachment] {
        try all(
            """
            SELECT * FROM attachment WHERE at < ?1 AND NOT EXISTS (
                SELECT 1 FROM layer JOIN record ON record.layer = layer.id AND record.attachment = attachment.sha256
                WHERE layer.document = attachment.document)
            AND NOT EXISTS (
                SELECT 1 FROM document JOIN base_record
                ON base_record.base = document.base AND base_record.attachment = attachment.sha256
                WHERE document.id = attachment.document)
            ORDER BY sha256 LIMIT ?2
            """, [moment.milliseconds, limit], Self.attachment
        ).compactMap(\.self)
    }

    func isAttachmentKept(_ id: AttachmentID) throws -> Bool {
        try one("SELECT 1 FROM attachment WHERE sha256 = ?", [id.hex]) { _ in true } ?? false
    }

    private static let recordsNaming = """
        SELECT \(ownColumns) FROM record WHERE layer = ?1 AND attachment = ?3 AND removed_at IS NULL
        UNION ALL
        SELECT \(baseColumns) FROM base_record WHERE base = ?2 AND attachment = ?3
        AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
        ORDER BY id
        """

    func records(naming id: AttachmentID, in layer: StoredLayer) throws -> [StoredRecord] {
        try all(Self.recordsNaming, [layer.id, layer.base, id.hex], Self.stored)
    }

    func put(_ attachment: StoredAttachment) throws {
        try run(
            "INSERT OR REPLACE INTO attachment VALUES (?, ?, ?, ?)",
            [attachment.document, attachment.id.hex, attachment.bytes, attachment.at.milliseconds])
    }

    func removeAttachment(_ id: AttachmentID, of document: String) throws {
        try run("DELETE FROM attachment WHERE document = ? AND sha256 = ?", [document, id.hex])
    }

    private static func attachment(_ row: Row) throws -> StoredAttachment? {
        AttachmentID(row["sha256"]).map {
            StoredAttachment(
                $0, document: row["document"], bytes: row["bytes"], at: Timestamp(milliseconds: row["at"]))
        }
    }
}
