import GRDBSQLite

/// A transaction that speaks to its connection in statements, each prepared once and kept.
package protocol SQLTransaction {
    var statements: Statements { get }
}

extension SQLTransaction {
    package func run(_ sql: StaticString, _ values: SQLValue...) throws { try statements.prepared(sql).run(values) }

    /// The first row, if there is one.
    package func one<T>(_ sql: StaticString, _ values: SQLValue..., read: (Columns) throws -> T) throws -> T? {
        try statements.prepared(sql).first(values, read)
    }

    package func all<T>(_ sql: StaticString, _ values: SQLValue..., read: (Columns) throws -> T) throws -> [T] {
        try statements.prepared(sql).rows(values, read)
    }

    /// 0 where there is none.
    package func number(_ sql: StaticString, _ values: SQLValue...) throws -> Int {
        try statements.prepared(sql).first(values) { $0.number(0) } ?? 0
    }

    /// Runs the body as one transaction: committed when it returns, taken back when it throws.
    ///
    /// - Parameter begin: the statement that begins it.
    package func committing<T>(_ begin: StaticString, _ body: () throws -> T) throws -> T {
        try run(begin)
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // A disk that is full has ended it already.
            if sqlite3_get_autocommit(statements.connection) == 0 { try run("ROLLBACK") }
            throw error
        }
    }
}
