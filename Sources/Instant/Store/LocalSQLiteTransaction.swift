import Annotations
import GRDB
import InstantCore
import SQLite
import SyncProtocol

import struct Annotations.Record

/// The contract of the store on one connection, inside one transaction.
struct LocalSQLiteTransaction: WritableLayer, SQLTransaction {
    let db: Database
    let statements: Statements
    let known: LayerMetadataCache
}

extension LocalSQLiteTransaction {
    /// Reads `one`, `json`, `last_n` and `cursor_revision`. A file written by an older version, which lacks the last
    /// two columns, may be read without being upgraded.
    func metadata() throws -> LayerMetadata {
        let metadata = try one("SELECT * FROM facts") { row in
            var metadata = try known.read(row.bytes(1))
            guard row.count > 2 else { return metadata }
            if let moved = row.optionalInteger(2) { metadata.lastN = moved }
            if let moved = row.optionalInteger(3) { metadata.cursor?.revision = moved }
            return metadata
        }
        guard let metadata else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it does not name its layer")
        }
        return metadata
    }

    /// Whether ``set(_:)`` was ever called: a new file is empty.
    func hasMetadata() throws -> Bool { try number("SELECT count(*) FROM facts") > 0 }

    /// Writes a new row; its JSON includes the values stored separately since the last call.
    func set(_ metadata: LayerMetadata) throws {
        let json = metadata.json
        try run("INSERT OR REPLACE INTO facts(one, json) VALUES (1, ?)", .text(json))
        known.note(metadata, text: json)
    }

    func moveCursor(to revision: Revision) throws {
        try run("UPDATE facts SET cursor_revision = ?", .integer(revision))
    }

    func setLastN(_ n: Int64) throws { try run("UPDATE facts SET last_n = ?", .integer(n)) }

    private func stored(_ row: Columns) -> StoredRecord {
        StoredRecord(
            Record(
                id: row.text(0), content: Content(checked: row.text(2)), createdBy: row.optionalText(3),
                updatedBy: row.optionalText(4), group: row.optionalText(5)),
            row.integer(1))
    }

    func record(_ id: Record.ID) throws -> StoredRecord? {
        try one(
            "SELECT id, revision, content, created_by, updated_by, grp FROM record WHERE id = ?", .text(id),
            read: stored)
    }

    func records(after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try all(
            """
            SELECT id, revision, content, created_by, updated_by, grp FROM record WHERE id > ? ORDER BY id LIMIT ?
            """, .text(id ?? ""), .integer(limit), read: stored)
    }

    func put(_ stored: StoredRecord) throws {
        let record = stored.record
        try run(
            """
            INSERT OR REPLACE INTO record(id, revision, content, created_by, updated_by, grp)
            VALUES (?, ?, ?, ?, ?, ?)
            """, .text(record.id), .integer(stored.revision), .text(record.content.text), .text(record.createdBy),
            .text(record.updatedBy), .text(record.group))
    }

    func removeRecord(_ id: Record.ID) throws { try run("DELETE FROM record WHERE id = ?", .text(id)) }

    func stage(_ stored: StoredRecord) throws {
        let record = stored.record
        try run(
            """
            INSERT OR REPLACE INTO staged(id, revision, content, created_by, updated_by, grp)
            VALUES (?, ?, ?, ?, ?, ?)
            """, .text(record.id), .integer(stored.revision), .text(record.content.text), .text(record.createdBy),
            .text(record.updatedBy), .text(record.group))
    }

    func clearStage() throws { try run("DELETE FROM staged") }

    func staged(after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try all(
            """
            SELECT id, revision, content, created_by, updated_by, grp FROM staged WHERE id > ? ORDER BY id LIMIT ?
            """, .text(id ?? ""), .integer(limit), read: stored)
    }

    func isStaged(_ id: Record.ID) throws -> Bool {
        try number("SELECT count(*) FROM staged WHERE id = ?", .text(id)) > 0
    }

    func stagedRecord(_ id: Record.ID) throws -> StoredRecord? {
        try one(
            "SELECT id, revision, content, created_by, updated_by, grp FROM staged WHERE id = ?", .text(id),
            read: stored)
    }

    func digest() throws -> ViewDigest {
        var digest = ViewDigest()
        try statements.prepared("SELECT id, revision FROM record").each([]) { digest.add($0.text(0), $0.integer(1)) }
        return digest
    }
}
