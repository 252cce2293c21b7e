import Annotations
import GRDB
import InstantCore
import SQLite

extension LocalSQLiteStore {
    private static let maxFindings = 100

    /// Reads the whole file, without changing it.
    ///
    /// - Returns: What is not as it was written; of each kind at most a hundred.
    func findDamage() throws -> [StoredDamage] {
        do { return try connections.read { try findDamage(in: $0) } } catch {
            throw LocalStoreError.orOther(error, path: path)
        }
    }

    private func findDamage(in database: Database) throws -> [StoredDamage] {
        var found = damage.filter { if case .lostCommits = $0 { true } else { false } }
        do {
            let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(Self.maxFindings))")
            found += lines.filter { $0 != "ok" }.map { .structure("SQLite: \($0)") }
        } catch let error as DatabaseError { found.append(.structure("SQLite: \(error.message ?? "unreadable")")) }
        // A file of an older program has no checksums yet.
        let version = try LocalSchema.current.found(database, path: path)
        let isOld = version < LocalSchema.current.version
        if let label = label.withLock({ $0 }), label.schema > version {
            found.append(.structure("its version number has changed"))
        }
        let statements = try cache.statements(of: database)
        for table in isOld ? [] : CheckedTable.all {
            do {
                var count = 0
                let rows = "SELECT \(table.columns), checksum FROM \(table.name)\(table.hint)"
                try statements.prepared(composed: rows).each([]) { row in
                    guard count < Self.maxFindings, !row.isIntact(table.count) else { return }
                    found.append(table.damage(row))
                    count += 1
                }
            } catch let error as DatabaseError {
                found.append(.structure("the table \(table.name) cannot be read: \(error.message ?? "")"))
            }
        }
        do {
            _ = try LocalSQLiteTransaction(db: database, statements: statements, known: metadata, damage: DamageLog())
                .metadata()
        } catch let error as DatabaseError { found.append(.structure(error.message ?? "its metadata is unreadable")) }
        return found
    }

    func noteGaps() {
        do {
            let isComplete = try connections.read { database in
                try CheckedTable.counts.allSatisfy { sql in
                    Set(try Row.fetchOne(database, sql: sql).map { Array($0.databaseValues) } ?? []).count == 1
                }
            }
            if !isComplete { log.note(.structure("an index has other rows than its table")) }
        } catch {
            guard case .corrupt(_, let why) = LocalStoreError(error, path: path) else { return }
            log.note(.structure(why))
        }
    }
}

/// A table whose rows have a checksum.
private struct CheckedTable: Sendable {
    var name: String
    var columns: String
    var count: Int32
    /// What makes SQLite read the table itself, not an index that could lack rows.
    var hint = " NOT INDEXED"
    var damage: @Sendable (Columns) -> StoredDamage

    static let all = [
        CheckedTable(name: "facts", columns: "json, last_n, cursor_revision", count: 3) { _ in
            .structure("its metadata has changed")
        },
        CheckedTable(name: "record", columns: StoredColumns.record, count: 6) { .record($0.text(0)) },
        CheckedTable(name: "staged", columns: StoredColumns.record, count: 6) { .staged($0.text(0)) },
        CheckedTable(name: "outbox", columns: StoredColumns.outbox, count: 14) {
            .edit($0.integer(0), of: $0.text(1))
        },
        CheckedTable(name: "own", columns: StoredColumns.own, count: 3, hint: "") { .ownWrite($0.text(0)) },
        CheckedTable(name: "shown", columns: StoredColumns.shown, count: StoredColumns.shownCount) {
            .row($0.text(0))
        },
    ]

    /// Statements whose columns must be equal.
    static let counts = [
        """
        SELECT (SELECT count(*) FROM record NOT INDEXED), (SELECT count(id) FROM record INDEXED BY sqlite_autoindex_record_1)
        """,
        """
        SELECT (SELECT count(*) FROM outbox NOT INDEXED), (SELECT count(*) FROM outbox INDEXED BY outbox_id),
            (SELECT count(*) FROM outbox INDEXED BY outbox_stage)
        """,
        """
        SELECT (SELECT count(*) FROM shown NOT INDEXED WHERE listed),
            (SELECT count(*) FROM shown INDEXED BY shown_page WHERE listed),
            (SELECT count(*) FROM shown INDEXED BY shown_newest WHERE listed),
            (SELECT count(*) FROM shown INDEXED BY shown_author WHERE listed)
        """,
        """
        SELECT (SELECT count(*) FROM shown NOT INDEXED), (SELECT count(id) FROM shown INDEXED BY sqlite_autoindex_shown_1)
        """,
        """
        SELECT (SELECT count(root) FROM shown NOT INDEXED),
            (SELECT count(*) FROM shown INDEXED BY shown_root WHERE root IS NOT NULL)
        """,
    ]
}
