package import GRDB
import GRDBSQLite

/// Room for the write-ahead log before anything is written to it.
///
/// A log that grows with a commit makes the file system write down its new length as well, in a journal of its own, and wait
/// for the disk once more; over blocks that were written before, only the rows are waited for. SQLite reuses a log from its
/// beginning when all of it stands in the database, so a file that has run for long is there by itself, and a new one is not.
package enum LogRoom {
    /// As much as SQLite lets the log grow to before it writes it back (1,000 pages of 4 KB, each with its head), and some more
    /// for the commit that passes the mark and for those that come while somebody reads.
    package static let usual = 5 << 20

    /// Fills the log's file with zeros up to so many bytes, and waits until they are on the disk. SQLite takes zeros for the end
    /// of a log, as it does what is left of an older one.
    ///
    /// It is only a matter of speed: where it does not succeed (the disk is full), nothing is said and all goes on as without.
    ///
    /// - Parameter database: in a transaction that writes, so that nobody else makes the log longer meanwhile.
    package static func reserve(_ bytes: Int = usual, for database: Database) {
        var pointer: UnsafeMutablePointer<sqlite3_file>?
        guard
            let connection = database.sqliteConnection,
            sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &pointer) == SQLITE_OK,
            let log = pointer, let methods = log.pointee.pMethods?.pointee
        else { return }
        var size: sqlite3_int64 = 0
        guard methods.xFileSize?(log, &size) == SQLITE_OK, size < bytes else { return }
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        while size < bytes {
            let count = min(zeros.count, bytes - Int(size))
            guard methods.xWrite?(log, zeros, Int32(count), size) == SQLITE_OK else { return }
            size += sqlite3_int64(count)
        }
        _ = methods.xSync?(log, SQLITE_SYNC_NORMAL)
    }
}
