import Annotations
import EngineCore

extension PostgresTransaction {
    private static let documentColumns = "id, title, sha256, bytes, created_at, base, pages"
    private static let isFound = "($1::text IS NULL OR strpos(lower(title), lower($1::text COLLATE \"C\")) > 0)"

    func document(_ id: String) throws -> StoredDocument? {
        try one("SELECT \(Self.documentColumns) FROM document WHERE id = $1", [.text(id)], Self.document)
    }

    func documents(_ query: DocumentQuery) throws -> [StoredDocument] {
        let order = query.order == .title ? "title" : "created_at"
        let direction = query.descending ? "DESC" : "ASC"
        return try all(
            """
            SELECT \(Self.documentColumns) FROM document WHERE \(Self.isFound)
            ORDER BY \(order) \(direction), id \(direction) LIMIT $2 OFFSET $3
            """, [PostgresValue(query.title), .integer(Int64(query.limit)), .integer(Int64(query.offset))],
            Self.document)
    }

    func documentCount(_ query: DocumentQuery) throws -> Int {
        try one("SELECT count(*) FROM document WHERE \(Self.isFound)", [PostgresValue(query.title)]) {
            Int($0.integer(0))
        } ?? 0
    }

    func isPDFUsed(_ sha256: String) throws -> Bool {
        try one("SELECT 1 FROM document WHERE sha256 = $1 LIMIT 1", [.text(sha256)]) { _ in true } ?? false
    }

    func put(_ document: StoredDocument) throws {
        try hold(.document(document.id))
        try run(
            """
            INSERT INTO document VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (id) DO UPDATE SET title = excluded.title, sha256 = excluded.sha256, bytes = excluded.bytes,
                created_at = excluded.created_at, base = excluded.base, pages = excluded.pages,
                page_count = excluded.page_count
            """,
            [
                .text(document.id), .text(document.title), .text(document.pdfSHA256), .integer(document.pdfBytes),
                .integer(document.createdAt.milliseconds), .integer(document.base), .text(document.pages.json),
                .integer(Int64(document.pages.count)),
            ])
    }

    func addBase(_ records: [Record]) throws -> Int64 {
        let base = try one("SELECT nextval('base')", []) { $0.integer(0) } ?? 0
        for record in records {
            let stored = StoredRecord(base: record)
            try run(
                "INSERT INTO base_record VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                [
                    .integer(base), .text(record.id), .text(record.content.text), .text(stored.contentType.rawValue),
                    PostgresValue(stored.rootID), PostgresValue(record.createdBy), PostgresValue(record.updatedBy),
                    PostgresValue(record.group), PostgresValue(record.content.attachmentID?.hex),
                ])
        }
        return base
    }

    func removeBase(_ base: Int64) throws { try run("DELETE FROM base_record WHERE base = $1", [.integer(base)]) }

    func removeDocument(_ id: String, at moment: Timestamp) throws {
        try hold(.document(id))
        guard let document = try document(id) else { return }
        for layer in try layers(of: id) { try removeLayer(layer, at: moment) }
        try removeBase(document.base)
        try run("DELETE FROM attachment WHERE document = $1", [.text(id)])
        try run("DELETE FROM document WHERE id = $1", [.text(id)])
    }

    private static func document(_ row: PostgresRow) throws -> StoredDocument {
        try StoredDocument(
            id: row.text(0), title: row.text(1), pdfSHA256: row.text(2), pdfBytes: row.integer(3),
            createdAt: Timestamp(milliseconds: row.integer(4)), base: row.integer(5),
            pages: [StoredDocument.Page](json: row.text(6)))
    }
}
