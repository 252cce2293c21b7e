import Annotations
import GRDB
import InstantCore
import SQLite

extension LocalSQLiteStore {
    private static let maxFindings = 100
    /// In a larger table, only the numbers of rows are compared with the indexes, which takes a tenth of the time.
    private static let maxComparedRows = 20_000

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

    /// Whether a file was created and nothing stored in it. An empty file with a label was emptied by damage.
    static func isUnfinished(_ path: String) -> Bool {
        guard LayerLabel.read(LayerLabel.path(besides: path)) == .none,
            let store = try? LocalSQLiteStore(lookingInto: path)
        else { return false }
        defer { store.close() }
        let isEmpty = try? store.connections.read { database in
            try CheckedTable.all.allSatisfy { table in
                guard try database.tableExists(table.name) else { return true }
                return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.name)") == 0
            }
        }
        return isEmpty ?? false
    }

    func noteGaps() {
        do {
            let isComplete = try connections.read { database in
                let rows = try Int.fetchOne(database, sql: "SELECT max(rowid) FROM shown") ?? 0
                let isLarge = rows > Self.maxComparedRows
                return try CheckedIndex.all.allSatisfy { index in
                    if isLarge, index.readsContents { return true }
                    let sql = index.comparison(ofValues: !isLarge)
                    return Set(try Row.fetchOne(database, sql: sql).map { Array($0.databaseValues) } ?? []).count == 1
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
}

/// An index that must have the rows of its table.
private struct CheckedIndex {
    var name: String
    var table: String
    /// The columns of the index, with the number of the row.
    var columns: String
    var condition = "true"
    /// Whether its condition reads the contents of all records; then it is compared only in a small table.
    var readsContents = false

    static let all = [
        CheckedIndex(name: "sqlite_autoindex_record_1", table: "record", columns: "id, rowid"),
        CheckedIndex(
            name: "record_pages", table: "record", columns: "id, rowid", condition: StoredColumns.mayStandOnMorePages,
            readsContents: true),
        CheckedIndex(name: "outbox_id", table: "outbox", columns: "id, seq"),
        CheckedIndex(name: "outbox_stage", table: "outbox", columns: "stage, seq"),
        CheckedIndex(name: "sqlite_autoindex_shown_1", table: "shown", columns: "id, rowid"),
        CheckedIndex(
            name: "shown_page", table: "shown", columns: "page, top, id, search, quoted, rowid", condition: "listed"),
        CheckedIndex(name: "shown_newest", table: "shown", columns: "changed, id, rowid", condition: "listed"),
        CheckedIndex(
            name: "shown_author", table: "shown", columns: "author_key, page, top, id, rowid", condition: "listed"),
        CheckedIndex(
            name: "shown_root", table: "shown", columns: "root, created, id, rowid", condition: "root IS NOT NULL"),
        CheckedIndex(
            name: "shown_state", table: "shown", columns: "root, created, id, state, rowid",
            condition: "state IS NOT NULL"),
        CheckedIndex(
            name: "shown_head", table: "shown", columns: "head, id, rowid", condition: "head IS NOT NULL"),
        CheckedIndex(
            name: "shown_unread", table: "shown", columns: "page, top, id, rowid", condition: "listed AND unread"),
        CheckedIndex(name: "shown_listed", table: "shown", columns: "listed, page, rowid"),
        CheckedIndex(name: "shown_hidden", table: "shown", columns: "kind, id, rowid", condition: "listed = 3"),
    ]

    /// Returns a statement with two columns, which must be equal.
    ///
    /// - Parameter ofValues: Whether to compare the values, not only the numbers of rows.
    func comparison(ofValues: Bool) -> String {
        // Half of each checksum, so that the sum of many does not overflow.
        let value = ofValues ? "total(row_checksum(\(columns)) & 2147483647)" : "count(*)"
        return """
            SELECT (SELECT \(value) FROM \(table) NOT INDEXED WHERE \(condition)),
                (SELECT \(value) FROM \(table) INDEXED BY \(name) WHERE \(condition))
            """
    }
}
