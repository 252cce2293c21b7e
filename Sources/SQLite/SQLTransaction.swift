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
}
