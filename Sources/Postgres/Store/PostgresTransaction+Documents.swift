import Annotations
import EngineCore

extension PostgresTransaction {
    private static let documentColumns =
        "id, title, sha256, bytes, created_at, base, pages, stripped_sha256, stripped_bytes"
    private static let isFound = "($1::text IS NULL OR strpos(lower(title), lower($1::text COLLATE \"C\")) > 0)"

    func document(_ id: String) throws -> ServerDocument? {
        try one("SELECT \(Self.documentColumns) FROM document WHERE id = $1", [.text(id)], Self.document)
    }

    func documents(_ query: DocumentQuery) throws -> [ServerDocument] {
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
        try one("SELECT 1 FROM document WHERE sha256 = $1 OR stripped_sha256 = $1 LIMIT 1", [.text(sha256)]) { _ in
            true
        } ?? false
    }

    func put(_ document: ServerDocument) throws {
        try lock(.document(document.id))
        let old = try one("SELECT base FROM document WHERE id = $1", [.text(document.id)]) { $0.integer(0) }
        if let old, old != document.base { try note(unused: old, since: .startOfTime) }
        try forget(unused: document.base)
        try run(
            """
            INSERT INTO document VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (id) DO UPDATE SET title = excluded.title, sha256 = excluded.sha256, bytes = excluded.bytes,
                created_at = excluded.created_at, base = excluded.base, pages = excluded.pages,
                page_count = excluded.page_count, stripped_sha256 = excluded.stripped_sha256,
                stripped_bytes = excluded.stripped_bytes
            """,
            [
                .text(document.id), .text(document.title), .text(document.pdfSHA256), .integer(document.pdfBytes),
                .integer(document.createdAt.milliseconds), .integer(document.base), .text(document.pages.json),
                .integer(Int64(document.pages.count)), PostgresValue(document.stripped?.sha256),
                PostgresValue(document.stripped?.bytes),
            ])
    }

    func removeDocument(_ id: String, at moment: Timestamp) throws {
        // Locks others out of all layers of the document, so that none of them has to be locked separately.
        try lock(.document(id))
        guard let document = try document(id) else { return }
        try run(
            """
            INSERT INTO deleted_layer
            SELECT document, name, $2 FROM layer WHERE document = $1 AND left(name, 1) <> '*'
            ON CONFLICT (document, name) DO UPDATE SET at = greatest(deleted_layer.at, excluded.at)
            """, [.text(id), .integer(moment.milliseconds)])
        try noteDeletion(of: .whole(id), at: moment)
        // The same key as ``LayerKey/removed(_:)``.
        try run("UPDATE layer SET document = '', name = '*gone-' || id WHERE document = $1", [.text(id)])
        try note(unused: document.base, since: .startOfTime)
        try run("DELETE FROM attachment WHERE document = $1", [.text(id)])
        try run("DELETE FROM document WHERE id = $1", [.text(id)])
    }

    // MARK: Base records. An unused set has a row among the deletions, under the empty document id.

    private static func key(ofUnused base: Int64) -> LayerKey { LayerKey(document: "", name: "*base-\(base)") }

    func unusedSince(_ base: Int64) throws -> Timestamp? { try deletion(of: Self.key(ofUnused: base)) }

    func unusedBases(before moment: Timestamp) throws -> [Int64] {
        try all(
            """
            SELECT substr(name, 7)::bigint AS base FROM deleted_layer WHERE document = '' AND at < $1 ORDER BY base
            """, [.integer(moment.milliseconds)]
        ) { $0.integer(0) }
    }

    private func note(unused base: Int64, since moment: Timestamp) throws {
        let key = Self.key(ofUnused: base)
        try run(
            """
            INSERT INTO deleted_layer VALUES ($1, $2, $3) ON CONFLICT (document, name) DO UPDATE SET at = excluded.at
            """, [.text(key.document), .text(key.name), .integer(moment.milliseconds)])
    }

    private func forget(unused base: Int64) throws {
        let key = Self.key(ofUnused: base)
        try run("DELETE FROM deleted_layer WHERE document = $1 AND name = $2", [.text(key.document), .text(key.name)])
    }

    func addBase(at moment: Timestamp) throws -> Int64 {
        let base = try one("SELECT nextval('base')", []) { $0.integer(0) } ?? 0
        try note(unused: base, since: moment)
        return base
    }

    func add(_ records: [Record], toBase base: Int64) throws {
        for record in records {
            let stored = ServerRecord(base: record)
            try run(
                "INSERT INTO base_record VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                [
                    .integer(base), .text(record.id), .text(record.content.text), .text(stored.contentType.rawValue),
                    PostgresValue(stored.rootID), PostgresValue(record.createdBy), PostgresValue(record.updatedBy),
                    PostgresValue(record.group), PostgresValue(record.content.attachmentID?.hex),
                ])
        }
    }

    func removeBase(_ base: Int64, limit: Int) throws -> Int {
        // Two servers may remove the same set.
        try lock(Self.key(ofUnused: base))
        guard try unusedSince(base) != nil else { return 0 }
        try note(unused: base, since: .startOfTime)
        let removed = try remove(from: "base_record", where: "base", is: base, limit: limit)
        if removed < limit { try forget(unused: base) }
        return removed
    }

    private static func document(_ row: PostgresRow) throws -> ServerDocument {
        let stripped = row.optionalText(7).map { StoredPDF(sha256: $0, bytes: row.integer(8)) }
        return try ServerDocument(
            id: row.text(0), title: row.text(1), pdfSHA256: row.text(2), pdfBytes: row.integer(3), stripped: stripped,
            createdAt: Timestamp(milliseconds: row.integer(4)), base: row.integer(5),
            pages: [ServerDocument.Page](json: row.text(6)))
    }
}
