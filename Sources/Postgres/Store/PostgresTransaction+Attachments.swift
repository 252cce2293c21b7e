import Annotations
import Authorization
import EngineCore

extension PostgresTransaction {
    func attachment(_ id: AttachmentID, of document: String) throws -> StoredAttachment? {
        try one(
            "SELECT document, sha256, bytes, at FROM attachment WHERE document = $1 AND sha256 = $2",
            [.text(document), .text(id.hex)], Self.attachment
        ) ?? nil
    }

    func attachments(of document: String) throws -> [StoredAttachment] {
        try all(
            "SELECT document, sha256, bytes, at FROM attachment WHERE document = $1 ORDER BY sha256", [.text(document)],
            Self.attachment
        ).compactMap(\.self)
    }

    func unnamedAttachments(before moment: Timestamp, limit: Int) throws -> [StoredAttachment] {
        try all(
            """
            SELECT document, sha256, bytes, at FROM attachment WHERE at < $1 AND NOT EXISTS (
                SELECT 1 FROM layer JOIN record ON record.layer = layer.id AND record.attachment = attachment.sha256
                WHERE layer.document = attachment.document)
            AND NOT EXISTS (
                SELECT 1 FROM document JOIN base_record
                ON base_record.base = document.base AND base_record.attachment = attachment.sha256
                WHERE document.id = attachment.document)
            ORDER BY sha256 LIMIT $2
            """, [.integer(moment.milliseconds), .integer(Int64(limit))], Self.attachment
        ).compactMap(\.self)
    }

    func isAttachmentKept(_ id: AttachmentID) throws -> Bool {
        try one("SELECT 1 FROM attachment WHERE sha256 = $1 LIMIT 1", [.text(id.hex)]) { _ in true } ?? false
    }

    func marks(naming id: AttachmentID, in layer: ServerLayer) throws -> [RecordMark] {
        try all(
            """
            SELECT id, revision, type, created_by, grp FROM record
            WHERE layer = $1 AND attachment = $3 AND removed_at IS NULL
            UNION ALL
            SELECT id, 0, type, created_by, grp FROM base_record WHERE base = $2 AND attachment = $3 AND \(Self.isNotCovered)
            ORDER BY id
            """, [.integer(layer.id), .integer(layer.base), .text(id.hex)]
        ) { RecordMark(id: $0.text(0), revision: $0.integer(1), subject: try Self.subject($0, from: 2)) }
    }

    func put(_ attachment: StoredAttachment) throws {
        try run(
            """
            INSERT INTO attachment VALUES ($1, $2, $3, $4)
            ON CONFLICT (document, sha256) DO UPDATE SET bytes = excluded.bytes, at = excluded.at
            """,
            [
                .text(attachment.document), .text(attachment.id.hex), .integer(attachment.bytes),
                .integer(attachment.at.milliseconds),
            ])
    }

    func removeAttachment(_ id: AttachmentID, of document: String) throws {
        try run("DELETE FROM attachment WHERE document = $1 AND sha256 = $2", [.text(document), .text(id.hex)])
        try run(
            "DELETE FROM upload WHERE layer IN (SELECT id FROM layer WHERE document = $1) AND sha256 = $2",
            [.text(document), .text(id.hex)])
    }

    func isUploaded(_ id: AttachmentID, by user: String?, in layer: ServerLayer) throws -> Bool {
        try one(
            "SELECT 1 FROM upload WHERE layer = $1 AND sha256 = $2 AND user_id = $3",
            [.integer(layer.id), .text(id.hex), .text(user ?? "")]
        ) { _ in true } ?? false
    }

    func addUpload(of id: AttachmentID, by user: String?, in layer: ServerLayer) throws {
        try run(
            "INSERT INTO upload VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.integer(layer.id), .text(id.hex), .text(user ?? "")])
    }

    private static func attachment(_ row: PostgresRow) throws -> StoredAttachment? {
        AttachmentID(row.text(1)).map {
            StoredAttachment(
                $0, document: row.text(0), bytes: row.integer(2), at: Timestamp(milliseconds: row.integer(3)))
        }
    }
}
