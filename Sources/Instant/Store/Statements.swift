import GRDB
import GRDBSQLite
import InstantCore
import Synchronization

/// The prepared statements of one connection.
///
/// GRDB opens, pools and guards connections and runs the transactions; statements inside them go to SQLite's C interface
/// directly. A first sync runs two for each of 100,000 records, and boxing their values took longer than storing them.
///
/// Unchecked: used only by whoever GRDB lent the connection to, one at a time, and finalized with the connection idle.
final class Statements: @unchecked Sendable {
    let connection: SQLiteConnection
    private var durability = Durability.synced
    /// By the address of the literal they were written as: nothing is hashed that is longer than a pointer.
    private var written: [UnsafePointer<UInt8>: PreparedStatement] = [:]
    /// By the text they were composed of, such as a list's with its filter.
    private var composed: [String: PreparedStatement] = [:]
    /// Filters come in many combinations; when there were more than this, the old ones are let go.
    private static let most = 64

    init(_ connection: SQLiteConnection) { self.connection = connection }

    deinit { finalize() }

    func prepared(_ sql: StaticString) throws -> PreparedStatement {
        if let known = written[sql.utf8Start] { return known }
        let statement = try PreparedStatement(sql.description, connection)
        written[sql.utf8Start] = statement
        return statement
    }

    func prepared(composed sql: String) throws -> PreparedStatement {
        if let known = composed[sql] { return known }
        if composed.count >= Self.most {
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

    /// Whether the transactions that follow wait for the disk. Not to be called inside of one.
    func wait(_ durability: Durability) throws {
        guard durability != self.durability else { return }
        let level = durability == .synced ? "FULL" : "NORMAL"
        let code = sqlite3_exec(connection, "PRAGMA synchronous = \(level)", nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        self.durability = durability
    }

    func finalize() {
        for statement in written.values { statement.finalize() }
        for statement in composed.values { statement.finalize() }
        written = [:]
        composed = [:]
    }
}

/// The statements of every connection that was used.
final class StatementCache: Sendable {
    private let known = Mutex<[ObjectIdentifier: Statements]>([:])

    func statements(of db: Database) throws -> Statements {
        guard let connection = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return known.withLock { known in
            // A connection that was closed and left its address to another one is not that one.
            if let here = known[ObjectIdentifier(db)], here.connection == connection { return here }
            let statements = Statements(connection)
            known[ObjectIdentifier(db)] = statements
            return statements
        }
    }

    /// Of all connections, with none of them in use.
    var steps: Int { known.withLock { $0.values.reduce(0) { $0 + $1.steps } } }

    /// Before the connections are closed, with none of them in use: SQLite keeps a connection alive for its statements.
    func finalize() {
        known.withLock { known in
            for statements in known.values { statements.finalize() }
            known = [:]
        }
    }
}
