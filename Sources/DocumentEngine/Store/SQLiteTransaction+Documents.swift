import Annotations
import EngineCore
import SQLite

extension SQLiteTransaction {
    func document(_ id: String) throws -> StoredDocument? {
        try statements.prepared(composed: Self.document).first([.text(id)], Self.document)
    }

    func documents(_ query: DocumentQuery) throws -> [StoredDocument] {
        let order = query.order == .title ? "title" : "created_at"
        let direction = query.descending ? "DESC" : "ASC"
        let found = """
            SELECT \(Self.columns) FROM document WHERE ?1 IS NULL OR instr(lower(title), lower(?1)) > 0
            ORDER BY \(order) \(direction), id \(direction) LIMIT ?2 OFFSET ?3
            """
        return try statements.prepared(composed: found)
            .rows([.text(query.title), .integer(query.limit), .integer(query.offset)], Self.document)
    }

    func documentCount(_ query: DocumentQuery) throws -> Int {
        try number(
            "SELECT count(*) FROM document WHERE ?1 IS NULL OR instr(lower(title), lower(?1)) > 0", .text(query.title))
    }

    func isPDFUsed(_ sha256: String) throws -> Bool {
        try one("SELECT 1 FROM document WHERE sha256 = ?", .text(sha256)) { _ in true } ?? false
    }

    func put(_ document: StoredDocument) throws {
        defer { memory?.forget() }
        try run(
            "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .text(document.id),
            .text(document.title), .text(document.pdfSHA256), .integer(document.pdfBytes),
            .integer(document.createdAt.milliseconds), .integer(document.base), .text(document.pages.json),
            .integer(document.pages.count))
    }

    func addBase(_ records: [Record]) throws -> Int64 {
        guard let base = try one("INSERT INTO base DEFAULT VALUES RETURNING id", read: { $0.integer(0) }) else {
            throw StoreError.unusable("the base of a document", "it was not kept")
        }
        for record in records {
            let stored = StoredRecord(base: record)
            try run(
                "INSERT INTO base_record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", .integer(base), .text(record.id),
                .text(record.content.text), .text(stored.contentType.rawValue), .text(stored.rootID),
                .text(record.createdBy), .text(record.updatedBy), .text(record.group),
                .text(record.content.attachmentID?.hex))
        }
        return base
    }

    func removeBase(_ base: Int64) throws {
        defer { memory?.forget() }
        try run("DELETE FROM base_record WHERE base = ?", .integer(base))
        try run("DELETE FROM base WHERE id = ?", .integer(base))
    }

    func removeDocument(_ id: String, at moment: Timestamp) throws {
        defer { memory?.forget() }
        guard let document = try document(id) else { return }
        for layer in try layers(of: id) { try removeLayer(layer, at: moment) }
        try removeBase(document.base)
        try run("DELETE FROM attachment WHERE document = ?", .text(id))
        try run("DELETE FROM document WHERE id = ?", .text(id))
    }

    private static let columns = "id, title, sha256, bytes, created_at, base, pages"
    private static let document = "SELECT \(columns) FROM document WHERE id = ?"

    private static func document(_ row: Columns) throws -> StoredDocument {
        try StoredDocument(
            id: row.text(0), title: row.text(1), pdfSHA256: row.text(2), pdfBytes: row.integer(3),
            createdAt: Timestamp(milliseconds: row.integer(4)), base: row.integer(5),
            pages: [StoredDocument.Page](json: row.text(6)))
    }
}
