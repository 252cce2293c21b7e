package import GRDB
import GRDBSQLite

/// The bytes of a database as a file would have them.
package enum DatabaseImage {
    /// - Parameter db: a connection to a database in memory, outside of a transaction.
    package static func bytes(of db: Database) throws -> [UInt8] {
        var count: sqlite3_int64 = 0
        guard let start = sqlite3_serialize(db.sqliteConnection, "main", &count, 0) else {
            throw DatabaseError(resultCode: .SQLITE_NOMEM)
        }
        defer { sqlite3_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
}
