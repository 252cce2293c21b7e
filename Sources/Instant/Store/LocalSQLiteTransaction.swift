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
    let damage: DamageLog
}

extension LocalSQLiteTransaction {
    /// Reads `one`, `json`, `last_n`, `cursor_revision` and `checksum`. A file written by an older version, which lacks
    /// the last columns, may be read without being upgraded.
    func metadata() throws -> LayerMetadata {
        let metadata = try one("SELECT * FROM facts") { row in
            guard row.count < 5 || row.isIntact(3, from: 1) else { throw Self.corrupt("its metadata has changed") }
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
        try run(
            "INSERT OR REPLACE INTO facts(one, json, checksum) VALUES (1, ?, ?)", .text(json),
            .integer(RowChecksum.of([.text(json), .null, .null])))
        known.note(metadata, text: json)
    }

    func moveCursor(to revision: Revision) throws {
        try run(
            "UPDATE facts SET cursor_revision = ?1, checksum = row_checksum(json, last_n, ?1)", .integer(revision))
    }

    func setLastN(_ n: Int64) throws {
        try run("UPDATE facts SET last_n = ?1, checksum = row_checksum(json, ?1, cursor_revision)", .integer(n))
    }

    func record(_ id: Record.ID) throws -> StoredRecord? {
        try one("SELECT * FROM record WHERE id = ?", .text(id)) { stored($0, or: { .record($0) }) } ?? nil
    }

    func records(after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try ascending("SELECT * FROM record WHERE id > ? ORDER BY id", after: id, limit) { .record($0) }
    }

    func put(_ stored: StoredRecord) throws {
        let values = Self.values(stored)
        try run(
            """
            INSERT OR REPLACE INTO record(id, revision, content, created_by, updated_by, grp, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, all: values)
        damage.forget(.record(stored.id))
    }

    func removeRecord(_ id: Record.ID) throws {
        try run("DELETE FROM record WHERE id = ?", .text(id))
        damage.forget(.record(id))
    }

    func stage(_ stored: StoredRecord) throws {
        try run(
            """
            INSERT OR REPLACE INTO staged(id, revision, content, created_by, updated_by, grp, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, all: Self.values(stored))
        damage.forget(.staged(stored.id))
    }

    func clearStage() throws { try run("DELETE FROM staged") }

    func staged(after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try ascending("SELECT * FROM staged WHERE id > ? ORDER BY id", after: id, limit) { .staged($0) }
    }

    func isStaged(_ id: Record.ID) throws -> Bool {
        try number("SELECT count(*) FROM staged WHERE id = ?", .text(id)) > 0
    }

    func stagedRecord(_ id: Record.ID) throws -> StoredRecord? {
        try one("SELECT * FROM staged WHERE id = ?", .text(id)) { stored($0, or: { .staged($0) }) } ?? nil
    }

    /// Damaged records do not count, so that the comparison with the server makes the client load them again.
    func digest() throws -> ViewDigest {
        var digest = ViewDigest()
        try statements.prepared("SELECT * FROM record").each([]) { row in
            if let record = stored(row, or: { .record($0) }) { digest.add(record.id, record.revision) }
        }
        return digest
    }
}

extension LocalSQLiteTransaction {
    static func corrupt(_ what: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_CORRUPT, message: what) }

    /// Whether the first columns have the checksum that follows them. A file of an older program may be read unchanged:
    /// it lacks checksums.
    static func isIntact(_ row: Columns, _ count: Int32) -> Bool { row.count <= count || row.isIntact(count) }

    /// The values of a record with their checksum.
    private static func values(_ stored: StoredRecord) -> [SQLValue] {
        let record = stored.record
        var values: [SQLValue] = [
            .text(record.id), .integer(stored.revision), .text(record.content.text), .text(record.createdBy),
            .text(record.updatedBy), .text(record.group), .null,
        ]
        // In place, because a first sync does this 100,000 times.
        values[6] = .integer(RowChecksum.of(values[..<6]))
        return values
    }

    /// - Returns: nil for a damaged row, which is noted.
    func stored(_ row: Columns, or named: (Record.ID) -> StoredDamage) -> StoredRecord? {
        guard Self.isIntact(row, 6) else {
            damage.note(named(row.text(0)))
            return nil
        }
        return StoredRecord(
            Record(
                id: row.text(0), content: Content(checked: row.text(2)), createdBy: row.optionalText(3),
                updatedBy: row.optionalText(4), group: row.optionalText(5)),
            row.integer(1))
    }

    /// Returns the first intact records after an id. A damaged index must not lead back, because callers ask again with
    /// the last id.
    private func ascending(
        _ sql: StaticString, after id: Record.ID?, _ limit: Int, or named: (Record.ID) -> StoredDamage
    ) throws -> [StoredRecord] {
        var found: [StoredRecord] = []
        var last = id ?? ""
        var rows = try statements.prepared(sql).walk([.text(last)])
        while found.count < limit, let row = try rows.next() {
            guard let record = stored(row, or: named) else { continue }
            guard last.isBefore(record.id) else { throw Self.corrupt("its index of ids is not in order") }
            last = record.id
            found.append(record)
        }
        return found
    }
}
