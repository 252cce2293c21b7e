import Annotations
import GRDB
import InstantCore
import SQLite
import SyncProtocol

import struct Annotations.Record

extension LocalSQLiteTransaction {
    func hasEntries() throws -> Bool { try number("SELECT EXISTS (SELECT 1 FROM outbox)") > 0 }

    func entries(of id: Record.ID) throws -> [OutboxEntry] {
        try all("SELECT * FROM outbox WHERE id = ? ORDER BY seq", .text(id), read: entry)
    }

    /// Merges the stages; the index contains each in the order of `seq`, so nothing is sorted.
    func entries(in stages: Set<OutboxEntry.Stage>, limit: Int) throws -> [OutboxEntry] {
        let each = stages.map(\.rawValue).sorted().map { "SELECT * FROM outbox WHERE stage = '\($0)'" }
        guard !each.isEmpty else { return [] }
        return try statements.prepared(composed: each.joined(separator: " UNION ALL ") + " ORDER BY seq LIMIT ?")
            .rows([.integer(limit)], entry)
    }

    func entry(_ seq: Int64) throws -> OutboxEntry? {
        try one("SELECT * FROM outbox WHERE seq = ?", .integer(seq), read: entry)
    }

    func entries(takingRoot root: Record.ID) throws -> [OutboxEntry] {
        try all("SELECT * FROM outbox WHERE taken_root = ? ORDER BY seq", .text(root), read: entry)
    }

    func tally() throws -> [OutboxEntry.Stage: Int] {
        let counts = try all("SELECT stage, count(*) FROM outbox GROUP BY stage") { row in
            (OutboxEntry.Stage(rawValue: row.text(0)), row.number(1))
        }
        return counts.reduce(into: [:]) { tally, count in if let stage = count.0 { tally[stage] = count.1 } }
    }

    func append(_ entry: OutboxEntry) throws -> OutboxEntry {
        let (n, revision, reason) = entry.state.parts
        let seq = try one(
            """
            INSERT INTO outbox(
                id, kind, base_revision, thread_revision, grp, content, base, stage, n, revision, reason, made_at,
                taken_root)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq
            """, .text(entry.id), .text(entry.kind.rawValue), .integer(entry.baseRevision),
            .integer(entry.threadRevision), .text(entry.group), .text(entry.content?.text), .text(entry.base?.json),
            .text(entry.stage.rawValue), .integer(n), .integer(revision), .text(reason),
            .integer(entry.madeAt.milliseconds), .text(entry.takenRoot)
        ) { $0.integer(0) }
        guard let seq else { throw DatabaseError(resultCode: .SQLITE_ERROR, message: "an edit was not stored") }
        var entry = entry
        entry.seq = seq
        return entry
    }

    func replace(_ entry: OutboxEntry) throws {
        let (n, revision, reason) = entry.state.parts
        try run(
            """
            UPDATE outbox SET id = ?, kind = ?, base_revision = ?, thread_revision = ?, grp = ?, content = ?, base = ?,
            stage = ?, n = ?, revision = ?, reason = ?, made_at = ?, taken_root = ? WHERE seq = ?
            """, .text(entry.id), .text(entry.kind.rawValue), .integer(entry.baseRevision),
            .integer(entry.threadRevision), .text(entry.group), .text(entry.content?.text), .text(entry.base?.json),
            .text(entry.stage.rawValue), .integer(n), .integer(revision), .text(reason),
            .integer(entry.madeAt.milliseconds), .text(entry.takenRoot), .integer(entry.seq))
    }

    func mark(_ seq: Int64, _ state: OutboxEntry.State) throws {
        let (n, revision, reason) = state.parts
        try run(
            "UPDATE outbox SET stage = ?, n = ?, revision = ?, reason = ? WHERE seq = ?", .text(state.stage.rawValue),
            .integer(n), .integer(revision), .text(reason), .integer(seq))
    }

    func removeEntry(_ seq: Int64) throws { try run("DELETE FROM outbox WHERE seq = ?", .integer(seq)) }

    func ownWrite(_ id: Record.ID) throws -> OwnWrite? {
        try one("SELECT seq, revision FROM own WHERE id = ?", .text(id)) {
            OwnWrite(id: id, seq: $0.integer(0), revision: $0.integer(1))
        }
    }

    func ownWrites(after id: Record.ID?, limit: Int) throws -> [OwnWrite] {
        try all("SELECT id, seq, revision FROM own WHERE id > ? ORDER BY id LIMIT ?", .text(id ?? ""), .integer(limit))
        {
            OwnWrite(id: $0.text(0), seq: $0.integer(1), revision: $0.integer(2))
        }
    }

    func forgetOwnWrite(_ id: Record.ID) throws { try run("DELETE FROM own WHERE id = ?", .text(id)) }

    func forgetOwnWrites() throws { try run("DELETE FROM own") }

    func note(_ write: OwnWrite) throws {
        try run(
            "INSERT OR REPLACE INTO own(id, seq, revision) VALUES (?, ?, ?)", .text(write.id), .integer(write.seq),
            .integer(write.revision))
    }

    /// Reads the columns in the order of the table. A file of an older program may be read unchanged: it lacks the last
    /// one.
    private func entry(_ row: Columns) throws -> OutboxEntry {
        guard let kind = ChangeKind(rawValue: row.text(2)), let stage = OutboxEntry.Stage(rawValue: row.text(8)) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "it contains an edit of an unknown kind")
        }
        let state: OutboxEntry.State =
            switch stage {
            case .waiting: .waiting
            case .sealed: .sealed(n: row.integer(9))
            case .applied: .applied(n: row.integer(9), revision: row.integer(10))
            case .parked: .parked(row.text(11))
            case .conflict: .conflict(row.text(11))
            case .refused: .refused(row.text(11))
            }
        return OutboxEntry(
            seq: row.integer(0), id: row.text(1), kind: kind, baseRevision: row.integer(3),
            threadRevision: row.optionalInteger(4), takenRoot: row.count > 13 ? row.optionalText(13) : nil,
            group: row.optionalText(5), content: row.optionalText(6).map { Content(checked: $0) },
            base: row.optionalText(7).flatMap(record), state: state, madeAt: Timestamp(milliseconds: row.integer(12)))
    }

    /// Parses a record that `Record.json` wrote.
    private func record(_ json: String) -> Record? {
        guard let value = try? JSON(parsing: json), let id = value["id"]?.string, let content = value["content"]?.object
        else { return nil }
        return Record(
            id: id, content: Content(content), createdBy: value["createdBy"]?.string,
            updatedBy: value["updatedBy"]?.string, group: value["group"]?.string)
    }
}

extension OutboxEntry.State {
    /// The values of its columns; 0 or empty where a state has none.
    fileprivate var parts: (n: Int64, revision: Revision, reason: String) {
        switch self {
        case .waiting: (0, 0, "")
        case .sealed(let n): (n, 0, "")
        case .applied(let n, let revision): (n, revision, "")
        case .parked(let why), .conflict(let why), .refused(let why): (0, 0, why)
        }
    }
}
