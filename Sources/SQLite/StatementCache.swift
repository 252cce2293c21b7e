package import GRDB
import Synchronization

/// The statements of every connection that was used.
package final class StatementCache: Sendable {
    private let known = Mutex<[ObjectIdentifier: Statements]>([:])

    package init() {}

    package func statements(of db: Database) throws -> Statements {
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
    package var steps: Int { known.withLock { $0.values.reduce(0) { $0 + $1.steps } } }

    /// Before the connections are closed, with none of them in use: SQLite keeps a connection alive for its statements.
    package func finalize() {
        known.withLock { known in
            for statements in known.values { statements.finalize() }
            known = [:]
        }
    }
}
