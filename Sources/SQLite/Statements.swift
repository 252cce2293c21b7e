import GRDB
import GRDBSQLite

/// The prepared statements of one connection.
///
/// GRDB opens, pools and guards connections and runs the transactions; statements inside them go to SQLite's C interface
/// directly. A first sync runs two for each of 100,000 records, and boxing their values took longer than storing them.
///
/// Unchecked: used only by whoever GRDB lent the connection to, one at a time, and finalized with the connection idle.
package final class Statements: @unchecked Sendable {
    let connection: SQLiteConnection
    private var waiting = Waiting.always
    /// By the address of the literal they were written as: nothing is hashed that is longer than a pointer.
    private var written: [UnsafePointer<UInt8>: PreparedStatement] = [:]
    /// By the text they were composed of, such as a list's with its filter.
    private var composed: [String: PreparedStatement] = [:]
    /// Filters come in many combinations; when there were more than this, the old ones are let go.
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

    /// What they have done so far, in steps of SQLite's machine: it does not depend on who else is at work.
    var steps: Int {
        written.values.reduce(0) { $0 + $1.steps } + composed.values.reduce(0) { $0 + $1.steps }
    }

    /// What the transactions that follow wait for.
    package enum Waiting: Hashable, Sendable {
        /// `synchronous` FULL: each is on the disk when it ends.
        case always
        /// `synchronous` NORMAL: the loss of power may take the last ones.
        case never
    }

    /// Not to be called inside of a transaction.
    package func wait(_ waiting: Waiting) throws {
        guard waiting != self.waiting else { return }
        let level = waiting == .always ? "FULL" : "NORMAL"
        let code = sqlite3_exec(connection, "PRAGMA synchronous = \(level)", nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        self.waiting = waiting
    }

    func finalize() {
        for statement in written.values { statement.finalize() }
        for statement in composed.values { statement.finalize() }
        written = [:]
        composed = [:]
    }
}
