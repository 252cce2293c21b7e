import Annotations
import Authorization
import EngineCore
import SQLite

extension SQLiteTransaction {
    func attachment(_ id: AttachmentID, of document: String) throws -> StoredAttachment? {
        try first(
            .attachment, "SELECT \(StoredTable.attachment.all) FROM attachment WHERE document = ? AND sha256 = ?",
            .text(document), .text(id.hex), read: Self.attachment
        ) ?? nil
    }

    func attachments(of document: String) throws -> [StoredAttachment] {
        try intact(
            .attachment, "SELECT \(StoredTable.attachment.all) FROM attachment WHERE document = ? ORDER BY sha256",
            .text(document), read: Self.attachment
        ).compactMap(\.self)
    }

    func unnamedAttachments(before moment: Timestamp, limit: Int) throws -> [StoredAttachment] {
        try intact(
            .attachment,
            """
            SELECT \(StoredTable.attachment.all) FROM attachment WHERE at < ?1 AND NOT EXISTS (
                SELECT 1 FROM layer JOIN record ON record.layer = layer.id AND record.attachment = attachment.sha256
                WHERE layer.document = attachment.document)
            AND NOT EXISTS (
                SELECT 1 FROM document JOIN base_record
                ON base_record.base = document.base AND base_record.attachment = attachment.sha256
                WHERE document.id = attachment.document)
            ORDER BY sha256 LIMIT ?2
            """, .integer(moment.milliseconds), .integer(limit), read: Self.attachment
        ).compactMap(\.self).filter { attachment in
            // A damaged document names another base.
            do { _ = try document(attachment.document) } catch is DamagedRow { return false }
            return true
        }
    }

    func isAttachmentKept(_ id: AttachmentID) throws -> Bool {
        try one("SELECT 1 FROM attachment WHERE sha256 = ?", .text(id.hex)) { _ in true } ?? false
    }

    func marks(naming id: AttachmentID, in layer: ServerLayer) throws -> [RecordMark] {
        try statements.prepared(composed: Self.marksNaming)
            .rows([.integer(layer.id), .integer(layer.base), .text(id.hex)]) { row in
                RecordMark(
                    id: row.text(0), revision: row.integer(1),
                    subject: Subject(
                        try Self.type(row.text(2)), createdBy: row.optionalText(3), group: row.optionalText(4)))
            }
    }

    private static let marksNaming = """
        SELECT id, revision, type, created_by, grp FROM record INDEXED BY record_attachment
        WHERE layer = ?1 AND attachment = ?3 AND removed_at IS NULL
        UNION ALL
        SELECT id, 0, type, created_by, grp FROM base_record INDEXED BY base_record_attachment
        WHERE base = ?2 AND attachment = ?3
        AND NOT EXISTS (SELECT 1 FROM record WHERE layer = ?1 AND record.id = base_record.id)
        ORDER BY id
        """

    func put(_ attachment: StoredAttachment) throws {
        try put(
            .attachment, .text(attachment.document), .text(attachment.id.hex), .integer(attachment.bytes),
            .integer(attachment.at.milliseconds))
    }

    func removeAttachment(_ id: AttachmentID, of document: String) throws {
        try run("DELETE FROM attachment WHERE document = ? AND sha256 = ?", .text(document), .text(id.hex))
        try run(
            "DELETE FROM upload WHERE layer IN (SELECT id FROM layer WHERE document = ?) AND sha256 = ?",
            .text(document), .text(id.hex))
    }

    func isUploaded(_ id: AttachmentID, by user: String?, in layer: ServerLayer) throws -> Bool {
        try !intact(
            .upload, "SELECT \(StoredTable.upload.all) FROM upload WHERE layer = ? AND sha256 = ? AND user_id = ?",
            .integer(layer.id), .text(id.hex), .text(user ?? "")
        ) { _ in true }.isEmpty
    }

    func addUpload(of id: AttachmentID, by user: String?, in layer: ServerLayer) throws {
        try put(.upload, .integer(layer.id), .text(id.hex), .text(user ?? ""))
    }

    private static func attachment(_ row: Columns) throws -> StoredAttachment? {
        AttachmentID(row.text(1)).map {
            StoredAttachment(
                $0, document: row.text(0), bytes: row.integer(2), at: Timestamp(milliseconds: row.integer(3)))
        }
    }
}
