import Annotations
import GRDB
import InstantCore
import SQLite
import SyncProtocol

import struct Annotations.Record

/// The contract of the store, spoken to one connection inside one transaction.
struct LocalSQLiteTransaction: WritableLayer, SQLTransaction {
    let db: Database
    let statements: Statements
    let known: LayerMetadataCache
}

extension LocalSQLiteTransaction {
    /// `one`, `json`, `last_n` and `cursor_revision`. A file of an older program may be looked into as it is: it lacks the
    /// last two.
    func metadata() throws -> LayerMetadata {
        let facts = try one("SELECT * FROM facts") { row in
            var facts = try known.read(row.bytes(1))
            guard row.count > 2 else { return facts }
            if let moved = row.optionalInteger(2) { facts.lastN = moved }
            if let moved = row.optionalInteger(3) { facts.cursor?.revision = moved }
            return facts
        }
        guard let facts else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it does not say which layer it holds")
        }
        return facts
    }

    /// Whether ``set(_:)`` was ever called: a file that was just made holds nothing.
    func hasMetadata() throws -> Bool { try number("SELECT count(*) FROM facts") > 0 }

    /// A new row: what had moved since the last one stands in its JSON.
    func set(_ facts: LayerMetadata) throws {
        let json = facts.json
        try run("INSERT OR REPLACE INTO facts(one, json) VALUES (1, ?)", .text(json))
        known.note(facts, text: json)
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
