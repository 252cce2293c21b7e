import EngineCore
import GRDB
import SQLite

/// One transaction over an SQLite connection. Statements are prepared once per connection.
struct SQLiteTransaction: StoreWriting, SQLTransaction {
    let database: Database
    let statements: Statements
    let damage: DamageLog
    private let end = EarlyEnd()

    init(database: Database, statements: Statements, damage: DamageLog) {
        (self.database, self.statements, self.damage) = (database, statements, damage)
    }

    /// Why SQLite ended the transaction before its commit.
    private final class EarlyEnd {
        var cause: (any Error)?
    }

    /// - Throws: the error that ended the transaction early, as a full disk does: later statements would be committed
    ///   without the earlier ones.
    func checkIsOpen() throws {
        guard !database.isInsideTransaction else { return }
        throw end.cause ?? DatabaseError(resultCode: .SQLITE_ABORT)
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try checkIsOpen()
        try run("SAVEPOINT step")
        do {
            let result = try body()
            try run("RELEASE step")
            return result
        } catch {
            if database.isInsideTransaction {
                try run("ROLLBACK TO step")
                try run("RELEASE step")
            } else if end.cause == nil {
                end.cause = error
            }
            throw error
        }
    }

    // MARK: Rows with checksums

    func hasKnownDamage(in layer: ServerLayer) -> Bool { damage.has(layer) }

    /// Returns whether the row, which begins with the table's columns and the checksum, is what was written. Notes a
    /// damaged one.
    func isIntact(_ row: Columns, _ table: StoredTable, from first: Int32 = 0) -> Bool {
        if row.isIntact(table.count, from: first) { return true }
        damage.note(StoredRow(row, table, from: first))
        return false
    }

    /// Returns the first row, if any.
    ///
    /// - Throws: `DamagedRow` if it is damaged.
    func first<T>(
        _ table: StoredTable, _ sql: String, _ values: SQLValue..., read: (Columns) throws -> T
    ) throws -> T? {
        try statements.prepared(composed: sql).first(values) { row in
            guard isIntact(row, table) else { throw DamagedRow(table.noun) }
            return try read(row)
        }
    }

    /// Returns the first intact rows.
    func intact<T>(
        _ table: StoredTable, _ sql: String, _ values: SQLValue..., limit: Int = .max, read: (Columns) throws -> T
    ) throws -> [T] {
        var found: [T] = []
        var rows = try statements.prepared(composed: sql).walk(values)
        while found.count < limit, let row = try rows.next() {
            if isIntact(row, table) { found.append(try read(row)) }
        }
        return found
    }

    /// Inserts a row with its checksum, or replaces the row with its key.
    ///
    /// - Parameter values: of the table's columns, without the checksum.
    func put(_ table: StoredTable, _ values: SQLValue...) throws {
        try statements.prepared(composed: table.insertion).run(values + [.integer(RowChecksum.of(values))])
    }
}
