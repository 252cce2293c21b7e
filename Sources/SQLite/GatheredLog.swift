import GRDBSQLite

/// Has the pages of one commit written to the write-ahead log by one call of the system. SQLite writes each page, and before
/// each its head of 24 bytes, by a call of its own: eighteen of them where an edit changes nine pages.
///
/// SQLite reaches a file through a table of functions, which is its documented way of putting something between. The log of a
/// connection gets a table of its own: what is written while a commit runs is kept as long as each piece continues the one
/// before, and handed on with the page whose head says that the transaction ends with it, which is before SQLite waits for
/// the disk and before it tells any reader of the pages. What follows that page goes its own way: heads that are written once
/// more, where a page was changed again that had been written before the commit. Whatever else is done with the file hands on
/// first what is kept. So a log never lacks what somebody may look for in it, and nothing is kept once the commit is over: the
/// next to write may be another process.
enum GatheredLog {
    /// Puts the table before the log of a connection, once. A connection that keeps no log is left as it is.
    ///
    /// - Parameter connection: in a transaction, so that the log is there.
    static func begin(for connection: OpaquePointer) {
        // The other journals are opened and closed by each transaction.
        guard journalMode(of: connection) == "wal", let file = journal(of: connection), !isOurs(file) else { return }
        let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        let original: UnsafePointer<sqlite3_io_methods> = file.pointee.pMethods
        let kept = UnsafeMutableRawPointer.allocate(byteCount: most, alignment: 16)
        table.initialize(to: Table(methods: gathering(original.pointee), original: original, kept: kept))
        file.pointee.pMethods = UnsafeRawPointer(table).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    /// Runs a commit.
    static func commit<T>(of connection: OpaquePointer, _ body: () throws -> T) rethrows -> T {
        guard let file = journal(of: connection), isOurs(file) else { return try body() }
        let log = table(of: file)
        (log.pointee.isCommitting, log.pointee.endsTransaction) = (true, false)
        defer {
            log.pointee.isCommitting = false
            // Of a commit that failed on its way: it is taken back, and would not have been looked at.
            log.pointee.count = 0
        }
        return try body()
    }

    /// A head of the log is followed by its page (SQLite's file format, 4.1: "WAL File Format").
    private static let headBytes: Int32 = 24
    /// More than this is handed on in pieces. It is the largest page, and so the most that any file of SQLite's is ever asked
    /// to write at once: its own for Unix takes 17 bits of a length at their word. An edit takes half of it.
    private static let most = 64 << 10

    /// The table, which SQLite's file points to, and what is kept for it behind.
    private struct Table {
        var methods: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
        var isCommitting = false
        let kept: UnsafeMutableRawPointer
        var count = 0
        /// Where what is kept begins in the file.
        var start: sqlite3_int64 = 0
        /// The head that came last said that its page ends the transaction: nothing is kept behind that.
        var endsTransaction = false
    }

    private typealias File = UnsafeMutablePointer<sqlite3_file>

    private static func journal(of connection: OpaquePointer) -> File? {
        var file: File?
        let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
        return code == SQLITE_OK && file?.pointee.pMethods != nil ? file : nil
    }

    private static func journalMode(of connection: OpaquePointer) -> String? {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, "PRAGMA main.journal_mode", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return nil }
        return sqlite3_column_text(statement, 0).map { String(cString: $0) }
    }

    private static func isOurs(_ file: File) -> Bool {
        unsafeBitCast(file.pointee.pMethods.pointee.xWrite, to: UInt.self) == unsafeBitCast(write, to: UInt.self)
    }

    private static func table(of file: File) -> UnsafeMutablePointer<Table> {
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer(file.pointee.pMethods)).assumingMemoryBound(to: Table.self)
    }

    // MARK: The functions

    private static func gathering(_ original: sqlite3_io_methods) -> sqlite3_io_methods {
        var methods = original
        methods.xWrite = write
        methods.xRead = { file, bytes, count, offset in
            GatheredLog.handedOn(file) { $0.xRead(file, bytes, count, offset) }
        }
        methods.xTruncate = { file, size in GatheredLog.handedOn(file) { $0.xTruncate(file, size) } }
        methods.xSync = { file, flags in GatheredLog.handedOn(file) { $0.xSync(file, flags) } }
        methods.xFileSize = { file, size in GatheredLog.handedOn(file) { $0.xFileSize(file, size) } }
        methods.xClose = { file in
            let table = GatheredLog.table(of: file!)
            file!.pointee.pMethods = table.pointee.original
            table.pointee.kept.deallocate()
            table.deallocate()
            return file!.pointee.pMethods.pointee.xClose(file)
        }
        return methods
    }

    private static let write: @convention(c) (File?, UnsafeRawPointer?, Int32, sqlite3_int64) -> Int32 = {
        file, bytes, count, offset in
        let log = GatheredLog.table(of: file!)
        guard log.pointee.isCommitting, let bytes, log.pointee.count > 0 || count == GatheredLog.headBytes else {
            return GatheredLog.handedOn(file) { $0.xWrite(file, bytes, count, offset) }
        }
        let size = Int(count)
        if log.pointee.start + sqlite3_int64(log.pointee.count) != offset || log.pointee.count + size > GatheredLog.most
        {
            let code = GatheredLog.handOn(file!)
            guard code == SQLITE_OK else { return code }
            guard size <= GatheredLog.most else {
                return log.pointee.original.pointee.xWrite(file, bytes, count, offset)
            }
        }
        if log.pointee.count == 0 { log.pointee.start = offset }
        (log.pointee.kept + log.pointee.count).copyMemory(from: bytes, byteCount: size)
        log.pointee.count += size
        guard count != GatheredLog.headBytes else {
            log.pointee.endsTransaction = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self) != 0
            return SQLITE_OK
        }
        guard log.pointee.endsTransaction else { return SQLITE_OK }
        log.pointee.isCommitting = false
        return GatheredLog.handOn(file!)
    }

    /// Writes what is kept.
    private static func handOn(_ file: File) -> Int32 {
        let log = table(of: file)
        let count = log.pointee.count
        guard count > 0 else { return SQLITE_OK }
        log.pointee.count = 0
        return log.pointee.original.pointee.xWrite(file, log.pointee.kept, Int32(count), log.pointee.start)
    }

    /// Does something else with the file, when it holds all that was written to it.
    private static func handedOn(_ file: File?, _ body: (sqlite3_io_methods) -> Int32) -> Int32 {
        let code = handOn(file!)
        guard code == SQLITE_OK else { return code }
        return body(table(of: file!).pointee.original.pointee)
    }
}
