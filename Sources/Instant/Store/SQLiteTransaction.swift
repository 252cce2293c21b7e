import Annotations
import GRDB
import InstantCore
import SyncProtocol

import struct Annotations.Record

/// The contract of the store, spoken to one connection inside one transaction. Statements are prepared once each.
struct SQLiteTransaction: WritableLayer {
    let db: Database

    init(_ db: Database) { self.db = db }

    typealias Value = (any DatabaseValueConvertible)?

    func run(_ sql: String, _ values: [Value] = []) throws {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }

    func one<T>(_ sql: String, _ values: [Value] = [], _ read: (Row) throws -> T) throws -> T? {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: StatementArguments(values))
        return try rows.next().map(read)
    }

    func all<T>(_ sql: String, _ values: [Value] = [], _ read: (Row) throws -> T) throws -> [T] {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: StatementArguments(values))
        var found: [T] = []
        while let row = try rows.next() { found.append(try read(row)) }
        return found
    }

    func number(_ sql: String, _ values: [Value] = []) throws -> Int {
        try Int.fetchOne(db.cachedStatement(sql: sql), arguments: StatementArguments(values)) ?? 0
    }
}

extension SQLiteTransaction {
    func facts() throws -> LayerFacts {
        guard let json = try one("SELECT json FROM facts", [], { $0[0] as String }) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it does not say which layer it holds")
        }
        do { return try LayerFacts(json: json) } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "\(error)")
        }
    }

    /// Whether ``set(_:)`` was ever called: a file that was just made holds nothing.
    func hasFacts() throws -> Bool { try number("SELECT count(*) FROM facts") > 0 }

    func set(_ facts: LayerFacts) throws {
        try run("INSERT OR REPLACE INTO facts(one, json) VALUES (1, ?)", [facts.json])
    }

    private static let columns = "id, revision, content, created_by, updated_by, grp"

    private func stored(_ row: Row) -> StoredRecord {
        StoredRecord(
            Record(
                id: row[0], content: Content(checked: row[2]), createdBy: row[3], updatedBy: row[4], group: row[5]),
            row[1])
    }

    private func values(_ record: StoredRecord) -> [Value] {
        let (id, content) = (record.id, record.record.content.text)
        return [id, record.revision, content, record.record.createdBy, record.record.updatedBy, record.record.group]
    }

    func record(_ id: Record.ID) throws -> StoredRecord? {
        try one("SELECT \(Self.columns) FROM record WHERE id = ?", [id], stored)
    }

    func records(after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try all("SELECT \(Self.columns) FROM record WHERE id > ? ORDER BY id LIMIT ?", [id ?? "", limit], stored)
    }

    func put(_ record: StoredRecord) throws {
        try run("INSERT OR REPLACE INTO record(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)", values(record))
    }

    func removeRecord(_ id: Record.ID) throws { try run("DELETE FROM record WHERE id = ?", [id]) }

    func stage(_ record: StoredRecord) throws {
        try run("INSERT OR REPLACE INTO staged(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)", values(record))
    }

    func clearStage() throws { try run("DELETE FROM staged") }

    func staged(after id: Record.ID?, limit: Int) throws -> [StoredRecord] {
        try all("SELECT \(Self.columns) FROM staged WHERE id > ? ORDER BY id LIMIT ?", [id ?? "", limit], stored)
    }

    func isStaged(_ id: Record.ID) throws -> Bool {
        try number("SELECT count(*) FROM staged WHERE id = ?", [id]) > 0
    }

    func stagedRecord(_ id: Record.ID) throws -> StoredRecord? {
        try one("SELECT \(Self.columns) FROM staged WHERE id = ?", [id], stored)
    }

    func digest() throws -> ViewDigest {
        let rows = try Row.fetchCursor(db.cachedStatement(sql: "SELECT id, revision FROM record"))
        var digest = ViewDigest()
        while let row = try rows.next() { digest.add(row[0], row[1]) }
        return digest
    }
}
