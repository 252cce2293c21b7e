package import GRDB
import GRDBSQLite
import Glibc
import Synchronization

/// Keeps the write-ahead log of a database on disk, also after the disk failed.
///
/// When a sync fails, Linux reports it once and treats the pages as written from then on, although only the cache has
/// them. The next sync succeeds, but what it confirms may follow bytes that the disk does not have, and after a power
/// failure SQLite reads the log up to the first gap. Therefore the log is in doubt after each failure and, because an
/// earlier process may have seen one, when it is opened: before the next transaction it is written again, byte for byte,
/// and synced. A transaction fails if this fails.
///
/// A store uses one, on its writer's connection.
package final class WriteAheadLog: Sendable {
    private let path: String
    private let isInDoubt = Atomic<Bool>(true)

    /// - Parameter database: the path of the database.
    package init(of database: String) { path = database + "-wal" }

    /// Takes over the checkpoints, which SQLite runs after a commit if the log is long and whose failures it hides. Call
    /// it once, when the connection is open; the log must live as long as the connection.
    package func attach(to db: Database) {
        sqlite3_wal_hook(
            db.sqliteConnection,
            { log, connection, name, pages in
                guard let log, pages >= WriteAheadLog.checkpointPages else { return SQLITE_OK }
                let code = sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                Unmanaged<WriteAheadLog>.fromOpaque(log).takeUnretainedValue().ended(with: code)
                // The transaction is on disk, whatever becomes of the checkpoint.
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// SQLite's own default.
    private static let checkpointPages: CInt = 1000

    /// Runs a transaction, or throws if the log cannot be brought to disk. Call it outside of a transaction.
    package func securing<T>(_ statements: Statements, _ body: () throws -> T) throws -> T {
        try secure(statements)
        do { return try body() } catch {
            if let error = error as? DatabaseError {
                ended(with: error.extendedResultCode.rawValue)
                throw error.named(statements)
            }
            throw error
        }
    }

    /// Brings the log to disk if it is in doubt. Call it outside of a transaction.
    package func secure(_ statements: Statements) throws {
        guard isInDoubt.load(ordering: .acquiring) else { return }
        // As the writer, so that no process appends to the log meanwhile.
        try statements.execute("BEGIN IMMEDIATE")
        defer { try? statements.execute("ROLLBACK") }
        try writeAgain()
        isInDoubt.store(false, ordering: .releasing)
    }

    private func ended(with code: CInt) {
        if code & 0xFF == SQLITE_IOERR { isInDoubt.store(true, ordering: .releasing) }
    }

    /// Writing the same bytes makes the pages dirty, so that a sync writes them. A crash meanwhile does no harm.
    private func writeAgain() throws {
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw failure() }
        // SQLite locks other files, so that closing this one ends no lock of this process.
        defer { close(file) }
        var offset: off_t = 0
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        while true {
            let count = pread(file, piece.baseAddress, piece.count, offset)
            guard count >= 0 else { throw failure() }
            if count == 0 { break }
            var written = 0
            while written < count {
                let more = pwrite(
                    file, piece.baseAddress.map { $0 + written }, count - written, offset + off_t(written))
                guard more > 0 else { throw failure() }
                written += more
            }
            offset += off_t(count)
        }
        guard fsync(file) == 0 else { throw failure() }
        // SQLite syncs the folder when it creates the log, but ignores failures.
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure() }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure() }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func failure() -> DatabaseError {
        let code = errno
        return DatabaseError(
            resultCode: Self.isFull(code) ? .SQLITE_FULL : .SQLITE_IOERR,
            message: "\(path): \(String(cString: strerror(code)))")
    }

    fileprivate static func isFull(_ code: CInt) -> Bool { [ENOSPC, EDQUOT].contains(code) }
}

extension DatabaseError {
    /// SQLite reports a full disk as such only where it writes pages. A failed sync can leave a transaction in the log,
    /// so it is never reported as a full disk, which means that nothing was stored.
    fileprivate func named(_ statements: Statements) -> DatabaseError {
        let code = extendedResultCode
        guard [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(code.primaryResultCode), code != .SQLITE_IOERR_FSYNC,
            code != .SQLITE_IOERR_DIR_FSYNC, WriteAheadLog.isFull(sqlite3_system_errno(statements.connection))
        else { return self }
        return DatabaseError(resultCode: .SQLITE_FULL, message: message)
    }
}
