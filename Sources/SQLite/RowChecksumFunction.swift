package import GRDB
import GRDBSQLite

/// The SQL function `row_checksum(value, ...)`: the ``RowChecksum`` of its arguments, or 0 if one has a type that is
/// never written. For statements that change many rows.
package enum RowChecksumFunction {
    package static func add(to db: Database) throws {
        let traits = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, "row_checksum", -1, traits, nil, function, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(db.sqliteConnection, code) }
    }

    private typealias Function = @convention(c) (OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    private static let function: Function = { context, count, arguments in
        var sum = RowChecksum()
        for place in 0..<Int(count) {
            let value = arguments?[place]
            switch sqlite3_value_type(value) {
            case SQLITE_NULL: sum.addNull()
            case SQLITE_INTEGER: sum.add(sqlite3_value_int64(value))
            case SQLITE_FLOAT: sum.add(sqlite3_value_double(value))
            case SQLITE_TEXT:
                let text = sqlite3_value_text(value)
                sum.add(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value))))
            default: return sqlite3_result_int64(context, 0)
            }
        }
        sqlite3_result_int64(context, sum.value)
    }
}
