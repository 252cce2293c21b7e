import GRDB
import GRDBSQLite

/// An SQLite statement. Each use binds all parameters and resets the statement at the end.
package struct PreparedStatement {
    private let handle: OpaquePointer

    init(_ sql: String, _ connection: SQLiteConnection) throws {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw DatabaseError(connection, code) }
        handle = prepared
    }

    func finalize() { sqlite3_finalize(handle) }

    var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    /// - Returns: whether it changed a row.
    @discardableResult
    package func run(_ values: [SQLValue]) throws -> Bool {
        try each(values) { _ in }
        return sqlite3_changes(sqlite3_db_handle(handle)) > 0
    }

    package func each(_ values: [SQLValue], _ read: (Columns) throws -> Void) throws {
        defer { sqlite3_reset(handle) }
        try bind(values)
        while try step() { try read(Columns(row: handle)) }
    }

    package func rows<T>(_ values: [SQLValue], _ read: (Columns) throws -> T) throws -> [T] {
        var found: [T] = []
        try each(values) { found.append(try read($0)) }
        return found
    }

    package func first<T>(_ values: [SQLValue], _ read: (Columns) throws -> T) throws -> T? {
        defer { sqlite3_reset(handle) }
        try bind(values)
        return try step() ? try read(Columns(row: handle)) : nil
    }

    /// Returns the rows one by one, for walking two statements in parallel. Do not use the statement again before the
    /// rows are released.
    package func walk(_ values: [SQLValue]) throws -> Rows {
        let rows = Rows(statement: self)
        try bind(values)
        return rows
    }

    package struct Rows: ~Copyable {
        let statement: PreparedStatement

        /// Returns the next row, which replaces the previous one; nil after the last.
        package mutating func next() throws -> Columns? {
            try statement.step() ? Columns(row: statement.handle) : nil
        }

        deinit { sqlite3_reset(statement.handle) }
    }

    /// - Returns: whether a row is available.
    private func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw DatabaseError(sqlite3_db_handle(handle), code)
        }
    }

    private func bind(_ values: [SQLValue]) throws {
        for (index, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(handle, index)
                case .integer(let number): sqlite3_bind_int64(handle, index, number)
                case .real(let number): sqlite3_bind_double(handle, index, number)
                case .text(let text): bind(text, index)
                }
            guard code == SQLITE_OK else { throw DatabaseError(sqlite3_db_handle(handle), code) }
        }
    }

    private func bind(_ text: String, _ index: Int32) -> CInt {
        // SQLITE_TRANSIENT, which Swift cannot import: SQLite makes its own copy.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        var text = text
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                // A null pointer would bind NULL: an empty text needs an address too.
                $0.baseAddress.map { sqlite3_bind_text(handle, index, $0, Int32(utf8.count), copied) }
                    ?? sqlite3_bind_text(handle, index, "", 0, copied)
            }
        }
    }
}

extension DatabaseError {
    init(_ connection: OpaquePointer?, _ code: CInt) {
        self.init(resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)))
    }
}

/// The value of a parameter.
package enum SQLValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    package static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
    package static func integer(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
    package static func integer(_ number: Int) -> SQLValue { .integer(Int64(number)) }
    package static func integer(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}
