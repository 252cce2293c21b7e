import Annotations
import EngineCore
import SQLite

extension SQLiteTransaction {
    func document(_ id: String) throws -> ServerDocument? {
        try first(.document, Self.document, .text(id), read: Self.document)
    }

    func documents(_ query: DocumentQuery) throws -> [ServerDocument] {
        let order = query.order == .title ? "title" : "created_at"
        let direction = query.descending ? "DESC" : "ASC"
        let found = """
            SELECT \(StoredTable.document.all) FROM document WHERE ?1 IS NULL OR instr(lower(title), lower(?1)) > 0
            ORDER BY \(order) \(direction), id \(direction) LIMIT ?2 OFFSET ?3
            """
        return try intact(
            .document, found, .text(query.title), .integer(query.limit), .integer(query.offset), read: Self.document)
    }

    func documentCount(_ query: DocumentQuery) throws -> Int {
        try number(
            "SELECT count(*) FROM document WHERE ?1 IS NULL OR instr(lower(title), lower(?1)) > 0", .text(query.title))
    }

    func isPDFUsed(_ sha256: String) throws -> Bool {
        try one("SELECT 1 FROM document WHERE sha256 = ?1 OR stripped_sha256 = ?1", .text(sha256)) { _ in true }
            ?? false
    }

    func put(_ document: ServerDocument) throws {
        do {
            let old = try self.document(document.id)?.base
            if let old, old != document.base { try note(unused: old, since: .startOfTime) }
        } catch is DamagedRow {}
        try forget(unused: document.base)
        try put(
            .document, .text(document.id), .text(document.title), .text(document.pdfSHA256),
            .integer(document.pdfBytes), .integer(document.createdAt.milliseconds), .integer(document.base),
            .text(document.pages.json), .integer(document.pages.count), .text(document.stripped?.sha256),
            .integer(document.stripped?.bytes))
    }

    func removeDocument(_ id: String, at moment: Timestamp) throws {
        // What a damaged row says of its base may be wrong.
        do {
            guard let document = try document(id) else { return }
            try note(unused: document.base, since: .startOfTime)
        } catch is DamagedRow {}
        try noteDeletion(of: .whole(id), at: moment)
        try removeLayers(of: id, at: moment)
        try run("DELETE FROM attachment WHERE document = ?", .text(id))
        try run("DELETE FROM document WHERE id = ?", .text(id))
    }

    // MARK: Base records. An unused set has a row among the deletions, under the empty document id, which no
    // document has.

    func unusedSince(_ base: Int64) throws -> Timestamp? {
        try first(.deletedLayer, Self.deletion, .text(""), .text(Self.unusedName(base))) {
            Timestamp(milliseconds: $0.integer(2))
        }
    }

    private static func unusedName(_ base: Int64) -> String { "*base-\(base)" }

    func unusedBases(before moment: Timestamp) throws -> [Int64] {
        try all(
            """
            SELECT CAST(substr(name, 7) AS INTEGER) AS base FROM deleted_layer WHERE document = '' AND at < ?
            ORDER BY base
            """, .integer(moment.milliseconds)
        ) { $0.integer(0) }
    }

    private func note(unused base: Int64, since moment: Timestamp) throws {
        try put(.deletedLayer, .text(""), .text(Self.unusedName(base)), .integer(moment.milliseconds))
    }

    private func forget(unused base: Int64) throws {
        try run("DELETE FROM deleted_layer WHERE document = '' AND name = '*base-' || ?", .integer(base))
    }

    func addBase(at moment: Timestamp) throws -> Int64 {
        guard let base = try one("INSERT INTO base DEFAULT VALUES RETURNING id", read: { $0.integer(0) }) else {
            throw StoreError.unusable("the base of a document", "it was not stored")
        }
        try note(unused: base, since: moment)
        return base
    }

    func add(_ records: [Record], toBase base: Int64) throws {
        var added = RowTally()
        for record in records {
            let stored = ServerRecord(base: record)
            let values: [SQLValue] = [
                .integer(base), .text(record.id), .text(record.content.text), .text(stored.contentType.rawValue),
                .text(stored.rootID), .text(record.createdBy), .text(record.updatedBy), .text(record.group),
                .text(record.content.attachmentID?.hex),
            ]
            let checksum = StoredTable.checksum(ofBaseRecord: values)
            try statements.prepared(composed: StoredTable.baseRecord.insertion).run(values + [.integer(checksum)])
            added.add(checksum)
        }
        try run(
            """
            UPDATE base SET records = records + ?1, sums = (sums | ?2) - (sums & ?2) WHERE id = ?3
            """, .integer(added.count), .integer(added.sums), .integer(base))
    }

    func removeBase(_ base: Int64, limit: Int) throws -> Int {
        guard try unusedSince(base) != nil else { return 0 }
        try note(unused: base, since: .startOfTime)
        let removed = try all(
            """
            DELETE FROM base_record WHERE rowid IN (SELECT rowid FROM base_record WHERE base = ? LIMIT ?) RETURNING 1
            """, .integer(base), .integer(limit)
        ) { _ in true }
        if removed.count < limit {
            try run("DELETE FROM base WHERE id = ?", .integer(base))
            try forget(unused: base)
        }
        return removed.count
    }

    private static let document = "SELECT \(StoredTable.document.all) FROM document WHERE id = ?"

    private static func document(_ row: Columns) throws -> ServerDocument {
        let stripped = row.optionalText(8).map { StoredPDF(sha256: $0, bytes: row.integer(9)) }
        return try ServerDocument(
            id: row.text(0), title: row.text(1), pdfSHA256: row.text(2), pdfBytes: row.integer(3), stripped: stripped,
            createdAt: Timestamp(milliseconds: row.integer(4)), base: row.integer(5),
            pages: [ServerDocument.Page](json: row.text(6)))
    }
}
