import Annotations
import GRDB
import InstantCore
import SQLite
import SyncProtocol

import struct Annotations.Record

extension LocalSQLiteTransaction {
    func hasEntries() throws -> Bool { try number("SELECT EXISTS (SELECT 1 FROM outbox)") > 0 }

    func entries(of id: Record.ID) throws -> [OutboxEntry] {
        try all("SELECT * FROM outbox WHERE id = ? ORDER BY seq", .text(id), read: entry).compactMap(\.self)
    }

    /// Merges the stages; the index contains each in the order of `seq`, so nothing is sorted.
    func entries(in stages: Set<OutboxEntry.Stage>, limit: Int) throws -> [OutboxEntry] {
        let each = stages.map(\.rawValue).sorted().map { "SELECT * FROM outbox WHERE stage = '\($0)'" }
        guard !each.isEmpty else { return [] }
        let sql = each.joined(separator: " UNION ALL ") + " ORDER BY seq"
        var rows = try statements.prepared(composed: sql).walk([])
        var found: [OutboxEntry] = []
        while found.count < limit, let row = try rows.next() {
            if let entry = try entry(row) { found.append(entry) }
        }
        return found
    }

    func entry(_ seq: Int64) throws -> OutboxEntry? {
        try one("SELECT * FROM outbox WHERE seq = ?", .integer(seq), read: entry) ?? nil
    }

    func entries(takingRoot root: Record.ID) throws -> [OutboxEntry] {
        try all("SELECT * FROM outbox WHERE taken_root = ? ORDER BY seq", .text(root), read: entry).compactMap(\.self)
    }

    func tally() throws -> [OutboxEntry.Stage: Int] {
        let counts = try all("SELECT stage, count(*) FROM outbox GROUP BY stage") { row in
            (OutboxEntry.Stage(rawValue: row.text(0)), row.number(1))
        }
        return counts.reduce(into: [:]) { tally, count in if let stage = count.0 { tally[stage] = count.1 } }
    }

    func asideCount() throws -> Int {
        try one("SELECT count(*) FROM outbox WHERE stage = 'parked' AND n & 2 != 0") { $0.number(0) } ?? 0
    }

    func append(_ entry: OutboxEntry) throws -> OutboxEntry {
        let seq = try statements.prepared(
            """
            INSERT INTO outbox(
                id, kind, base_revision, thread_revision, grp, content, base, stage, n, revision, reason, made_at,
                taken_root)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq
            """
        ).first(entry.columns) { $0.integer(0) }
        guard let seq else { throw DatabaseError(resultCode: .SQLITE_ERROR, message: "an edit was not stored") }
        var entry = entry
        entry.seq = seq
        try run("UPDATE outbox SET checksum = ? WHERE seq = ?", .integer(entry.checksum), .integer(seq))
        return entry
    }

    func replace(_ entry: OutboxEntry) throws {
        try run(
            """
            UPDATE outbox SET id = ?, kind = ?, base_revision = ?, thread_revision = ?, grp = ?, content = ?, base = ?,
            stage = ?, n = ?, revision = ?, reason = ?, made_at = ?, taken_root = ?, checksum = ? WHERE seq = ?
            """, all: entry.columns + [.integer(entry.checksum), .integer(entry.seq)])
    }

    /// Does not change a damaged entry, which would get a valid checksum.
    func mark(_ seq: Int64, _ state: OutboxEntry.State) throws {
        let (n, revision, reason) = state.parts
        try run(
            """
            UPDATE outbox SET stage = ?1, n = ?2, revision = ?3, reason = ?4, checksum = row_checksum(
                seq, id, kind, base_revision, thread_revision, grp, content, base, ?1, ?2, ?3, ?4, made_at, taken_root)
            WHERE seq = ?5 AND checksum = row_checksum(
                seq, id, kind, base_revision, thread_revision, grp, content, base, stage, n, revision, reason, made_at,
                taken_root)
            """, .text(state.stage.rawValue), .integer(n), .integer(revision), .text(reason), .integer(seq))
    }

    func removeEntry(_ seq: Int64) throws { try run("DELETE FROM outbox WHERE seq = ?", .integer(seq)) }

