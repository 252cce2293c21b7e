import GRDBSQLite

/// A transaction that runs statements, each prepared once per connection.
package protocol SQLTransaction {
    var statements: Statements { get }
}

extension SQLTransaction {
    package func run(_ sql: StaticString, _ values: SQLValue...) throws { try statements.prepared(sql).run(values) }

    /// - Returns: whether it changed a row.
    @discardableResult
    package func run(_ sql: StaticString, all values: [SQLValue]) throws -> Bool {
        try statements.prepared(sql).run(values)
    }

    /// Returns the first row, if any.
    package func one<T>(_ sql: StaticString, _ values: SQLValue..., read: (Columns) throws -> T) throws -> T? {
        try statements.prepared(sql).first(values, read)
    }

    package func all<T>(_ sql: StaticString, _ values: SQLValue..., read: (Columns) throws -> T) throws -> [T] {
        try statements.prepared(sql).rows(values, read)
    }

    /// Returns 0 if there is no row.
    package func number(_ sql: StaticString, _ values: SQLValue...) throws -> Int {
        try statements.prepared(sql).first(values) { $0.number(0) } ?? 0
    }

    /// Runs the body as one transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Parameter begin: the statement that starts it.
    package func committing<T>(_ begin: StaticString, _ body: () throws -> T) throws -> T {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // A full disk has already ended the transaction.
            if sqlite3_get_autocommit(statements.connection) == 0 { try run("ROLLBACK") }
            throw error
        }
    }
}
