package import GRDB
import Synchronization

/// The prepared statements of all connections used.
package final class StatementCache: Sendable {
    private let known = Mutex<[ObjectIdentifier: Statements]>([:])

    package init() {}

    package func statements(of db: Database) throws -> Statements {
        guard let connection = db.sqliteConnection else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        return known.withLock { known in
            // A new connection object may have the address of a closed one.
            if let here = known[ObjectIdentifier(db)], here.connection == connection { return here }
            let statements = Statements(connection)
            known[ObjectIdentifier(db)] = statements
            return statements
        }
    }

    /// The total number of statement steps on all connections. Read it only while no connection is in use.
    package var steps: Int { known.withLock { $0.values.reduce(0) { $0 + $1.steps } } }

    /// Call before closing the connections, with none in use: SQLite keeps a connection alive for its statements.
    package func finalize() {
        known.withLock { known in
            for statements in known.values { statements.finalize() }
            known = [:]
        }
    }
}
