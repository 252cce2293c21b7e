import Annotations
import EngineCore
import GRDB

extension SQLiteTransaction {
    func document(_ id: String) throws -> StoredDocument? {
        try one("SELECT * FROM document WHERE id = ?", [id], Self.document)
    }

    func documents(_ query: DocumentQuery) throws -> [StoredDocument] {
        let order = query.order == .title ? "title" : "created_at"
        let direction = query.descending ? "DESC" : "ASC"
        return try all(
            """
            SELECT * FROM document WHERE ?1 IS NULL OR instr(lower(title), lower(?1)) > 0
            ORDER BY \(order) \(direction), id \(direction) LIMIT ?2 OFFSET ?3
            """, [query.title, query.limit, query.offset], Self.document)
    }

    func documentCount(_ query: DocumentQuery) throws -> Int {
        try one(
            "SELECT count(*) FROM document WHERE ?1 IS NULL OR instr(lower(title), lower(?1)) > 0", [query.title]
        ) { $0[0] } ?? 0
    }

    func isPDFUsed(_ sha256: String) throws -> Bool {
        try one("SELECT 1 FROM document WHERE sha256 = ?", [sha256]) { _ in true } ?? false
    }

    func put(_ document: StoredDocument) throws {
        try run(
            "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                document.id, document.title, document.pdfSHA256, document.pdfBytes, document.createdAt.milliseconds,
                document.base, document.pages.json, document.pages.count,
            ])
    }

    func addBase(_ records: [Record]) throws -> Int64 {
        try run("INSERT INTO base DEFAULT VALUES", [])
        let base = database.lastInsertedRowID
        for record in records {
            let stored = StoredRecord(base: record)
            try run(
                "INSERT INTO base_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    base, record.id, record.content.text, stored.contentType.rawValue, stored.rootID,
                    record.createdBy, record.updatedBy, record.group, record.content.attachmentID?.hex,
                ])
        }
        return base
    }

    func removeBase(_ base: Int64) throws {
        try run("DELETE FROM base_record WHERE base = ?", [base])
        try run("DELETE FROM base WHERE id = ?", [base])
    }

    func removeDocument(_ id: String, at moment: Timestamp) throws {
        guard let document = try document(id) else { return }
        for name in try layerNames(of: id) {
            guard let layer = try layer(LayerKey(document: id, name: name)) else { continue }
            try removeLayer(layer, at: moment)
        }
        try removeBase(document.base)
        try run("DELETE FROM attachment WHERE document = ?", [id])
        try run("DELETE FROM document WHERE id = ?", [id])
    }

    private static func document(_ row: Row) throws -> StoredDocument {
        try StoredDocument(
            id: row["id"], title: row["title"], pdfSHA256: row["sha256"], pdfBytes: row["bytes"],
            createdAt: Timestamp(milliseconds: row["created_at"]), base: row["base"],
            pages: [StoredDocument.Page](json: row["pages"]))
    }
}