    func ownWrite(_ id: Record.ID) throws -> OwnWrite? {
        try one("SELECT id, seq, revision, checksum FROM own WHERE id = ?", .text(id), read: write) ?? nil
    }

    func ownWrites(after id: Record.ID?, limit: Int) throws -> [OwnWrite] {
        var last = id ?? ""
        var rows = try statements.prepared("SELECT id, seq, revision, checksum FROM own WHERE id > ? ORDER BY id")
            .walk([.text(last)])
        var found: [OwnWrite] = []
        while found.count < limit, let row = try rows.next() {
            guard let write = write(row) else { continue }
            guard last.isBefore(write.id) else { throw Self.corrupt("its notes of edits are not in order") }
            last = write.id
            found.append(write)
        }
        return found
    }

    /// - Returns: nil for a damaged row, which is noted.
    private func write(_ row: Columns) -> OwnWrite? {
        guard Self.isIntact(row, 3) else {
            damage.note(.ownWrite(row.text(0)))
            return nil
        }
        return OwnWrite(id: row.text(0), seq: row.integer(1), revision: row.integer(2))
    }

    func forgetOwnWrite(_ id: Record.ID) throws { try run("DELETE FROM own WHERE id = ?", .text(id)) }

    func forgetOwnWrites() throws { try run("DELETE FROM own") }

    func note(_ write: OwnWrite) throws {
        let values: [SQLValue] = [.text(write.id), .integer(write.seq), .integer(write.revision)]
        try run(
            "INSERT OR REPLACE INTO own(id, seq, revision, checksum) VALUES (?, ?, ?, ?)",
            all: values + [.integer(RowChecksum.of(values))])
        damage.forget(.ownWrite(write.id))
    }

    /// Reads the columns in the order of the table. A file of an older program may be read unchanged: it lacks the last
    /// ones.
    ///
    /// - Returns: nil for a damaged row, which is noted.
    private func entry(_ row: Columns) throws -> OutboxEntry? {
        guard Self.isIntact(row, 14) else {
            damage.note(.edit(row.integer(0), of: row.text(1)))
            return nil
        }
        guard let kind = ChangeKind(rawValue: row.text(2)), let stage = OutboxEntry.Stage(rawValue: row.text(8)) else {
            throw Self.corrupt("it contains an edit of an unknown kind")
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
        var entry = OutboxEntry(
            seq: row.integer(0), id: row.text(1), kind: kind, baseRevision: row.integer(3),
            threadRevision: row.optionalInteger(4), takenRoot: row.count > 13 ? row.optionalText(13) : nil,
            group: row.optionalText(5), content: row.optionalText(6).map { Content(checked: $0) },
            base: row.optionalText(7).flatMap(record), state: state, madeAt: Timestamp(milliseconds: row.integer(12)))
        if entry.isUnsealed {
            entry.wasSent = row.integer(9) & 1 != 0
            entry.isAside = row.integer(9) & 2 != 0
        } else if stage == .sealed {
            entry.isAside = row.text(11) == OutboxEntry.asideMark
            entry.wasSent = row.integer(10) == OutboxEntry.sentMark
        }
        return entry
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

extension OutboxEntry {
    /// The values of its columns except `seq`, in their order.
    fileprivate var columns: [SQLValue] {
        var (n, revision, reason) = state.parts
        // An unsealed entry has no number: here, 1 says that it had one, and 2 that it was put aside.
        if isUnsealed { n = (wasSent ? 1 : 0) | (isAside ? 2 : 0) }
        if stage == .sealed, isAside { reason = Self.asideMark }
        if stage == .sealed, wasSent { revision = Self.sentMark }
        return [
            .text(id), .text(kind.rawValue), .integer(baseRevision), .integer(threadRevision), .text(group),
            .text(content?.text), .text(base?.json), .text(stage.rawValue), .integer(n), .integer(revision),
            .text(reason), .integer(madeAt.milliseconds), .text(takenRoot),
        ]
    }

    /// The reason of a sealed entry that was put aside before.
    fileprivate static let asideMark = "aside"

    /// The revision of a sealed entry that was sent before under another number; others have none. An earlier version of the
    /// program ignores it.
    fileprivate static let sentMark: Revision = 1

    fileprivate var checksum: Int64 { RowChecksum.of([.integer(seq)] + columns) }
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
