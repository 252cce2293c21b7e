import Annotations
import GRDB
import InstantCore
import SyncProtocol

import struct Annotations.Record

extension SQLiteTransaction {
    private static let columns =
        "id, kind, base_revision, thread_revision, grp, content, base, stage, n, revision, reason, made_at, seq"

    func entries(of id: Record.ID) throws -> [OutboxEntry] {
        try all("SELECT \(Self.columns) FROM outbox WHERE id = ? ORDER BY seq", [id], entry)
    }

    func entries(in stages: Set<OutboxEntry.Stage>, limit: Int) throws -> [OutboxEntry] {
        let names = stages.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        return try all(
            "SELECT \(Self.columns) FROM outbox WHERE stage IN (\(names)) ORDER BY seq LIMIT ?", [limit], entry)
    }

    func entry(_ seq: Int64) throws -> OutboxEntry? {
        try one("SELECT \(Self.columns) FROM outbox WHERE seq = ?", [seq], entry)
    }

    func tally() throws -> [OutboxEntry.Stage: Int] {
        let counts = try all("SELECT stage, count(*) FROM outbox GROUP BY stage") { row in
            (OutboxEntry.Stage(rawValue: row[0]), row[1] as Int)
        }
        return counts.reduce(into: [:]) { tally, count in if let stage = count.0 { tally[stage] = count.1 } }
    }

    func append(_ entry: OutboxEntry) throws -> OutboxEntry {
        try run(
            "INSERT INTO outbox(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values(entry) + [nil])
        var entry = entry
        entry.seq = db.lastInsertedRowID
        return entry
    }

    func replace(_ entry: OutboxEntry) throws {
        try run(
            """
            UPDATE outbox SET id = ?, kind = ?, base_revision = ?, thread_revision = ?, grp = ?, content = ?, base = ?,
            stage = ?, n = ?, revision = ?, reason = ?, made_at = ? WHERE seq = ?
            """, values(entry) + [entry.seq])
    }

    func removeEntry(_ seq: Int64) throws { try run("DELETE FROM outbox WHERE seq = ?", [seq]) }

    func ownWrite(_ id: Record.ID) throws -> OwnWrite? {
        try one("SELECT seq, revision FROM own WHERE id = ?", [id]) {
            OwnWrite(id: id, seq: $0[0], revision: $0[1])
        }
    }

    func ownWrites(after id: Record.ID?, limit: Int) throws -> [OwnWrite] {
        try all("SELECT id, seq, revision FROM own WHERE id > ? ORDER BY id LIMIT ?", [id ?? "", limit]) {
            OwnWrite(id: $0[0], seq: $0[1], revision: $0[2])
        }
    }

    func forgetOwnWrite(_ id: Record.ID) throws { try run("DELETE FROM own WHERE id = ?", [id]) }

    func forgetOwnWrites() throws { try run("DELETE FROM own") }

    func note(_ write: OwnWrite) throws {
        try run(
            "INSERT OR REPLACE INTO own(id, seq, revision) VALUES (?, ?, ?)", [write.id, write.seq, write.revision])
    }

    private func values(_ entry: OutboxEntry) -> [Value] {
        var (n, revision, reason): (Int64, Revision, String) = (0, 0, "")
        switch entry.state {
        case .waiting: break
        case .sealed(let given): n = given
        case .applied(let given, let got): (n, revision) = (given, got)
        case .parked(let why), .conflict(let why), .refused(let why): reason = why
        }
        return [
            entry.id, entry.kind.rawValue, entry.baseRevision, entry.threadRevision, entry.group,
            entry.content?.text, entry.base?.json, entry.stage.rawValue, n, revision, reason,
            entry.madeAt.milliseconds,
        ]
    }

    private func entry(_ row: Row) throws -> OutboxEntry {
        guard let kind = ChangeKind(rawValue: row[1]), let stage = OutboxEntry.Stage(rawValue: row[7]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an edit of an unknown kind waits in it")
        }
        let state: OutboxEntry.State =
            switch stage {
            case .waiting: .waiting
            case .sealed: .sealed(n: row[8])
            case .applied: .applied(n: row[8], revision: row[9])
            case .parked: .parked(row[10])
            case .conflict: .conflict(row[10])
            case .refused: .refused(row[10])
            }
        return OutboxEntry(
            seq: row[12], id: row[0], kind: kind, baseRevision: row[2], threadRevision: row[3], group: row[4],
            content: (row[5] as String?).map { Content(checked: $0) }, base: (row[6] as String?).flatMap(record),
            state: state, madeAt: Timestamp(milliseconds: row[11]))
    }

    /// A record as `Record.json` wrote it.
    private func record(_ json: String) -> Record? {
        guard let value = try? JSON(parsing: json), let id = value["id"]?.string, let content = value["content"]?.object
        else { return nil }
        return Record(
            id: id, content: Content(content), createdBy: value["createdBy"]?.string,
            updatedBy: value["updatedBy"]?.string, group: value["group"]?.string)
    }
}
