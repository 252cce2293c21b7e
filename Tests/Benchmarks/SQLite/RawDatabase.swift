import GRDBSQLite

/// SQLite through its C interface alone: the cost of rows about which nothing is decided.
final class RawDatabase {
    let handle: OpaquePointer

    /// - Parameter isReadOnly: For a file that another process may be writing.
    init(_ path: String, isReadOnly: Bool = false) throws {
        var opened: OpaquePointer?
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw BenchmarkError("\(path) cannot be opened: \(code)")
        }
        handle = opened
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    func prepare(_ sql: String) throws -> RawStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw failure(sql)
        }
        return RawStatement(statement)
    }

    func failure(_ what: String) -> BenchmarkError {
        BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))) in \(what.prefix(120))")
    }
}

/// A prepared statement. Texts are bound in place, not copied.
final class RawStatement {
    private let handle: OpaquePointer

    fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Runs it once with the values of a row.
    func run(_ row: RawRow) throws {
        try row.text.withUnsafeBufferPointer { text in
            for (index, value) in zip(Int32(1)..., row.values) { bind(value, index, text) }
            guard sqlite3_step(handle) == SQLITE_DONE else {
                throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))")
            }
        }
        sqlite3_reset(handle)
    }

    private func bind(_ value: RawRow.Value, _ index: Int32, _ text: UnsafeBufferPointer<UInt8>) {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        case .text(let range):
            let start = text.baseAddress.map { UnsafeRawPointer($0 + range.lowerBound) }
            sqlite3_bind_text(
                handle, index, start?.assumingMemoryBound(to: CChar.self), Int32(range.count), nil)
        }
    }

    /// Returns all rows of a query without parameters.
    func rows() -> [RawRow] {
        var rows: [RawRow] = []
        while sqlite3_step(handle) == SQLITE_ROW { rows.append(row()) }
        return rows
    }

    private func row() -> RawRow {
        var row = RawRow()
        for column in 0..<sqlite3_column_count(handle) {
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER: row.add(sqlite3_column_int64(handle, column))
            case SQLITE_FLOAT: row.values.append(.real(sqlite3_column_double(handle, column)))
            case SQLITE_NULL: row.values.append(.null)
            default:
                let count = Int(sqlite3_column_bytes(handle, column))
                row.add(UnsafeBufferPointer(start: sqlite3_column_text(handle, column), count: count))
            }
        }
        return row
    }
}
