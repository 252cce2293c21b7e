import GRDBSQLite

/// The current row of a statement. Valid only inside the closure that receives it.
package struct Columns {
    let row: OpaquePointer

    package var count: Int { Int(sqlite3_column_count(row)) }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(row, column) }
    package func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(row, column)) }
    package func real(_ column: Int32) -> Double { sqlite3_column_double(row, column) }
    package func flag(_ column: Int32) -> Bool { sqlite3_column_int64(row, column) != 0 }

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(row, column) == SQLITE_NULL }

    package func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(row, column)
    }

    /// Returns an empty text for NULL.
    package func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    package func optionalText(_ column: Int32) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns a text in SQLite's memory; nil for NULL.
    package func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_text(row, column) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column)))
    }
}
