import GRDB
import GRDBSQLite

/// The prepared statements of one connection.
///
/// GRDB opens, pools and guards connections and runs the transactions; statements inside them use SQLite's C interface
/// directly. A first sync runs two for each of 100,000 records, and boxing their values took longer than storing them.
///
/// Unchecked: only the thread to which GRDB has lent the connection uses it, and it is finalised while the connection
/// is idle.
package final class Statements: @unchecked Sendable {
    let connection: SQLiteConnection
    private var waiting = Waiting.always
    /// Keyed by the address of the literal, so that only a pointer is hashed.
    private var written: [UnsafePointer<UInt8>: PreparedStatement] = [:]
    /// Keyed by the composed text, such as that of a filtered list.
    private var composed: [String: PreparedStatement] = [:]
    /// Filters have many combinations; at this number the cached statements are released.
    private static let maxCount = 64

    init(_ connection: SQLiteConnection) { self.connection = connection }

    deinit { finalize() }

    package func prepared(_ sql: StaticString) throws -> PreparedStatement {
        if let known = written[sql.utf8Start] { return known }
        let statement = try PreparedStatement(sql.description, connection)
        written[sql.utf8Start] = statement
        return statement
    }

    package func prepared(composed sql: String) throws -> PreparedStatement {
        if let known = composed[sql] { return known }
        if composed.count >= Self.maxCount {
            for statement in composed.values { statement.finalize() }
            composed = [:]
        }
        let statement = try PreparedStatement(sql, connection)
        composed[sql] = statement
        return statement
    }

    /// The work done so far, in steps of SQLite's virtual machine, which do not depend on other load.
    var steps: Int {
        written.values.reduce(0) { $0 + $1.steps } + composed.values.reduce(0) { $0 + $1.steps }
    }

    /// Whether the following transactions wait for the disk.
    package enum Waiting: Hashable, Sendable {
        /// `synchronous` FULL: each transaction is on disk when it ends.
        case always
        /// `synchronous` NORMAL: a power failure can lose the last transactions.
        case never
    }

    /// Sets the durability of the following transactions. Do not call it inside a transaction.
    package func wait(_ waiting: Waiting) throws {
        guard waiting != self.waiting else { return }
        let level = waiting == .always ? "FULL" : "NORMAL"
        let code = sqlite3_exec(connection, "PRAGMA synchronous = \(level)", nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        self.waiting = waiting
    }

    /// Runs a statement that is not prepared, such as one outside of a transaction.
    func execute(_ sql: String) throws {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(connection, code) }
    }

    func finalize() {
        for statement in written.values { statement.finalize() }
        for statement in composed.values { statement.finalize() }
        written = [:]
        composed = [:]
    }
}
