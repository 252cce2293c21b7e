import EngineCore
import GRDB
import SQLite

/// One transaction over an SQLite connection. Statements are prepared once per connection.
struct SQLiteTransaction: StoreWriting, SQLTransaction {
    let database: Database
    let statements: Statements
    private let end = EarlyEnd()

    init(database: Database, statements: Statements) { (self.database, self.statements) = (database, statements) }

    /// Why SQLite ended the transaction before its commit.
    private final class EarlyEnd {
        var cause: (any Error)?
    }

    /// - Throws: the error that ended the transaction early, as a full disk does: later statements would be committed
    ///   without the earlier ones.
    func checkIsOpen() throws {
        guard !database.isInsideTransaction else { return }
        throw end.cause ?? DatabaseError(resultCode: .SQLITE_ABORT)
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try checkIsOpen()
        try run("SAVEPOINT step")
        do {
            let result = try body()
            try run("RELEASE step")
            return result
        } catch {
            if database.isInsideTransaction {
                try run("ROLLBACK TO step")
                try run("RELEASE step")
            } else if end.cause == nil {
                end.cause = error
            }
            throw error
        }
    }
}
